"""The files in deploy/ are valid and fit to each other and to scova, though no container engine runs here: linters that are not ours, and
everything that can be run without one is run.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import crossplane
import pytest
from ruamel.yaml import YAML

from scova import config
from scova.cli.parser import parser
from scova.cli.serving.commands import PORT
from scova.server.limits import Limits
from scova.server.serving import GRACE_SECONDS
from serving import SCOVA, running

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = DEPLOY / "Containerfile"
COMPOSE = DEPLOY / "compose.yaml"
GUIDE = (ROOT / "docs/guides/cluster.md").read_text()
BIN = Path(sys.executable).parent
STACK = YAML(typ="safe").load(COMPOSE)
SERVICES = STACK["services"]
SECRETS = {"POSTGRES_PASSWORD": "p4ssw0rd", "QDRANT_KEY": "k3y"}


def instructions():
    """The Containerfile, an instruction each."""
    text = re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", CONTAINERFILE.read_text()))
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def said(word):
    return [rest for name, rest in instructions() if name == word]


def filled_in(text):
    """As compose fills in variables."""
    return re.sub(
        r"\$\{(\w+)(?::([?-])([^}]*))?\}", lambda m: SECRETS.get(m[1], m[3] if m[2] == "-" else ""), str(text)
    )


def parsed(words):
    """What scova makes of a command line; it ends the test if it cannot."""
    return parser(words).parse_args(words)


def apis():
    return {name: service for name, service in SERVICES.items() if service["image"].startswith("scova:")}


def linted(*words):
    return subprocess.run([str(BIN / words[0]), *words[1:]], capture_output=True, text=True)


def test_the_containerfile_passes_hadolint_without_exceptions(tmp_path):
    done = linted("hadolint", "--no-color", str(CONTAINERFILE))
    assert done.returncode == 0, done.stdout
    assert "hadolint ignore" not in CONTAINERFILE.read_text()
    broken = tmp_path / "Containerfile"
    broken.write_text(CONTAINERFILE.read_text().replace("3.11.15-slim-bookworm", "latest"))
    assert linted("hadolint", str(broken)).returncode != 0


def test_the_compose_file_is_one_by_the_specification(tmp_path):
    done = linted("check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE))
    assert done.returncode == 0, done.stdout
    broken = tmp_path / "compose.yaml"
    broken.write_text(COMPOSE.read_text().replace("stop_grace_period", "grace"))
    assert linted("check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(broken)).returncode != 0


def test_the_balancer_has_a_valid_configuration(tmp_path):
    assert crossplane.parse(str(DEPLOY / "nginx.conf"), strict=True)["errors"] == []
    broken = tmp_path / "nginx.conf"
    broken.write_text((DEPLOY / "nginx.conf").read_text().replace("proxy_pass", "proxy_past"))
    assert crossplane.parse(str(broken), strict=True)["errors"]


def test_every_image_is_of_one_version_and_of_no_particular_registry():
    images = [base.split()[0] for base in said("FROM")] + [service["image"] for service in SERVICES.values()]
    assert len(images) >= 6
    for image in images:
        name, _, tag = image.rpartition(":")
        assert re.fullmatch(r"[a-z0-9-]+(/[a-z0-9-]+)?", name), image
        assert re.search(r"\d+\.\d+", tag), image


def test_the_databases_are_as_new_as_the_guide_says_they_must_be():
    """Of Qdrant, params.idf.corpus is needed (docs/decisions/vector-stores.md); of pgvector, iterative scans."""
    needed = {
        "qdrant": re.search(r"Qdrant \((\d+\.\d+) or newer\)", GUIDE)[1],
        "postgres": re.search(r"extension `vector` (\d+\.\d+) or newer", GUIDE)[1],
    }
    for name, least in needed.items():
        shipped = re.search(r":v?(\d+)\.(\d+)", SERVICES[name]["image"])
        assert tuple(map(int, shipped.groups())) >= tuple(map(int, least.split("."))), name


def test_our_image_has_the_version_of_the_package():
    import scova

    assert {service["image"] for service in apis().values()} == {f"scova:{scova.__version__}"}
    for text in (CONTAINERFILE.read_text(), GUIDE):
        assert set(re.findall(r"scova:(\d[\w.]*)", text)) <= {scova.__version__}


def test_what_is_copied_into_the_image_is_there_and_nothing_else_is_sent():
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert lines[0] == "*"
    let_in = {line[1:] for line in lines if line[0] == "!"}
    copied = {name for rest in said("COPY") if "--from" not in rest for name in rest.split()[:-1]}
    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)
    assert not any(fnmatch("deploy/.env", name) for name in let_in)


def test_it_installs_from_the_lock_for_images_which_has_what_postgresql_needs():
    installs = [rest for rest in said("RUN") if "pip install" in rest]
    assert "--require-hashes -r image.txt" in installs[0]
    assert all("--no-deps" in rest for rest in installs[1:])
    assert re.search(r"(?m)^psycopg==", (ROOT / "requirements/image.txt").read_text())


def test_it_runs_as_nobody_in_particular():
    assert int(said("USER")[-1]) > 0
    assert said("VOLUME") == ['["/data"]']
    assert said("EXPOSE") == [str(PORT)]


def test_the_command_of_the_image_is_one_and_serves_its_port():
    assert json.loads(said("ENTRYPOINT")[0]) == ["scova"]
    words = parsed(json.loads(said("CMD")[0]))
    assert (words.host, words.port, words.data) == ("0.0.0.0", PORT, "/data")
    for service in apis().values():
        assert "command" not in service
        assert "entrypoint" not in service


def test_settings_in_the_compose_file_are_settings_of_scova(monkeypatch, tmp_path):
    environment = [service["environment"] for service in apis().values()]
    assert environment[0] == environment[1]
    own = {name: filled_in(value) for name, value in environment[0].items() if name.startswith("SCOVA_")}
    assert own
    for name, value in own.items():
        assert name.removeprefix("SCOVA_").lower() in config.SETTINGS
        monkeypatch.setenv(name, value)
    found = config.load(tmp_path)
    assert all(found.origins[name.removeprefix("SCOVA_").lower()] == name for name in own)
    hosts = {re.search(r"[@/](\w[\w-]*):\d+", value)[1] for value in own.values()}
    assert hosts == SERVICES.keys() - apis().keys() - {"balancer"}


def test_every_service_is_watched_and_waits_for_what_it_needs():
    for name, service in SERVICES.items():
        assert service["healthcheck"]["test"], name
        assert service["restart"] == "unless-stopped"
        assert service["networks"] == ["inside"]
        for needed, how in service.get("depends_on", {}).items():
            assert needed in SERVICES
            assert how == {"condition": "service_healthy"}
    assert len(apis()) == 2
    assert all(service["depends_on"].keys() == {"postgres", "qdrant"} for service in apis().values())
    assert SERVICES["balancer"]["depends_on"].keys() == apis().keys()
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["balancer"]


def test_every_volume_is_declared_used_once_and_every_mounted_file_is_there():
    mounted = [volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
    named = [volume for volume in mounted if not volume.startswith(".")]
    assert sorted(named) == sorted(STACK["volumes"])
    assert all((DEPLOY / volume).is_file() for volume in mounted if volume.startswith("."))
    for service in apis().values():
        assert service["volumes"][0].split(":")[1] == "/data"


def test_every_variable_is_in_the_example_and_no_secret_has_a_value_there():
    example = dict(re.findall(r"(?m)^(\w+)=(.*)$", (DEPLOY / "env.example").read_text()))
    assert set(re.findall(r"\$\{(\w+)", COMPOSE.read_text())) == example.keys()
    assert {name for name, value in example.items() if not value} == SECRETS.keys()
    for name in SECRETS:
        assert re.search(rf"\${{{name}:\?", COMPOSE.read_text())
    assert "/deploy/.env" in (ROOT / ".gitignore").read_text().splitlines()


def test_a_server_is_given_longer_to_stop_than_it_takes():
    for service in apis().values():
        assert int(service["stop_grace_period"].removesuffix("s")) > GRACE_SECONDS


def test_the_balancer_leads_to_the_servers_and_lets_through_what_they_take():
    text = (DEPLOY / "nginx.conf").read_text()
    assert set(re.findall(r"server ([\w.-]+:\d+)", text)) == {f"{name}:{PORT}" for name in apis()}
    assert SERVICES["balancer"]["ports"][0].endswith(":" + re.search(r"listen (\d+);", text)[1])
    body = int(re.search(r"client_max_body_size (\d+)m", text)[1])
    assert body << 20 >= Limits().body_for("/sync")
    kept = re.search(r"upstream.*?keepalive_timeout (\d+)s", text, re.S)[1]
    assert int(kept) < Limits().idle_seconds


@pytest.mark.parametrize(
    "text", [CONTAINERFILE.read_text(), COMPOSE.read_text(), GUIDE], ids=["image", "stack", "guide"]
)
def test_every_scova_command_that_is_shown_is_one(text):
    shown = re.findall(r"(?m)^[#\s]*(?:[A-Z_]+=\S+ )*scova ([a-z].*)$", text)
    shown += re.findall(r"(?m)run --rm api-1 ([a-z].*)$", text)
    for line in shown:
        words = shlex.split(line, comments=True)
        assert parsed(words).run
    assert shown or text == CONTAINERFILE.read_text()


def checked(test, port, path):
    """Whether a health check of a container is content with a server at another port."""
    words = [word.replace(f":{PORT}/", f":{port}/").replace("/6333", f"/{port}") for word in test]
    assert path in " ".join(words)
    return subprocess.run([sys.executable if word == "python" else word for word in words], capture_output=True)


def test_the_first_token_is_made_and_the_image_then_serves_and_is_found_healthy(postgres_url, tmp_path):
    """As compose does it: without a token the command of the image refuses, with one that was made in the same database it serves."""
    environment = {"SCOVA_SERVE_STORE": postgres_url}
    words = json.loads(said("CMD")[0])
    refused = subprocess.run(
        [str(SCOVA), *words[:-1], str(tmp_path / "none")],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert refused.returncode == 2
    assert "scova token create --store URL" in refused.stderr
    first = shlex.split(re.search(r"run --rm api-1 (token create .*)", COMPOSE.read_text())[1])
    made = subprocess.run([str(SCOVA), *first], env={**os.environ, **environment}, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    image = json.loads(re.search(r"CMD (\[.*\])", said("HEALTHCHECK")[0])[1])
    stack = SERVICES["api-1"]["healthcheck"]["test"]
    plain = SERVICES["qdrant"]["healthcheck"]["test"]
    assert (stack[0], plain[0]) == ("CMD", "CMD")
    with running(tmp_path / "data", "--host", "0.0.0.0", environment=environment) as server:
        checks = [(image, "/healthz"), (stack[1:], "/readyz"), (plain[1:], "/readyz")]
        for test, path in checks:
            done = checked(test, server.port, path)
            assert done.returncode == 0, done.stderr
        server.kill()
        for test, path in checks:
            assert checked(test, server.port, path).returncode != 0

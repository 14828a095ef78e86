"""Which names and which contents are secrets, and which only look like it."""

import pytest

from scova.sources.secrets import OVERRULE, SecretRules
from secret_files import INNOCENT, KEY, SECRETS, SSH, block

RULES = SecretRules()


def reason(path, content=b"", rules=RULES):
    data = content if isinstance(content, bytes) else content.encode()
    return rules.by_name(path) or rules.reason(path, data)


@pytest.mark.parametrize("path", SECRETS)
def test_a_secret_file_is_left_out_in_any_case_and_as_a_copy(path):
    content = SECRETS[path]
    folder, _, name = path.rpartition("/")
    names = [
        name,
        name.upper(),
        *(f"{name}{end}" for end in (".bak", "~", ".old", ".orig", ".swp", ".bak2", ".20240131", " (1)")),
    ]
    for one in names:
        assert reason(f"{folder}/{one}" if folder else one, content).endswith(OVERRULE), one


@pytest.mark.parametrize("path", INNOCENT)
def test_a_file_that_only_looks_like_a_secret_is_not_left_out(path):
    assert reason(path, INNOCENT[path]) == ""


def test_by_name_alone_nothing_is_read():
    for path in (
        ".env",
        "a/.ssh/id_rsa",
        "x.jks",
        ".aws/credentials",
        "terraform.tfvars",
        "wg0.conf",
        "id_ed25519_work",
    ):
        assert RULES.by_name(path), path
    for path in ("credentials/readme.md", ".env.example", "id_rsa.pub", "src/wg0.conf.py", "a.auto.tfvars.example"):
        assert not RULES.by_name(path), path


def test_a_key_is_a_secret_under_any_name_but_not_in_the_middle_of_code():
    for kind in (KEY, SSH, f"RSA {KEY}", f"EC {KEY}", f"ENCRYPTED {KEY}", f"PGP {KEY} BLOCK"):
        for name in ("notes.txt", "a", "x.py", "readme.md", "key.json"):
            assert reason(name, "\n" + block(kind)), (kind, name)
        assert not reason("x.py", f"KEY = '''\n{block(kind)}'''\n"), kind
        assert not reason("talk.md", "How keys look.\n" * 200 + block(kind)), kind


def test_a_key_of_windows_in_two_bytes_a_character_is_seen():
    assert reason("a.txt", block(KEY).encode("utf-16"))
    assert reason("a.txt", b"\xef\xbb\xbf" + block(KEY).encode())


@pytest.mark.parametrize(
    "content", [b"\xfe\xed\xfe\xed\x00\x00\x00\x02", b"\x03\xd9\xa2\x9ag\xfbK\xb5", b"$ANSIBLE_VAULT;1.1;AES256\n00\n"]
)
def test_a_keystore_is_a_secret_under_any_name(content):
    assert reason("data", content)


def test_what_assigns_a_placeholder_is_no_secret():
    for value in (
        "",
        "changeme",
        "${TOKEN}",
        "<token>",
        "xxxxxxxx",
        "{{ token }}",
        "your-token-here",
        "$NPM_TOKEN",
        "example-token",
    ):
        assert not reason(".npmrc", f"//registry.example.com/:_authToken={value}\n"), value
        assert not reason("local.properties", f"api_key={value}\n"), value
    assert reason(".npmrc", "//registry.example.com/:_authToken=npm_0123456789abcdefghij\n")
    assert reason("local.properties", "api_key=AIzaSyA0123456789abcdefghij\n")


def test_the_user_may_have_everything_or_some_paths():
    assert reason("a/.env", "A=1", SecretRules(everything=True)) == ""
    some = SecretRules(allowed=("a/*.pem", ".env"))
    assert reason("a/x.pem", block(KEY), some) == ""
    assert reason("b/.env", "A=1", some) == ""
    assert reason("b/x.pem", block(KEY), some)


def test_a_glob_that_is_a_whole_path_counts_below_its_folder_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    rules = SecretRules(allowed=(f"{tmp_path}/shop/*.pem", "~/shop/.env", "/elsewhere/*"))
    assert rules.below(tmp_path / "shop").allowed == ("*.pem", ".env")
    assert rules.below(tmp_path / "other").allowed == ()


def test_a_folder_of_logins_that_is_indexed_itself_is_known(tmp_path):
    for folder, name in ((".azure", "msal_token_cache.json"), (".docker", "config.json"), (".config/gh", "hosts.yml")):
        assert RULES.below(tmp_path / folder).by_name(name), folder
        assert not RULES.below(tmp_path / "shop").by_name(name), folder
    assert RULES.below(tmp_path / "lang/shop").reason("secrets.yml", b"api: 0123456789\n")


@pytest.mark.parametrize(
    "begin", [b"", b"kind: Secret\ndata:\nkind: Config\nusers clusters\n", b"[a]\ntype = x\nmachine login password\n"]
)
@pytest.mark.parametrize(
    "unit",
    [
        b"a",
        b"\n",
        b" ",
        b"a: ",
        b"\t\n",
        b"# \n",
        b"machine a login b ",
        b"password=",
        b"://aaaa:",
        b"https://a:bbbbbbbb@c",
        b"-----BEGIN PRIVATE KEY-----",
        b"-----BEGIN PRIVATE KEY-----\na: ",
        b"a: -----BEGIN PRIVATE KEY-----\n",
        b"<!-- ",
        b"<Pass ",
    ],
)
def test_no_content_makes_the_rules_try_again_and_again(unit, begin):
    data = begin + (unit * 400_000)[:400_000]
    for name in ("a", "a.json", "settings.xml", "a.csv", "secrets.yml", ".npmrc", "x.pem"):
        RULES.reason(name, data)  # ends; what tries again would take hours

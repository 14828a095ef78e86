"""What every test may use: a clean environment, and the real command."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from order import shuffle

SCOVA = Path(sys.executable).with_name("scova")

# A shell that runs the tests in the background has them ignore SIGINT, and so every command that they start; but some of these are interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Properties are drawn from a fixed seed, so that a commit passes or fails whenever it is tested, and however busy the machine is.
# `make stress-tests` draws others (`--hypothesis-profile drawn --hypothesis-seed N`).
BY_THE_CLOCK = [HealthCheck.too_slow]
BY_DESIGN = [HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=BY_THE_CLOCK + BY_DESIGN,
)
settings.register_profile(
    "drawn", settings.get_profile("fixed"), derandomize=False, suppress_health_check=list(HealthCheck)
)
settings.load_profile("fixed")


def pytest_addoption(parser):
    parser.addoption(
        "--order", metavar="SEED", help="run files, and the tests of each, in the order drawn from this seed"
    )


@pytest.hookimpl(tryfirst=True)  # before pytest brings together again what shares a costly fixture
def pytest_collection_modifyitems(config, items):
    """Another order of files and tests, where one is asked for: nothing may depend on it."""
    if seed := config.getoption("--order"):
        shuffle(items, seed)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path_factory):
    """No setting, cache or git configuration of the person running the tests reaches them."""
    for name in list(os.environ):
        if name.startswith(("SCOVA_", "GIT_")) and name != "SCOVA_UPDATE_GOLDEN":
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.invalid")


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server that runs; tests are skipped where none can be had."""
    from pg import running

    with running() as server:
        yield server


@pytest.fixture
def postgres_url(postgres):
    """The address of an empty database."""
    with postgres.database() as url:
        yield url


@pytest.fixture(params=["embedded", "postgresql"])
def store_url(request, monkeypatch):
    """Where servers of this test keep everything, first one then the other: their data folder (nothing), an empty database (its URL)."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgresql" else ""
    if url:
        monkeypatch.setenv("SCOVA_SERVE_STORE", url)
    return url


@pytest.fixture(scope="session")
def qdrant_url():
    """The address of a Qdrant: its own engine behind a server of ours, or the one that SCOVA_TEST_QDRANT_URL names."""
    from qdrant_server import running

    with running() as url:
        yield url


@pytest.fixture(params=["embedded", "postgresql", "embedded-qdrant", "postgresql-pgvector", "postgresql-qdrant"])
def stores(request, monkeypatch):
    """Every combination of a store and a place for vectors that a server may have, for servers of this test."""
    store, _, vectors = request.param.partition("-")
    if store == "postgresql":
        monkeypatch.setenv("SCOVA_SERVE_STORE", request.getfixturevalue("postgres_url"))
    if vectors:
        url = "pgvector:" if vectors == "pgvector" else request.getfixturevalue("qdrant_url")
        monkeypatch.setenv("SCOVA_SERVE_VECTORS", url)
    return request.param


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def scova():
    """Run the real command: `scova("index", folder, "--json")`. A traceback is always a failure."""

    def run(*words, timeout=240, **options) -> Done:
        done = subprocess.run(
            [str(SCOVA), *map(str, words)], capture_output=True, text=True, timeout=timeout, check=False, **options
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def project(tmp_path):
    """A small project of several languages."""
    return write_project(tmp_path / "project")


def write_project(root: Path) -> Path:
    files = {
        "README.md": "# Shop\n\nA tiny shop.\n\n## Passwords\n\nPasswords are checked in `auth.py` with a slow hash.\n",
        "src/auth.py": (
            '"""Logging in."""\n\nimport hashlib\n\nROUNDS = 100_000\n\n\ndef hash_password(password: str, salt: bytes) -> bytes:\n'
            '    """Slow on purpose."""\n    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)\n\n\n'
            "class Session:\n    def __init__(self, user):\n        self.user = user\n\n    def check_password(self, password):\n"
            "        return hash_password(password, self.user.salt) == self.user.password_hash\n"
        ),
        "src/cart.ts": (
            "import { Item } from './item';\n\nexport class Cart {\n  private items: Item[] = [];\n\n  addItem(item: Item): void {\n"
            "    this.items.push(item);\n  }\n\n  totalPrice(): number {\n    return this.items.reduce((sum, item) => sum + item.price, 0);\n  }\n}\n"
        ),
        "tests/test_auth.py": "from auth import hash_password\n\n\ndef test_hash_password_is_stable():\n    assert hash_password('a', b'b') == hash_password('a', b'b')\n",
        "config.toml": '[shop]\nname = "tiny"\ncurrency = "EUR"\n',
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root

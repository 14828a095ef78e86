"""An address is checked before anything goes there, and the token stays out of every text."""

import pytest

from scova.errors import UsageError
from scova.push import address

SECRET = "tok-Zq81-secret"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example",
        "ftp://example",
        "http://",
        "https://example?x=1",
        "https://example#x",
        "http://[::1",
        "http://a:port",
    ],
)
def test_what_cannot_be_a_server_is_refused(url):
    with pytest.raises(UsageError):
        address(url)


def test_a_password_in_the_address_is_refused_and_not_repeated():
    with pytest.raises(UsageError) as found:
        address(f"https://user:{SECRET}@example", token_env="T")
    assert SECRET not in f"{found.value.message}{found.value.hint}"
    assert "T" in found.value.hint


@pytest.mark.parametrize("token", [f"{SECRET}\nX: y", f"{SECRET} x", f"{SECRET}ü", f"{SECRET}\0"])
def test_what_cannot_be_a_token_is_refused_and_not_repeated(token):
    with pytest.raises(UsageError) as found:
        address("https://example", token=token, token_env="T")
    assert SECRET not in f"{found.value.message}{found.value.hint}"


def test_the_token_is_in_no_text_of_the_address():
    given = address("http://example:1", token=f"{SECRET}\n")
    assert given.token == SECRET
    assert SECRET not in f"{given!r}{given}{given.note}"
    assert given.without_token(f"you sent {SECRET}!") == "you sent …!"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://127.0.0.1:8766", False),
        ("http://localhost", False),
        ("http://[::1]:80", False),
        ("https://example", False),
        ("http://example", True),
        ("http://10.0.0.1", True),
    ],
)
def test_a_way_that_others_can_listen_to_is_told(url, told):
    assert bool(address(url).note) is told


def test_a_slash_at_the_end_means_nothing():
    assert address("https://example/scova/").url == "https://example/scova"

"""What people type is read as they mean it; what names nothing is an error that says what to type."""

import pytest

from scova.errors import QueryError
from scova.search.structure import asked

FILES = {"src/app.py", "a b.py"}


def read(text):
    return asked.read(text, FILES.__contains__)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Session", "Session"),
        (" Session.get ", "Session.get"),
        ("Session::get", "Session.get"),
        ("Session#get", "Session.get"),
        ("Session->get", "Session.get"),
        ("\\App\\Data\\Store", "App.Data.Store"),
        ("::ns::f", "ns.f"),
        ("operator==", "operator=="),
        ("Vec::operator->", "Vec.operator->"),
        ("operator*", "operator*"),
        ("==", "=="),
        ("Invoice.+", "Invoice.+"),
        ("paid?", "paid?"),
        ("[]", "[]"),
        ("größe", "größe"),
    ],
)
def test_names_of_any_language(typed, name):
    found = read(typed)
    assert (found.name, found.is_prefix, found.path, found.line) == (name, False, "", 0)


def test_a_star_at_the_end_of_a_word_asks_for_a_beginning():
    assert (read("Sess*").name, read("Sess*").is_prefix) == ("Sess", True)
    assert (read("Class.me*").name, read("Class.me*").last) == ("Class.me", "me")


def test_a_place_and_a_name_in_a_file():
    assert (read("src/app.py:12").path, read("src/app.py:12").line) == ("src/app.py", 12)
    assert (read("./src/app.py:12:7").path, read("./src/app.py:12:7").line) == ("src/app.py", 12)
    found = read("src/app.py:Session::get")
    assert (found.path, found.name) == ("src/app.py", "Session.get") or found.name == "src/app.py:Session.get"
    assert (read("src/app.py:Session.get").path, read("src/app.py:Session.get").name) == ("src/app.py", "Session.get")


@pytest.mark.parametrize("typed", ["", "   ", "\t", "a\nb", "x\x00"])
def test_what_names_nothing_is_an_error_with_a_hint(typed):
    with pytest.raises(QueryError) as error:
        read(typed)
    assert "FILE" in error.value.hint or "src/app.py:12" in error.value.hint


@pytest.mark.parametrize("place", ["src/app.py", "src/app.py:0", ":3", "src/app.py:x"])
def test_a_place_that_is_none_is_an_error(place):
    with pytest.raises(QueryError):
        asked.at(place)

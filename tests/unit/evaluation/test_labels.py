"""Which questions a folder gives."""

import pytest

from scova import Index
from scova.evaluation.labels import Wanted, allotted, gather
from scova.evaluation.question import Kind, plain, real_words
from scova.evaluation.tested import question_of
from scova.search.asked.query import parse
from scova.types import Symbol

FILES = {
    "src/cookies.py": (
        'def reject(cookie):\n    """Refuse cookies whose session has long expired."""\n    return cookie.age > 10\n\n\n'
        'def accept(cookie):\n    """Yes."""\n    return not reject(cookie)\n'
    ),
    "src/header.py": 'def quote(value):\n    """Put quotes around awkward header values."""\n    return repr(value)\n',
    "README.md": "# Cookies\n\nPut quotes around awkward header values.\n",
    "tests/test_cookies.py": (
        "from src.cookies import accept, reject\n\n\ndef helper():\n    return 1\n\n\n"
        "def test_an_expired_session_is_refused():\n    assert reject(helper())\n\n\n"
        "def test_accept():\n    assert accept(1)\n\n\n"
        "def test_numbers_are_small_enough():\n    assert helper() < 2\n"
    ),
}


@pytest.fixture
def index(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with Index.open(tmp_path / "project") as index:
        index.refresh()
        yield index


def test_questions_with_their_answers(index):
    labels = gather(index, Wanted(20, 0, tuple(Kind)))
    assert [(one.kind, one.text, one.relevant, one.origin, one.ignored) for one in labels.here] == [
        (
            "tests",
            "an expired session is refused",
            ("src/cookies.py",),
            "tests/test_cookies.py:8",
            {"tests/test_cookies.py"},
        )
    ]  # `test_accept` says too little, the other calls nothing of the project
    assert [(one.kind, one.text, one.relevant, one.origin) for one in labels.copied] == [
        ("docs", "Refuse cookies whose session has long expired", ("src/cookies.py",), "src/cookies.py:1")
    ]  # "Yes." says too little, and the README repeats the other
    assert labels.changed == {
        "src/cookies.py": FILES["src/cookies.py"].replace(
            '    """Refuse cookies whose session has long expired."""\n', ""
        )
    }
    drawn = {one.kind: one for one in labels.drawn}
    assert drawn[Kind.HISTORY].note == "the folder is in no git repository"
    assert (drawn[Kind.DOCS].asked, drawn[Kind.DOCS].note) == (1, "")


def test_only_the_kinds_that_are_wanted(index):
    labels = gather(index, Wanted(20, 0, (Kind.TESTS,)))
    assert [one.kind for one in labels.here] == ["tests"]
    assert labels.copied == ()
    assert [one.kind for one in labels.drawn] == ["tests"]


def test_one_entrance_does_not_answer_everything(tmp_path):
    """Twelve tests call the same file, two another one."""
    names = "amber birch cedar dogwood elder fir ginkgo hazel ivy juniper kauri larch".split()  # noqa: SIM905
    texts = {"src/entrance.py": "def enter(x):\n    return x\n", "src/cellar.py": "def descend(x):\n    return x\n"}
    for name in names:
        texts[f"tests/test_{name}.py"] = (
            f"from src.entrance import enter\n\n\ndef test_{name}_may_enter():\n    enter(1)\n"
        )
    for name in ("moss", "nettle"):
        texts[f"tests/test_{name}.py"] = (
            f"from src.cellar import descend\n\n\ndef test_{name}_may_descend():\n    descend(1)\n"
        )
    for name, text in texts.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with Index.open(tmp_path / "project") as index:
        index.refresh()
        found = gather(index, Wanted(50, 0, (Kind.TESTS,))).here
    answers = [one.relevant for one in found]
    assert (answers.count(("src/entrance.py",)), answers.count(("src/cellar.py",))) == (5, 2)


def test_a_tree_that_grows_a_little_is_asked_almost_the_same(tmp_path):
    """Whoever measures before and after a change wants to see the change, not another draw."""

    def drawn():
        with Index.open(tmp_path / "project") as index:
            index.refresh()
            return {one.text for one in gather(index, Wanted(20, 0, (Kind.DOCS,))).copied}

    def write(number):
        doc = f"Number {number} counts small wooden object{number} things."
        path = tmp_path / "project" / f"module_{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'def count_{number}(value):\n    """{doc}"""\n    return value\n')

    for number in range(60):
        write(number)
    before = drawn()
    for number in range(60, 64):
        write(number)
    assert len(before) == 20
    assert len(drawn() & before) >= 16


def test_shares_are_even_and_made_up_for():
    kinds = (Kind.HISTORY, Kind.DOCS, Kind.TESTS)
    assert allotted(dict(zip(kinds, (500, 500, 500), strict=True)), 200) == dict(zip(kinds, (66, 67, 67), strict=True))
    assert allotted(dict(zip(kinds, (500, 10, 0), strict=True)), 200) == dict(zip(kinds, (190, 10, 0), strict=True))
    assert allotted({Kind.DOCS: 3}, 200) == {Kind.DOCS: 3}


@pytest.mark.parametrize(
    ("name", "decorators", "question"),
    [
        ("test_expired_session_is_refused", (), "expired session is refused"),
        ("TestParseHTTPHeader", (), "parse http header"),
        ("rejectsExpiredSessions", ("@Test",), "rejects expired sessions"),
        ("rejects_expired_sessions", ("#[tokio::test]",), "rejects expired sessions"),
        ("testimonialsAreShownFirst", (), ""),
        ("rejects_expired_sessions", ("@cached",), ""),
        ("test_it", (), ""),
    ],
)
def test_the_name_of_a_test_becomes_words(name, decorators, question):
    assert question_of(Symbol(name, name, "function", 1, 2, decorators=decorators)) == question


@pytest.mark.parametrize("text", ['path:src/** "a b" +must -not x*', "kind: none", "lang:nowhere and -type:x"])
def test_no_text_is_read_as_an_operator(text):
    asked = parse(plain(text))
    assert not asked.filters
    assert not asked.restricts
    assert plain("-- - + * : '") == ""
    assert real_words("how does the parser read x1 of ab") == ["parser", "read"]

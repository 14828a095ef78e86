"""All questions of one evaluation: how many of each kind there could be, how many are asked, and why a kind is left out."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from scova.evaluation import history
from scova.evaluation.documented import Documented, Read, documented, stripped
from scova.evaluation.question import Kind, Question
from scova.evaluation.tested import Structure, tested
from scova.index import Index
from scova.index.secrets import secret_rules
from scova.record import record
from scova.sources.content import Left, text_of
from scova.sources.raw import raw_reader

_NONE = {
    Kind.HISTORY: "no commit says in three words or more what it changed in up to five files that are still there",
    Kind.DOCS: "no function has a doc comment that begins with a sentence of its own and can be taken out",
    Kind.TESTS: "no test with a telling name calls a file of this project for certain",
}


class Drawn(NamedTuple):
    """How many questions of one kind are asked; when none, `note` says why."""

    kind: Kind
    asked: int
    available: int  # of history: commits that tell something; of the others: how many were looked for, or found
    note: str = ""


class Wanted(NamedTuple):
    """Which questions are wanted."""

    questions: int
    seed: int
    kinds: tuple[Kind, ...]


@record
class Labels:
    """The questions that are asked of the folder as it is, those that are asked of a copy, and what is changed there."""

    here: tuple[Question, ...]
    copied: tuple[Question, ...]
    changed: Mapping[str, str]  # texts of the copy, by path
    drawn: tuple[Drawn, ...]


def reader(index: Index) -> Read:
    """Reads files of a folder as they are now, as text."""
    read = raw_reader(index.root)
    secrets = secret_rules(index.config).below(index.root)

    def text(path: str) -> str | None:
        data = read(path, False)
        try:
            return None if data is None else text_of(path, data, secrets)
        except Left:
            return None

    return text


def gather(index: Index, wanted: Wanted) -> Labels:
    """Questions about a folder whose index is up to date; the same for the same folder and seed."""
    files, read = index.files(), reader(index)
    notes: dict[Kind, str] = {}
    commits: list[history.Commit] = []
    docs: list[Documented] = []
    tests: list[Question] = []
    if Kind.HISTORY in wanted.kinds:
        try:
            commits = history.commits(index.root, files)
        except history.Unheard as unheard:
            notes[Kind.HISTORY] = str(unheard)
    if Kind.DOCS in wanted.kinds:
        docs = documented(files, read, wanted.questions, seed=wanted.seed)
    if Kind.TESTS in wanted.kinds:
        structure = Structure(index.outline, lambda name: index.callees(name, depth=1))
        tests = tested(files, structure, wanted.questions, seed=wanted.seed)
    available = {Kind.HISTORY: len(commits), Kind.DOCS: len(docs), Kind.TESTS: len(tests)}
    share = allotted({kind: available[kind] for kind in wanted.kinds}, wanted.questions)
    told = history.questions(commits, share.get(Kind.HISTORY, 0), seed=wanted.seed, files=files)
    copied, changed = _changed(docs[: share.get(Kind.DOCS, 0)], files, read)
    asked = {Kind.HISTORY: len(told), Kind.DOCS: len(copied), Kind.TESTS: share.get(Kind.TESTS, 0)}
    return Labels(
        here=(*told, *tests[: asked[Kind.TESTS]]),
        copied=tuple(copied),
        changed=changed,
        drawn=tuple(_drawn(kind, asked[kind], available[kind], note=notes.get) for kind in wanted.kinds),
    )


def allotted(available: Mapping[Kind, int], wanted: int) -> dict[Kind, int]:
    """As many of each kind as of the others, as far as there are; what one kind lacks the others make up for."""
    share: dict[Kind, int] = {}
    for done, kind in enumerate(sorted(available, key=lambda kind: available[kind])):
        left = wanted - sum(share.values())
        share[kind] = min(available[kind], left // (len(available) - done))
    return share


def _drawn(kind: Kind, asked: int, available: int, *, note: Callable[[Kind], str | None]) -> Drawn:
    return Drawn(kind, asked, available, "" if asked else note(kind) or _NONE[kind])


def _changed(docs: Sequence[Documented], files: Mapping[str, str], read: Read) -> tuple[list[Question], dict[str, str]]:
    """The questions whose comments can be taken out of their files all together, and the texts without them."""
    by_path: defaultdict[str, list[Documented]] = defaultdict(list)
    for one in docs:
        by_path[one.question.relevant[0]].append(one)
    texts = {path: stripped(read(path) or "", files[path], found) for path, found in by_path.items()}
    changed = {path: text for path, text in texts.items() if text is not None}
    return [one.question for one in docs if one.question.relevant[0] in changed], changed

"""Whether the installed grammars still give what our queries ask of them.

A grammar is another project's, and so are the names of its nodes: a version that renames one would cost definitions and
calls without a word. So each language has a small sample in samples/, and samples/expected.txt lists the definitions and
calls that the sample must give, one a line: language, `definition` or `call`, and what it is. A query that names what the
grammar does not know, and a sample that gives less than it must, is a fault, told in one line.

Knows nothing of projects: `doctor` asks about every language, a build about those that it meets.
"""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from scova.counted import counted
from scova.parse.grammar import GRAMMARS, grammar_error, grammar_of
from scova.parse.outline import outline

SAMPLES = Path(__file__).with_name("samples")
EXPECTED = SAMPLES / "expected.txt"
HINT = "pip install --force-reinstall scova brings the grammars that it was tested with; then `scova index --force`"
_NAMED = 3  # missing definitions and calls that a fault names


def sampled_languages() -> list[str]:
    """Every language that has a sample: all that have a query of their own, dialects left out."""
    return sorted(path.stem for path in SAMPLES.glob("*.txt") if path != EXPECTED)


@cache
def grammar_fault(language: str) -> str:
    """What is wrong with the installed grammar of a language, in one line; empty where nothing is, or there is no grammar."""
    if language not in GRAMMARS:
        return ""
    package = GRAMMARS[language][0].replace("_", "-")
    installed = f"{package} {_version(package)} with tree-sitter {_version('tree-sitter')}"
    if error := grammar_error(language):
        return f"{installed} cannot be loaded, so its files are searched as text only: {error}"
    grammar = grammar_of(language)
    unknown = grammar.unknown if grammar else ()
    missing = list(missing_from_sample(language))
    if not unknown and not missing:
        return ""
    reasons = [f"it does not know what a query names ({unknown[0]})"] if unknown else []
    if missing:
        named = ", ".join(missing[:_NAMED]) + (" …" if len(missing) > _NAMED else "")
        reasons.append(f"{counted(len(missing), 'definition or call is', 'definitions and calls are')} lost: {named}")
    return f"{installed} gives less than it must: {'; '.join(reasons)}"


def missing_from_sample(language: str) -> Iterator[str]:
    """Definitions and calls that the sample of a language must give and does not."""
    sampled = next((each for each in sampled_languages() if GRAMMARS.get(each) == GRAMMARS[language]), None)
    if sampled is None:
        return
    given = set(given_by_sample(sampled))
    yield from (wanted for wanted in _expected().get(sampled, ()) if wanted not in given)


def given_by_sample(language: str) -> Iterator[str]:
    """Definitions and calls that the sample of a language gives, each once, as expected.txt has them."""
    found = outline((SAMPLES / f"{language}.txt").read_text(encoding="utf-8"), language)
    yield from dict.fromkeys(f"definition\t{symbol.kind} {symbol.qualified}" for symbol in found.symbols)
    yield from dict.fromkeys(f"call\t{call.name} in {call.caller or 'the file'}" for call in found.calls)


@cache
def _expected() -> dict[str, list[str]]:
    expected: dict[str, list[str]] = {}
    for line in EXPECTED.read_text(encoding="utf-8").splitlines():
        language, _, wanted = line.partition("\t")
        expected.setdefault(language, []).append(wanted)
    return expected


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"

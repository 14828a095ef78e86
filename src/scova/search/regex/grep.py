"""Every match of a pattern in all files of an index, at one moment of its store.

Which files: those that are indexed, and those that are left out though they are text (generated, minified, too large, or of a
name that sounds binary), which are read as they are. The n-gram index rules out files that cannot match; a file that
is newer than it is always read. Knows nothing of how a file is read: whoever asks gives a function for that.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from scova.answers import FileMatches, Matches
from scova.core.deadline import in_force
from scova.core.line_ends import as_in_file
from scova.errors import QueryError
from scova.record import names_of, record, replace
from scova.search.regex.matcher import Matcher, Options
from scova.search.regex.pieces import Pieces
from scova.search.regex.required import NOTHING, candidates, required
from scova.search.regex.room import Room
from scova.search.regex.scan import Looking, Read, Wanted, scan_files
from scova.search.regex.scope import Passes, scope
from scova.stores.grams.reader import Grams
from scova.types import Filters, Skip

if TYPE_CHECKING:
    from scova.protocols import WholeReader

READ_THOUGH_LEFT_OUT = frozenset(("binary", "crashed", "generated", "minified", "too-large"))
DEFAULT_OPTIONS, DEFAULT_WANTED, NO_FILTERS = Options(), Wanted(), Filters()

Tell = Callable[[FileMatches], None]


@record
class Asked:
    """What is looked for, where, and how much of it is wanted."""

    patterns: tuple[str, ...]
    options: Options = DEFAULT_OPTIONS
    wanted: Wanted = DEFAULT_WANTED
    globs: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    not_types: tuple[str, ...] = ()
    filters: Filters = NO_FILTERS
    limit: int = 0  # matching lines that are kept in all; 0 for every one. Counts are exact in any case
    characters: int = 0  # that these lines may have, matches and line numbers weighed in; 0 for any number

    @classmethod
    def of(cls, pattern: str | Sequence[str], **chosen: Any) -> Self:
        """The same from flat options: fields of this class, of Options and of Wanted, by their names."""
        patterns = _several(pattern)
        parts = {kind: set(names_of(kind)) & chosen.keys() for kind in (Options, Wanted)}
        rest = chosen.keys() - parts[Options] - parts[Wanted]
        unknown = rest - (set(names_of(cls)) - {"patterns", "options", "wanted"})
        if unknown:
            raise QueryError(f"grep has no option `{min(unknown)}`", "see docs/guides/grep.md for those there are")
        given: dict[str, Any] = {name: chosen[name] for name in rest}
        given |= {name: _several(given[name]) for name in rest - {"filters", "limit", "characters"}}
        return cls(
            patterns,
            Options(**{name: chosen[name] for name in parts[Options]}),
            Wanted(**{name: chosen[name] for name in parts[Wanted]}),
            **given,
        )


def _several(words: str | Sequence[str]) -> tuple[str, ...]:
    """One word, or some."""
    return (words,) if isinstance(words, str) else tuple(words)


class Place(NamedTuple):
    """Where to look: one moment of a store, what was derived from it, and how files are read."""

    reader: "WholeReader"
    grams: Grams | None
    read: Read
    skips: Sequence[Skip] = ()
    changed: Collection[str] = ()  # paths known to differ from the index: always read


class _File(NamedTuple):
    path: str
    doubtful: bool = False  # it may well be binary


def grep(asked: Asked, place: Place, tell: Tell | None = None) -> Matches:
    """Everything that matches, in order of path. With `tell`, lines are handed on file by file instead of being kept. Ends at the deadline
    that is in force."""
    _check(asked)
    matcher = Matcher(asked.patterns, asked.options)
    passes = scope(asked.globs, asked.types, asked.not_types, asked.filters)
    live = list(_left_out(place, passes))
    found_in = _indexed(matcher, place, passes, invert=asked.wanted.invert)
    files = sorted(
        {file.path: file for file in (*found_in, *live)}.values()
    )  # one that is left out may have changed too
    kept: list[FileMatches] = []
    count = matches = 0
    room = Room(asked.limit, asked.characters, after=asked.wanted.after)
    named = [(file.path, file.doubtful) for file in files]
    deadline = in_force()
    with Pieces(matcher, deadline.check) as stoppable:
        for found in scan_files(named, Looking(place.read, stoppable, asked.wanted, room, deadline)):
            within = room.take(found)
            count += found.count
            matches += found.matches
            if tell is not None:
                tell(within)
                within = replace(within, lines=())
            kept.append(within)
    return Matches(
        pattern="|".join(asked.patterns),
        files=tuple(kept),
        count=count,
        matches=matches,
        searched=_in_scope(place, passes) + len(live),
        scanned=len(files),
        truncated=room.is_cut,
    )


def possible_files(asked: Asked, matcher: Matcher, place: Place) -> list[str]:
    """The paths of indexed files that may match, in order."""
    _check(asked)
    passes = scope(asked.globs, asked.types, asked.not_types, asked.filters)
    return sorted(file.path for file in _indexed(matcher, place, passes, invert=asked.wanted.invert))


def stored_reader(reader: "WholeReader") -> Read:
    """Reads texts from the store, where there is no folder to read from; with the line ends they came with, as far as these can be told."""

    def read(path: str, _: bool) -> bytes | None:
        chunks = reader.chunks_of(path)
        if not chunks:
            return None
        text = "".join(chunk.text for chunk in chunks if chunk.chunk_type != "symbols")
        file = reader.file(path)
        there = as_in_file(text, file.mark.size, file.digest) if file else None
        return (text if there is None else there).encode()

    return read


def _check(asked: Asked) -> None:
    if not asked.patterns:
        raise QueryError("there is no pattern to look for", "give one; an empty one matches every line")
    numbers = (asked.wanted.before, asked.wanted.after, asked.wanted.most, asked.limit, asked.characters)
    if any(number < 0 for number in numbers):
        raise QueryError("a number of lines cannot be negative", "give 0 or more")


def _may_pass(path: str, passes: Passes | None) -> bool:
    """Whether a file may be asked for that the index does not know."""
    if passes is None:
        return True
    # Only where files are told apart by it: its tables cost a millisecond.
    from scova.parse.language import possible_languages

    return any(passes(path, language) for language in possible_languages(path))


def _left_out(place: Place, passes: Passes | None) -> Iterator[_File]:
    """Files that are not indexed, but may be text all the same."""
    for skip in place.skips:
        if skip.reason in READ_THOUGH_LEFT_OUT and _may_pass(skip.path, passes):
            yield _File(skip.path, skip.reason == "binary")


def _indexed(matcher: Matcher, place: Place, passes: Passes | None, *, invert: bool) -> list[_File]:
    """Indexed files that may match, and those that are known to have changed."""
    reader, grams = place.reader, place.grams
    needs = NOTHING if invert else required(matcher.node)
    if needs == NOTHING or grams is None or grams.store_id != reader.store_id or grams.applied_seq > reader.change_seq:
        found = reader.stored_files()
    else:
        found = reader.stored_files(grams.files_in(candidates(needs, grams)))
        if reader.change_seq > grams.applied_seq:
            found += reader.stored_files(since=grams.applied_seq)
    files = {file.path for file in found if passes is None or passes(file.path, file.language)}
    files.update(_changed(place, passes))
    return [_File(path) for path in files]


def _changed(place: Place, passes: Passes | None) -> Iterable[str]:
    """What is known to have changed, by the language that it had, as far as it was there."""
    if passes is None or not place.changed:
        return place.changed
    had = {file.path: file.language for file in place.reader.stored_files()}
    return [path for path in place.changed if (passes(path, had[path]) if path in had else _may_pass(path, passes))]


def _in_scope(place: Place, passes: Passes | None) -> int:
    if passes is None:
        return place.reader.count_files()
    return sum(passes(file.path, file.language) for file in place.reader.stored_files())

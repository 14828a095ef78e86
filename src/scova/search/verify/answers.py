"""Each kind of answer, with its places as they are now. How places are found again is the verifier's business."""

from collections.abc import Iterable
from typing import Any, ClassVar, Protocol, TypeVar

from scova.record import replace
from scova.search.verify.verifier import Verifier
from scova.types import Answer, Freshness, Result


class Dated(Protocol):
    """An answer of any kind: a record that says how fresh it is."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def freshness(self) -> Freshness: ...

    @property
    def cut(self) -> tuple[str, ...]: ...


Answered = TypeVar("Answered", bound=Dated)


def verified(answer: Answered, verifier: Verifier) -> Answered:
    """The answer without what is gone, and with what moved where it is now."""
    if isinstance(answer, Answer):
        results = tuple(_results(answer.results, verifier))
        return answer if results == answer.results else replace(answer, results=results)
    from scova.search.verify.exact import verified_exact  # what a plain search does without, it does not load

    return verified_exact(answer, verifier)


def _results(results: Iterable[Result], verifier: Verifier) -> Iterable[Result]:
    for result in results:
        chunk = result.chunk
        span = verifier.span(chunk.file_path, chunk.start_line, chunk.end_line)
        if span == (chunk.start_line, chunk.end_line):
            yield result
        elif span:
            yield replace(result, chunk=replace(chunk, start_line=span[0], end_line=span[1]))

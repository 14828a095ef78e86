"""One question to one project, or to several: then each answers, and the best of all are given."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from scova.errors import UsageError
from scova.projects.library import Library
from scova.projects.provenance import Provenance, provenance
from scova.types import Answer, Chunk, ChunkId, Literal, Query


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer, and where each of its chunks comes from, by id of project and chunk."""

    answer: Answer
    origins: Mapping[tuple[str, ChunkId], Provenance]

    def origin(self, chunk: Chunk) -> Provenance:
        """Where a chunk of this answer comes from."""
        return self.origins[chunk.project, chunk.id]


def search_projects(names: Sequence[str], query: Query) -> Asked:
    """The answer of these projects to a question. With several, a budget is shared equally, and there are no further pages."""
    names = list(dict.fromkeys(names))
    if len(names) > 1 and query.after:
        raise UsageError("an answer of several projects has one page", "ask for more with --limit, or ask one project")
    each = replace(query, budget=max(1, query.budget // len(names))) if query.budget and len(names) > 1 else query
    with ExitStack() as opened:
        libraries = [opened.enter_context(Library.open(name)) for name in names]
        answers = [library.search(each) for library in libraries]
        origins = {
            (library.manifest.name, result.chunk.id): provenance(
                library.manifest, result.chunk.file_path, result.chunk.symbol
            )
            for library, answer in zip(libraries, answers, strict=True)
            for result in answer.results
        }
    return Asked(answers[0] if len(answers) == 1 else _merged(answers, each), origins)


def _merged(answers: Sequence[Answer], query: Query) -> Answer:
    """The best of all, by their scores, which mean the same everywhere; what can be counted is added up."""
    best = sorted((result for answer in answers for result in answer.results), key=lambda result: -result.score)
    shown = best if query.budget else best[: query.limit]
    first = answers[0]
    surest = max(answers, key=lambda answer: answer.relevance)
    freshness = first.freshness._replace(
        change_seq=max(answer.freshness.change_seq for answer in answers),
        pending_files=sum(answer.freshness.pending_files for answer in answers),
        pending_embeddings=sum(answer.freshness.pending_embeddings for answer in answers),
        verified=sum(answer.freshness.verified for answer in answers),
        moved=sum(answer.freshness.moved for answer in answers),
        dropped=sum(answer.freshness.dropped for answer in answers),
        tiers={
            tier: all(answer.freshness.tiers.get(tier, False) for answer in answers) for tier in first.freshness.tiers
        },
    )
    return replace(
        first,
        results=tuple(shown),
        total=sum(answer.total for answer in answers),
        truncated=len(best) > len(shown) or any(answer.truncated for answer in answers),
        next="",
        tokens=sum(answer.tokens for answer in answers),
        literal=Literal(
            first.literal.text,
            sum(answer.literal.count for answer in answers),
            sum(answer.literal.files for answer in answers),
            _summed([answer.literal.by_file for answer in answers]),
        ),
        skipped_files=sum(answer.skipped_files for answer in answers),
        freshness=freshness,
        relevance=surest.relevance,
        nothing_relevant=all(answer.nothing_relevant for answer in answers),
        judged_by=surest.judged_by,
        spelled={word: others for answer in answers for word, others in answer.spelled.items()},
        cut=tuple(dict.fromkeys(sentence for answer in answers for sentence in answer.cut)),
    )


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """By path: a folder may be a source of several projects."""
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total)

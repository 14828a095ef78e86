"""One build: plan, read and parse in workers, commit batch by batch, embed, publish.

First build, refresh and resume after a kill are the same run: compare what is there with what is remembered, do the
difference. What was committed stays, whatever happens next. The caller holds the index's write lock.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scova.build import memory
from scova.build.compaction.due import Place
from scova.build.compaction.ending import end_of_build
from scova.build.embed import Embedding, FreshVectors
from scova.build.inspect import without_vector
from scova.build.memory import ReadSkip
from scova.build.moves import Vacated
from scova.build.plan import Plan, Task, plan
from scova.build.pool import Crashed, map_batches
from scova.build.publish import IndexPublisher, TextPublisher, VectorPublisher, everywhere, publish_grams
from scova.build.work import Batch, Work, batches
from scova.counted import waiting
from scova.errors import EmbedderError, VectorsAway
from scova.parse.grammar import prepare
from scova.parse.language import kind_of, language_of
from scova.protocols import Embedder, Source, VectorCache, WholeReader, WholeStore
from scova.stores.layout import Layout
from scova.types import EVERYWHERE, IndexedFile, Move, Progress, Region, Report, Skip, Spent

if TYPE_CHECKING:
    from scova.protocols.vectors import VectorIndex

QUICK_FILES = 24  # up to here work is done without a process of its own
QUICK_BYTES = 100_000  # … for files that are not even large together
PREPARED_LANGUAGES = 4  # with more, each worker does better to load what it meets

# Why a file is left out, as far as it matters to a reader: on purpose, or because it could not be had.
BY_RULE = frozenset(("ignored", "internal", "vendored", "cache", "secret", "generated", "symlink", "special"))
NOT_READ = frozenset(("unreadable", "vanished", "crashed", "name"))

Files = dict[str, IndexedFile]  # by path


@dataclass(frozen=True, slots=True)
class Tools:
    """Where a build writes and what it works with."""

    layout: Layout
    store: WholeStore
    cache: VectorCache
    embedder: Embedder | None
    project: str
    workers: int
    ann_from: int = 0  # vectors from which on there is a graph over them; 0: never
    patience: int = 1  # how many times larger than usual the rest may grow that derived files do not cover
    embeds: bool = True  # whether vectors are made; left for a later build otherwise
    # Does small work in a process that is kept for it, where the content is a stranger's; None when that was lost over it.
    apart: Callable[[Work, list[Task]], Batch | None] | None = None
    vectors: "VectorIndex | None" = None  # where vectors go instead of files


def catch_up(tools: Tools, holding: Callable[[], AbstractContextManager[None]]) -> None:
    """Bring the derived files up to date with what others wrote, and leave the store alone. Each is of a moment of its own, and made in
    a block of `holding`, in which the caller is the one who writes them: none keeps a moment, or a writer, for the next."""
    with holding(), tools.store.reader() as reader:
        TextPublisher(tools.layout, tools.store, patience=tools.patience).finish(reader)
    with holding(), tools.store.reader() as reader:
        publish_grams(tools.layout, tools.store, reader, patience=tools.patience)
    if tools.embedder is None or tools.vectors is not None:  # which is everybody's: it is for whoever wrote, too
        return
    with holding(), tools.store.reader() as reader:
        vectors = VectorPublisher(tools.layout, tools.store, tools.cache, tools.embedder)
        model, until = tools.embedder.model, reader.change_seq
        # A vector file covers all there is up to its change: what has no vector yet would be left out for good.
        if not without_vector(reader, tools.cache, model, since=vectors.applied_seq, until=until):
            vectors.finish(reader, patience=tools.patience)
        place = Place(tools.layout, model, reader.store_id, tools.ann_from)
        end_of_build(place, vector_dim=tools.embedder.width, change_seq=until)


class Build:
    """One run over one source."""

    def __init__(
        self, tools: Tools, tell: Callable[[Progress], None] | None = None, *, known: Files | None = None
    ) -> None:
        """`known` are the files of the store, where the caller has them already: those of the region that will be run."""
        self._tools = tools
        self._tell = tell or (lambda progress: None)
        self._text = TextPublisher(tools.layout, tools.store, patience=tools.patience)
        self._embedding = Embedding(tools.cache, tools.embedder, self._tell) if tools.embedder else None
        self._known = tools.store.files() if known is None else known  # as of before this build
        self._read_skips: dict[str, ReadSkip] = {}
        self._counts: Counter[str] = Counter()
        self._spent_before = self._spent()
        self._failure = self._note = ""  # what a remote embedder said; what is out of the ordinary otherwise

    def run(self, source: Source, *, force: bool = False, region: Region = EVERYWHERE) -> Report:
        """Bring the index up to date with the source, which speaks for a region."""
        started = time.monotonic()
        self._tell(Progress("scan", 0, 0))
        todo = plan(source.items(), self._known, memory.read_skips(self._tools.store), force=force, region=region)
        self._read_skips = dict(todo.kept_read_skips)
        self._put_all(source, todo)
        elsewhere = [skip for skip in self._tools.store.skips() if not region.covers(skip.path)]
        self._put_skips([*elsewhere, *todo.skips], todo)
        with self._tools.store.reader() as reader:
            self._publish(reader)
            return self._report(reader, time.monotonic() - started)

    def tidy(self) -> None:
        """Bring the derived files up to date with the store, where they have fallen behind; nothing is read or parsed."""
        tools = self._tools
        if tools.embedder and memory.put_off_for(tools.store, tools.embedder.model):  # what is due is made
            self._tools = replace(tools, embeds=False)
        with tools.store.reader() as reader:
            self._publish(reader)

    def nothing_to_do(self, seconds: float) -> Report:
        """The report of a build that found everything up to date."""
        skips = self._tools.store.skips()
        self._counts.update(skipped=len(skips), unreadable=sum(map(is_surprising, skips)))
        with self._tools.store.reader() as reader:
            return self._report(reader, seconds)

    # --- phase 1: text and symbols

    def _put_all(self, source: Source, todo: Plan) -> None:
        """Read, parse and commit every task; a file that is gone leaves together with its new self, or at the end."""
        gone = dict.fromkeys(todo.removed)
        vacated = Vacated({path: self._known[path].digest for path in todo.removed})
        done = chunks = size = 0
        for batch in self._parsed(source, todo.tasks):
            arrived = [file for file in batch.files if file.path not in self._known]
            moves = [move for file in arrived if (move := vacated.move_to(file.path, file.digest))]
            for move in moves:
                del gone[move.old_path]
            self._commit(batch, moves)
            done += len(batch.files) + len(batch.touched) + len(batch.skips)
            chunks += sum(len(file.chunks) for file in batch.files)
            size += sum(file.mark.size for file in batch.files)
            self._tell(Progress("parse", done, len(todo.tasks), chunks, size))
        gone.update(dict.fromkeys(path for path in self._read_skips if path in self._known))
        if gone:
            self._tools.store.put([], removed=list(gone))
        self._counts["removed"] = len(gone)

    def _parsed(self, source: Source, tasks: list[Task]) -> Iterator[Batch]:
        tools = self._tools
        if self._is_quick(tasks):
            work = Work(source, tools.project, inverts=False)
            done = tools.apart(work, tasks) if tools.apart and tasks else work(tasks)
            if done is not None:
                yield done
                return
        import numpy  # noqa: F401 - the merge needs it in any case, and forked workers then have it without loading it

        prepare(_few_languages(tasks))
        local = tools.embedder if tools.embedder and not tools.embedder.is_remote else None
        fresh = FreshVectors(tools.cache.opener(), local) if local else None
        work = Work(source, tools.project, fresh=fresh)
        for outcome in map_batches(work, batches(tasks, workers=tools.workers), workers=tools.workers):
            if isinstance(outcome, Crashed):
                item = outcome.element.item
                skip = Skip(item.path, "crashed", f"its parser crashed on it: {outcome.reason}")
                self._read_skips[item.path] = ReadSkip(skip, item.mark.size, item.mark.changed_ns, time.time_ns())
            else:
                yield outcome

    def _is_quick(self, tasks: list[Task]) -> bool:
        """Whether starting a process would take longer than the work: few files, small ones, none that ever took one down."""
        known = memory.read_skips(self._tools.store) if tasks else {}
        crashed = {path for path, entry in known.items() if entry.skip.reason == "crashed"}
        small = len(tasks) <= QUICK_FILES and sum(task.item.mark.size for task in tasks) <= QUICK_BYTES
        return small and not any(task.item.path in crashed for task in tasks)

    def _commit(self, batch: Batch, moves: list[Move]) -> None:
        """One batch, visible in one step."""
        store = self._tools.store
        memory.remember_grammar_faults(store, batch.grammar_faults)
        if batch.files:
            rows = store.put(batch.files, removed=[move.old_path for move in moves], moves=moves)
            if batch.postings:
                self._text.add(batch.postings, rows)
            if self._embedding:
                self._embedding.take(batch.vectors)
        if batch.touched:
            store.touch(batch.touched, read_ns=batch.read_ns)
        self._note = self._note or batch.note
        self._read_skips.update((skip.skip.path, memory.to_remember(skip)) for skip in batch.skips)
        changed = sum(file.path in self._known for file in batch.files)
        self._counts.update(
            changed=changed, added=len(batch.files) - changed - len(moves), moved=len(moves), touched=len(batch.touched)
        )

    def _put_skips(self, kept: list[Skip], todo: Plan) -> None:
        fresh = [entry.skip for path, entry in self._read_skips.items() if path not in todo.kept_read_skips]
        skips = sorted([*kept, *fresh], key=lambda skip: skip.path)
        self._counts.update(skipped=len(skips), unreadable=sum(map(is_surprising, skips)))
        self._tools.store.put_skips(skips)
        memory.remember_read_skips(self._tools.store, self._read_skips)

    # --- phase 2: what has been committed, made fast to search

    def _publish(self, reader: WholeReader) -> None:
        """Bring the derived files up to date with what the reader sees, where they have fallen behind."""
        tools = self._tools
        self._tell(Progress("text", 0, 0))
        published = self._text.finish(reader)
        if tools.embedder and self._embedding:
            published = self._publish_vectors(reader, tools.embedder, self._embedding) or published
        self._tell(Progress("grams", 0, 0))
        publish_grams(tools.layout, tools.store, reader, patience=tools.patience)
        if published:
            self._forget_removals()
        if tools.embedder and tools.vectors is None:
            place = Place(tools.layout, tools.embedder.model, reader.store_id, tools.ann_from)
            end_of_build(place, vector_dim=tools.embedder.width, change_seq=reader.change_seq)

    def _publish_vectors(self, reader: WholeReader, embedder: Embedder, embedding: Embedding) -> bool:
        """Embed what has no vector, and publish; whether that was worth it. What a remote embedder does not give is left for
        the next build: everything else is there without it."""
        tools = self._tools
        vectors: VectorPublisher | IndexPublisher
        if tools.vectors is None:
            vectors = VectorPublisher(tools.layout, tools.store, tools.cache, embedder)
        else:
            vectors = IndexPublisher(tools.vectors, tools.store, tools.cache, embedder)
        # What no vector file holds is looked up again: the shared cache may have been lost.
        since = min(vectors.applied_seq, memory.embedded_until(tools.store, embedder.model))
        try:
            if tools.embeds:
                embedding.run(reader, reader.rows(since=since), workers=tools.workers)
        except EmbedderError as error:
            if not embedder.is_remote:
                raise
            memory.put_off(tools.store, embedder.model)
            self._failure = f"{error.message} ({error.hint})" if error.hint else error.message
        if self._failure or not tools.embeds:
            model, until = embedder.model, reader.change_seq
            missing = without_vector(reader, tools.cache, model, since=vectors.applied_seq, until=until)
            self._counts["unembedded"] = len(missing)
            return False
        self._tell(Progress("vectors", 0, 0))
        try:
            published = vectors.finish(reader, patience=tools.patience)
        except VectorsAway as error:  # everything else is there without it, and the next build finds it behind
            self._note, published = f"vectors are not searched: {error.message} ({error.hint})", False
        memory.remember_embedded(tools.store, embedder.model, reader.change_seq)
        return published

    def _forget_removals(self) -> None:
        """The log of removals is needed only for what the derived files do not reflect yet."""
        model = self._tools.embedder.model if self._tools.embedder else ""
        applied = everywhere(self._tools.layout, model, self._tools.store.store_id, self._tools.vectors)
        if applied is not None:
            self._tools.store.prune_removed(applied)

    def _report(self, reader: WholeReader, seconds: float) -> Report:
        embedding, spent, counts, files = self._embedding, self._spent(), self._counts, reader.count_files()
        failure = f"{waiting(counts['unembedded'])}: {self._failure}" if self._failure else ""
        return Report(
            files=files,
            chunks=reader.count(),
            added=counts["added"],
            changed=counts["changed"],
            removed=counts["removed"],
            moved=counts["moved"],
            unchanged=files - counts["added"] - counts["changed"] - counts["moved"],
            skipped=counts["skipped"],
            embedded=embedding.embedded if embedding else 0,
            reused=embedding.reused if embedding else 0,
            change_seq=reader.change_seq,
            seconds=round(seconds, 3),
            note=failure or self._note or memory.grammar_note(self._tools.store),
            unreadable=counts["unreadable"],
            pending_embeddings=counts["unembedded"],
            tokens_used=spent.tokens - self._spent_before.tokens,
            estimated_cost_usd=round(spent.usd - self._spent_before.usd, 6),
        )

    def _spent(self) -> Spent:
        return self._tools.embedder.spent if self._tools.embedder else Spent()


def _few_languages(tasks: list[Task]) -> set[str]:
    """The languages to be met, when they are few: workers then inherit parsers that this process keeps for the next build."""
    languages = {language_of(task.item.path, "") for task in tasks}
    return languages if len(languages) <= PREPARED_LANGUAGES else set()


def is_surprising(skip: Skip) -> bool:
    """Whether a reader would expect to find this file: it could not be read, or is not what its name says."""
    if skip.reason in NOT_READ:
        return True
    language = language_of(skip.path, "")
    return bool(language) and skip.reason not in BY_RULE and kind_of(language) in ("code", "prose")

"""One project of a server, to be asked like any other index, and to be pushed to. What was acknowledged has been committed, and survives
a power cut.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from scova.build import memory
from scova.build.build import Build
from scova.index.secrets import secret_rules
from scova.protocols import WholeStore
from scova.search.similar import Request, similar
from scova.server.tenants import sources
from scova.server.tenants.asked import Asked
from scova.server.tenants.opened import HASTE, Opened
from scova.server.tenants.pushed import NOTHING, PushedSource, is_left_out_again, skip_by_name
from scova.types import Answer, Finding, IndexedFile, Region


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    status: str  # indexed, unchanged, skipped
    chunks: int = 0
    why: str = ""


class Step(NamedTuple):
    """The change that the project was at when it was someone's turn to write, and the one that shows what they wrote."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A manifest beside what the server has."""

    missing: list[str]
    extra: list[str]
    deleted: int
    change_seq: int


class Tenant(Opened, Asked):
    """One project, to be asked and pushed to."""

    def push(self, source: PushedSource) -> tuple[dict[str, Outcome], Step]:
        """Bring these files in, each whole in one step; what became of each, and from which change to which that led."""
        region = Region(files=frozenset(source.contents))
        with self.held():
            before, known = self._store.change_seq(), self._store.files(region)
            same = {path for path, digest in source.digests.items() if path in known and known[path].digest == digest}
            rest = replace(source, contents={path: data for path, data in source.contents.items() if path not in same})
            if rest.contents:
                paths = frozenset(rest.contents)
                self._build({path: known[path] for path in paths & known.keys()}, rest, paths)
            outcomes, after = self._outcomes(source.contents, same)
            return outcomes, Step(before, after)

    def delete(self, paths: Iterable[str]) -> tuple[list[str], list[str], Step]:
        """Take these files out, all in one step: those that were there, those that were not, and from which change to which that led."""
        wanted = frozenset(paths)
        with self.held():
            before, known = self._store.change_seq(), self._store.files(Region(files=wanted))
            there = sorted(wanted & known.keys())
            if there or wanted & memory.read_skips(self._store).keys():
                self._build({path: known[path] for path in there}, NOTHING, wanted)
            return there, sorted(wanted - known.keys()), Step(before, self._store.change_seq())

    def compare(self, manifest: Mapping[str, str], *, prune: bool) -> Difference:
        """Which files are not here as the manifest has them, and which the manifest does not have; with `prune`, those go."""
        if not prune:
            return self._compared(manifest, self._asked)
        with self.held():
            found = self._compared(manifest, self._store)
            gone = frozenset(found.extra) | self._skipped_beyond(manifest)
            if gone:
                known = self._store.files()
                self._build({path: known[path] for path in found.extra}, NOTHING, gone)
            return Difference(found.missing, found.extra, len(found.extra), self._store.change_seq())

    def similar(self, request: Request) -> Answer:
        """Chunks nearest in meaning. While derived files are being made here, an index beside the store says which, where there is one:
        it has them all, and nothing else is compared."""
        cold = self._meanwhile()
        found = cold.ranked(lambda view: similar(view, request)) if cold is not None else None
        return super().similar(request) if found is None else found

    def tidy(self) -> None:
        """Bring what is derived up to date with the store."""
        with self.held():
            Build(self.tools(patience=1), known={}).tidy()

    def audit(self) -> list[Finding]:
        """Everything in any part of the index that does not agree with the rest."""
        from scova.build.inspect import inspect

        with self.held():
            return inspect(self._store, self.layout, self._cache, self._embedder, vectors=self.vectors)

    def _build(self, known: dict[str, IndexedFile], source: PushedSource, paths: frozenset[str]) -> None:
        Build(self.tools(patience=HASTE), known=known).run(source, region=Region(files=paths))
        self._store.sync()

    def _outcomes(self, contents: Iterable[str], same: set[str]) -> tuple[dict[str, Outcome], int]:
        left_out = {skip.path: skip for skip in self._store.skips()}
        with self._store.reader() as reader:
            outcomes = {}
            for path in contents:
                if path in left_out:
                    skip = left_out[path]
                    outcomes[path] = Outcome(
                        "skipped", 0, f"{skip.reason}: {skip.detail}" if skip.detail else skip.reason
                    )
                else:
                    status = "unchanged" if path in same else "indexed"
                    outcomes[path] = Outcome(status, len(reader.chunks_of(path)))
            return outcomes, reader.change_seq

    def _skipped_beyond(self, manifest: Mapping[str, str]) -> set[str]:
        """Files that were pushed and left out, and that the manifest does not have."""
        built = sources.kept(self._store)
        return {path for path in memory.read_skips(self._store) if path not in manifest and not built.holds(path)}

    def _compared(self, manifest: Mapping[str, str], store: WholeStore) -> Difference:
        change_seq, known = store.change_seq(), store.files()  # in this order: what came in between is not denied
        left_out = memory.read_skips(store)
        secrets, limit = secret_rules(self.config), self.config.max_file_bytes
        missing = [
            path
            for path, digest in sorted(manifest.items())
            if not (path in known and known[path].digest == digest)
            and not (path in left_out and is_left_out_again(left_out[path], digest, max_file_bytes=limit))
            and skip_by_name(path, secrets) is None
        ]
        built = sources.kept(store)  # what came from sources is not the client's to have
        extra = sorted(path for path in known.keys() - manifest.keys() if not built.holds(path))
        return Difference(missing, extra, 0, change_seq)

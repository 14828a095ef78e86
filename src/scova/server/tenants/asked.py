"""What can be asked of any project that is served, wherever it is kept: all questions of an index, how it stands, and its files.

Whoever inherits brings the parts. Writing is not its business.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING

from scova.build.memory import grammar_faults
from scova.index.questions import Questions
from scova.projects.manifest import Manifest
from scova.search.coordinator import Metrics, freshness_of
from scova.search.similar import Request, similar
from scova.server.reading.file import FileView, Wanted, file_view
from scova.server.reading.health import Standing
from scova.server.reading.remembered import Remembered
from scova.types import Answer, Census, Freshness

if TYPE_CHECKING:
    from scova.config import Config


class Asked(Questions):
    """One project, to be asked."""

    project_id: str
    address: str  # what names this project, and no other, to every process that serves it
    config: "Config"

    @property
    @abstractmethod
    def sources(self) -> Manifest:
        """Its sources, which builds bring in."""

    @property
    def job_options(self) -> Mapping[str, object]:
        """What every job of it carries, for whichever process takes it up: how it is to be opened there."""
        return {}

    def similar(self, request: Request) -> Answer:
        """Chunks nearest in meaning to a text, or to what stands at a place."""
        return self._searching().ranked(lambda view: similar(view, request))

    def standing(self) -> Standing:
        """How it stands; while it is being made ready, what the store knows of it."""
        store = self._opened()
        with store.reader() as reader:
            tally, change_seq = reader.tally(), reader.change_seq
        if self._is_begun():
            return Standing(
                tally,
                store.skips(),
                Freshness(change_seq, 0, 0, {"text": False, "symbols": False}),
                self.layout.bytes_on_disk(),
                {},
                asdict(Metrics()),
                is_ready=False,
            )
        coordinator = self._searching()
        view = coordinator.view()  # once, so that both are said of one moment
        return Standing(
            tally,
            store.skips(),
            freshness_of(view),
            self.layout.bytes_on_disk(),
            view.behind,
            asdict(coordinator.metrics),
            grammar_faults=grammar_faults(store),
        )

    def _is_begun(self) -> bool:
        """Whether it is being made ready now, so that most questions have to wait."""
        return False

    def census(self) -> Census:
        """What there is, looked at closely; once for each change at most, and while many come, of a moment ago."""
        with self._opened().reader() as reader:
            return self._census.get(reader.census, reader.change_seq)

    @cached_property
    def _census(self) -> Remembered[Census]:
        return Remembered()

    def read(self, wanted: Wanted) -> FileView:
        """Lines of a file as it is kept."""
        with self._opened().reader() as reader:
            return file_view(reader, wanted, self.skips)

    @property
    def size(self) -> tuple[int, int, int]:
        """How many files and chunks there are, and at which change."""
        with self._opened().reader() as reader:
            return reader.count_files(), reader.count(), reader.change_seq

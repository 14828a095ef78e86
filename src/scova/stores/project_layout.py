"""Where things lie in the folder of one named project: every file name is made here. The index itself lies as in any other folder.

project.json            the project and its sources
.project.lock           held while project.json is read and replaced
.build.lock             one build; held for as long as it takes
pages.db                pages that were fetched, as text, with what is needed to ask for them again
downloads/<source>.pdf  documents that were fetched whole
listings/<source>.json  the pages of a sitemap, as of the build under way
data/                   the index (layout.py)
data/checkpoints/       latest.json, and <id>.json of the last few
logs/                   build-<time>.jsonl, one a build
"""

from dataclasses import dataclass
from pathlib import Path

from scova.stores.layout import Layout

_NAMED = "named"


@dataclass(frozen=True, slots=True)
class ProjectLayout:
    """The names inside one project's folder."""

    root: Path

    @property
    def manifest(self) -> Path:
        return self.root / "project.json"

    @property
    def manifest_lock(self) -> Path:
        return self.root / ".project.lock"

    @property
    def build_lock(self) -> Path:
        return self.root / ".build.lock"

    @property
    def pages_db(self) -> Path:
        return self.root / "pages.db"

    @property
    def data(self) -> Layout:
        return Layout(self.root / "data")

    @property
    def checkpoints(self) -> Path:
        return self.root / "data" / "checkpoints"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    def download(self, source_id: str) -> Path:
        """A document that was fetched whole."""
        return self.root / "downloads" / f"{source_id}.pdf"

    def validators(self, source_id: str) -> Path:
        """What to say when it is asked for again."""
        return self.download(source_id).with_suffix(".json")

    def listing(self, source_id: str) -> Path:
        """The pages of a source."""
        return self.root / "listings" / f"{source_id}.json"


def project_layout(cache: Path, name: str) -> ProjectLayout:
    """Where a project lies in a user's cache."""
    return ProjectLayout(cache / _NAMED / name)


def project_names(cache: Path) -> list[str]:
    """Every project in a user's cache, in order."""
    return sorted(path.parent.name for path in (cache / _NAMED).glob("*/project.json"))

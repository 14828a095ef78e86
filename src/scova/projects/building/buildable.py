"""What a build needs of a project, beside what its feeds do."""

from typing import Protocol

from scova.projects.building.checkpoints import Checkpoints
from scova.projects.works import Works


class Buildable(Works, Protocol):
    """One project, with how far its builds are."""

    def checkpoints(self) -> Checkpoints:
        """How far its builds are."""
        ...

    def said(self, error: Exception) -> str:
        """What is told of an error that a source met."""
        ...

"""A project on a server, asked as if it were here: questions go over HTTP, and answers come back as the values they were there."""

from scova.remote.afar import Afar
from scova.remote.builds import Builds
from scova.remote.project import Project

__all__ = ["Afar", "Builds", "Project"]

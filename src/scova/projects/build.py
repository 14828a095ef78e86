"""`project_build`: one slice of a build of a project of this user, by its name."""

import time
from collections.abc import Callable

from scova.projects.building.options import BuildOptions
from scova.projects.building.result import BuildResult
from scova.projects.building.run import build_slice
from scova.projects.building.watching import Clock, Told, Watcher, never, nobody
from scova.projects.feeds.opening import AllFeeds
from scova.projects.library import Library


def project_build(
    project_id: str,
    options: BuildOptions | None = None,
    *,
    tell: Callable[[Told], None] = nobody,
    stop: Callable[[], bool] = never,
    clock: Clock = time.monotonic,
) -> BuildResult:
    """Build one slice. `stop` is asked often: a build that is stopped has written down how far it is.

    Raises IndexBusy, naming the other, while another build of the project is under way.
    """
    options = options or BuildOptions()
    with Library.open(project_id, embedding_batch_size=options.chunk_options.embedding_batch_size) as library:
        return build_slice(library, AllFeeds, options, Watcher(tell, stop, clock))

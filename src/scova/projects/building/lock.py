"""One build of a project at a time, on one machine."""

from scova.errors import IndexBusy
from scova.lock import writer_lock
from scova.stores.project_layout import ProjectLayout


class building:  # noqa: N801 - used as `with building(...)`
    """Hold the lock of a project's build; a second one hears who has it."""

    def __init__(self, layout: ProjectLayout, name: str) -> None:
        self._lock = writer_lock(layout.build_lock)
        self._name = name

    def __enter__(self) -> None:
        try:
            self._lock.__enter__()
        except IndexBusy as busy:
            who = busy.message.partition(": ")[2]
            raise IndexBusy(
                f"project `{self._name}` is being built by {who}",
                "wait for it; `scova project status` tells how far it is",
            ) from busy

    def __exit__(self, *exception: object) -> None:
        self._lock.__exit__(None, None, None)

"""What an answer lacks, told with it. Knows every kind of answer by its fields only."""

from typing import Any, ClassVar, Protocol, TypeVar

from scova.core.deadline import Deadline
from scova.record import names_of, replace


class Cuttable(Protocol):
    """An answer of any kind: a record that says what it lacks."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def cut(self) -> tuple[str, ...]: ...


Answered = TypeVar("Answered", bound=Cuttable)


def with_cuts(found: Answered, deadline: Deadline) -> Answered:
    """The answer with what its deadline cut off. Of such an answer it is not known that there is no more, or nothing."""
    if not deadline.cuts:
        return found
    said: dict[str, object] = {"cut": (*found.cut, *deadline.cuts)}
    if "nothing_relevant" in names_of(type(found)):  # ranked: `truncated` says that there is a next page
        said["nothing_relevant"] = False
    elif "truncated" in names_of(type(found)):
        said["truncated"] = True
    return replace(found, **said)

"""What ranking may ask of an index, beyond the candidates it is given."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from scova.search.asked.evidence import Wanted
from scova.types import Ties


class Known(NamedTuple):
    """What the index knows beyond the candidates."""

    wanted: Wanted  # the words of the question, by how much each tells here
    ties: Callable[[Sequence[str]], Sequence[Ties]]  # which names files define and use

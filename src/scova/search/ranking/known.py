"""What ranking may ask of an index, beyond the candidates it is given."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from scova.types import Ties


class Known(NamedTuple):
    """What the index knows beyond the candidates."""

    rarity: Callable[[str], float]  # how much a term tells
    ties: Callable[[Sequence[str]], Sequence[Ties]]  # which names files define and use

"""Which names a file defines and which it uses, each as one column: what files have to do with each other can be told from these.

Names are 32-bit hashes, ascending, four bytes each, little-endian. Two names that share a hash tie two files that have nothing to
do with each other; among the few files that are compared at a time this does not happen in practice, and would cost a place at most.
"""

from array import array
from collections.abc import Iterable
from itertools import chain
from re import compile as pattern
from sys import byteorder
from zlib import crc32

from scova.types import Binding, Ties

_SHORTEST = 3  # letters: `i`, `x` and `id` are everywhere
_SEPARATORS = pattern(r"[./:]+")


def packed_ties(defined: Iterable[str], called: Iterable[str], bindings: Iterable[Binding]) -> tuple[bytes, bytes]:
    """The columns `defines` and `uses` of a file. What it uses of its own is left out."""
    own = _hashes(defined)
    bound = chain.from_iterable((one.name, _SEPARATORS.split(one.target)[-1], one.member) for one in bindings)
    return _packed(own), _packed(_hashes(chain(called, bound)) - own)


def unpacked_ties(defines: bytes | None, uses: bytes | None) -> Ties:
    """What `packed_ties` wrote."""
    return Ties(_unpacked(defines), _unpacked(uses))


def _hashes(names: Iterable[str]) -> set[int]:
    return {crc32(name.encode()) for name in names if len(name) >= _SHORTEST}


def _packed(hashes: Iterable[int]) -> bytes:
    return _in_order(array("I", sorted(hashes))).tobytes()


def _unpacked(column: bytes | None) -> frozenset[int]:
    found = array("I")
    found.frombytes(column or b"")
    return frozenset(_in_order(found))


def _in_order(hashes: "array[int]") -> "array[int]":
    if byteorder == "big":
        hashes.byteswap()
    return hashes

"""How a vector is kept so that a flipped bit shows: followed by the CRC-32 of its key and itself."""

import zlib

from scova.types import Vector


def sealed(key: bytes, vector: Vector) -> bytes:
    """The vector with its checksum."""
    return vector + zlib.crc32(vector, zlib.crc32(key)).to_bytes(4, "little")


def is_sound(key: object, kept: object) -> bool:
    """Whether this is a vector as it was sealed under this key."""
    return isinstance(key, bytes) and isinstance(kept, bytes) and sealed(key, kept[:-4]) == kept

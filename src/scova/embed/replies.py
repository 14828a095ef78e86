"""What an endpoint's reply says: checked, and its numbers turned into vectors as scova keeps them.

A vector is scaled so that its largest component is 127 and rounded to int8, as the shipped model does it; zeros stay zeros.
Refuses whatever is not exactly one vector of finite numbers for each text, all of one width: a wrong vector would be kept
for good, and be found for the wrong questions. Knows no network.
"""

import json
import struct
from math import isfinite
from typing import Any, NamedTuple

from scova.errors import EmbedderError
from scova.types import Vector

_HINT = "the endpoint does not speak as OpenAI's embeddings do; check `embedder` and `embedder_model`"


class Embedded(NamedTuple):
    """Vectors in the order of the texts; how wide they are; what the endpoint says they cost, None when it does not."""

    vectors: list[Vector]
    width: int
    tokens: int | None


def read_reply(body: bytes, count: int) -> Embedded:
    """The vectors of `count` texts. EmbedderError when the reply is anything else."""
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _wrong("it is not JSON") from error
    data = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(data, list):
        raise _wrong("it has no `data`")
    if len(data) != count:
        raise _wrong(f"it has {len(data)} vectors for {count} texts")
    vectors = [scaled(numbers) for numbers in _in_order(data)]
    widths = sorted({len(vector) for vector in vectors})
    if len(widths) != 1 or not widths[0]:
        raise _wrong(f"its vectors have {' and '.join(map(str, widths))} components")
    return Embedded(vectors, widths[0], _tokens(reply))


def scaled(numbers: Any) -> Vector:
    """Finite numbers as a vector."""
    if not isinstance(numbers, list) or not all(type(number) in (float, int) for number in numbers):
        raise _wrong("a vector is not a list of numbers")
    try:
        are_finite = all(map(isfinite, numbers))
    except OverflowError:  # a whole number may have any number of digits
        are_finite = False
    if not are_finite:
        raise _wrong("a vector has numbers that are not finite")
    largest = max(map(abs, numbers), default=0.0)
    if not largest:
        return bytes(len(numbers))
    # Divided first: a product might leave the range of numbers, and a quotient of tiny ones too.
    return struct.pack(f"{len(numbers)}b", *(round(number / largest * 127.0) for number in numbers))


def _in_order(data: list[Any]) -> list[Any]:
    """The vectors by the numbers they carry; as they come when they carry none."""
    if not all(isinstance(one, dict) and "embedding" in one for one in data):
        raise _wrong("an entry has no `embedding`")
    numbers = [one.get("index") for one in data]
    if all(number is None for number in numbers):
        return [one["embedding"] for one in data]
    by_number = {number: one["embedding"] for number, one in zip(numbers, data, strict=True) if type(number) is int}
    if by_number.keys() != set(range(len(data))):
        raise _wrong("its entries are not numbered from 0 on, each once")
    return [by_number[number] for number in range(len(data))]


def _tokens(reply: dict[str, Any]) -> int | None:
    usage = reply.get("usage")
    if isinstance(usage, dict):
        for name in ("total_tokens", "prompt_tokens"):
            if type(usage.get(name)) is int and usage[name] > 0:
                return int(usage[name])
    return None


def _wrong(why: str) -> EmbedderError:
    return EmbedderError(f"the reply of the embedding endpoint cannot be used: {why}", _HINT)

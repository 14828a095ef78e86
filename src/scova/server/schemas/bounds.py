"""How many values a request may hold, by its form. Knows forms and bytes, and no request.

A value is an entry of a list or of an object. Values are counted in the bytes of a body, before anything is made of them: a value of three
bytes takes a hundred and more once it is read, and an error about it a thousand.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

# As far as the next sign that begins one more value; what stands in texts is passed over. Never looked at twice.
_VALUE = rb'(?:[^",\[{]++|"(?:[^"\\]++|\\.)*+")*+[,\[{]'


def holds_more_than(body: bytes, values: int) -> bool:
    """Whether there are more values in a JSON text. Takes time in proportion to its length, and no memory."""
    return re.compile(rb"(?:%s){%d}+" % (_VALUE, values + 1), re.DOTALL).match(body) is not None


@cache
def most_values(model: type[BaseModel]) -> int:
    """As many values as a valid request of this form can hold."""
    schema = model.model_json_schema()
    return _most(schema, schema.get("$defs", {}))


def _most(schema: Mapping[str, Any], named: Mapping[str, Any]) -> int:
    """The values of one part, itself among them."""
    if "$ref" in schema:
        return _most(named[schema["$ref"].rpartition("/")[2]], named)
    if "anyOf" in schema:
        return max(_most(part, named) for part in schema["anyOf"])
    if schema.get("type") == "array":
        return 1 + int(schema["maxItems"]) * _most(schema["items"], named)
    if isinstance(of := schema.get("additionalProperties"), Mapping):
        return 1 + int(schema["maxProperties"]) * _most(of, named)
    return 1 + sum(_most(part, named) for part in schema.get("properties", {}).values())

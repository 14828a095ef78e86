"""What a tool takes: each parameter declared once, as a JSON schema for the agent and as a check of what it sends.

Every wrong argument gets an answer that says how to put it right. Knows no tool.
"""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from scova.errors import UsageError

_TYPES: dict[str, Any] = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
LONGEST = 10_000  # characters of a word
MOST_WORDS = 1000  # in an array: each is held against every file
_SHOWN = 100  # characters of a name that there is not


class Parameter(NamedTuple):
    """One argument of a tool. Required when it has no default."""

    name: str
    type: str  # as JSON has it; an `array` is one of strings, an `object` has `fields`
    about: str
    default: Any = None
    required: bool = False
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()
    fields: "tuple[Parameter, ...]" = ()

    def schema(self) -> dict[str, Any]:
        """The parameter in words of JSON Schema."""
        if self.type == "object":
            return schema(self.fields)
        found: dict[str, Any] = {"type": self.type}
        if self.about:
            found["description"] = self.about
        if self.type == "array":
            found["items"] = {"type": "string"}
        if self.choices:
            found["enum"] = list(self.choices)
        if self.most:
            found |= {"minimum": self.least, "maximum": self.most}
        if self.default not in (None, "", False, ()):
            found["default"] = self.default
        return found

    def checked(self, value: Any) -> Any:
        """The value, if it is one; otherwise UsageError says what is wanted."""
        if not isinstance(value, _TYPES[self.type]) or (self.type == "integer" and isinstance(value, bool)):
            raise _wrong(self, f"must be {_a(self.type)}, not {_a(_type_of(value))}")
        if self.type == "object":
            return checked(self.fields, value)
        if self.type == "array" and len(value) > MOST_WORDS:
            raise _wrong(self, f"must have at most {MOST_WORDS} entries")
        if self.type == "array":
            return tuple(self._replace(type="string").checked(one) for one in value)
        if isinstance(value, str) and ("\0" in value or len(value) > LONGEST):
            raise _wrong(self, f"must be text without zero bytes, of at most {LONGEST} characters")
        if self.choices and value not in self.choices:
            raise _wrong(self, f"must be one of {', '.join(self.choices)}")
        if self.most and not self.least <= value <= self.most:
            raise _wrong(self, f"must be between {self.least} and {self.most}")
        return value


class Arguments(dict[str, Any]):
    """What was sent, checked, with defaults for what was not."""


def schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    found: dict[str, Any] = {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "additionalProperties": False,
    }
    if required := [parameter.name for parameter in parameters if parameter.required]:
        found["required"] = required
    return found


def checked(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> Arguments:
    """The arguments of a call; UsageError for the first that is unknown, missing or wrong."""
    known = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in known:
            near = get_close_matches(name[:_SHOWN], known, 1)  # comparing costs memory by the length
            hint = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(known)}"
            raise UsageError(f"there is no argument `{name[:_SHOWN]}`", hint)
    found = Arguments()
    for name, parameter in known.items():
        if given.get(name) is not None:
            found[name] = parameter.checked(given[name])
        elif parameter.required:
            raise UsageError(f"the argument `{name}` is missing", f"`{name}`: {parameter.about}")
        else:
            found[name] = parameter.default
    return found


def _wrong(parameter: Parameter, what: str) -> UsageError:
    told = parameter.about or f"leave it out for {json.dumps(parameter.default)}"
    return UsageError(f"`{parameter.name}` {what}", f"`{parameter.name}`: {told}")


def _type_of(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _a(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"

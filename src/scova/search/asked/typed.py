"""What a person typed, piece by piece: words, quotes and operators, each with how it is wanted.

Responsible for where a piece begins and ends, for signs, and for AND, OR and NOT: these are taken away, and their neighbours
marked instead. It refuses to know what a word means, and which values an operator takes.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from scova.errors import QueryError
from scova.search.asked.operators import OPERATORS

_TOKEN = re.compile(r'(?P<sign>[+-]?)(?P<name>[A-Za-z]+:)?"(?P<quoted>[^"]*)(?P<close>"?)|(?P<plain>\S+)')
_OPERATOR = re.compile(r"(?P<sign>[+-]?)(?P<name>[A-Za-z]+):(?P<value>.*)", re.DOTALL)
_JOINTS = ("AND", "OR", "NOT")
_LISTED = "Leave the OR out; for several values, list them: lang:go,python"


class Token(NamedTuple):
    """One piece of the query. `how` is "", "+", "-" or "|"; `position` counts characters from 1."""

    value: str
    position: int
    how: str = ""
    operator: str = ""
    quoted: bool = False
    group: int = 0  # of OR, when how is "|"


def typed(text: str) -> list[Token]:
    """Every piece of a query. QueryError where a quote is never closed, or AND, OR or NOT have nothing to join."""
    result: list[Token] = []
    pending: Token | None = None
    for token in _tokens(text):
        if _is_joint(token):
            _refuse_stray(token, result, pending)
            if pending is not None:  # AND before NOT
                _demand_last(result)
            pending = token
        elif pending is None:
            result.append(token)
        else:
            result.append(_marked(token, pending, result))
            pending = None
    if pending is not None:
        raise _stray(pending, "nothing comes after it")
    return result


def _tokens(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        position = match.start() + 1
        if match["plain"] is not None:
            yield _plain(match["plain"], position)
        elif not match["close"]:
            raise QueryError(f"the quote at character {position} is never closed", 'Add the second " or leave it out.')
        elif match["name"] and match["name"][:-1].lower() not in OPERATORS:
            yield Token(match["name"] + match["quoted"], position, match["sign"])
        else:
            operator = (match["name"] or "")[:-1].lower()
            yield Token(match["quoted"], position, match["sign"], operator, quoted=True)


def _plain(value: str, position: int) -> Token:
    operator = _OPERATOR.fullmatch(value) if ":" in value else None
    if operator and operator["name"].lower() in OPERATORS:
        return Token(operator["value"], position, operator["sign"], operator["name"].lower())
    if len(value) > 1 and value[0] in "+-" and (value[1].isalnum() or value[1] in "_*"):
        return Token(value[1:], position, value[0])
    return Token(value, position)


def _is_joint(token: Token) -> bool:
    return token.value in _JOINTS and not (token.quoted or token.operator or token.how)


def _marked(token: Token, joint: Token, before: list[Token]) -> Token:
    """The token as the operator before it wants it; what stands before the operator is marked too."""
    if joint.value == "NOT":
        return token._replace(how="-")
    if joint.value == "AND":
        _demand_last(before)
        return token if token.operator or token.how == "-" else token._replace(how="+")
    if token.operator:
        raise _stray(joint, f"{token.operator}: holds for the whole query", _LISTED)
    if "-" in (token.how, before[-1].how):
        raise _stray(joint, "what must not be there cannot be one of several", "Leave the OR out, or ask twice.")
    if before[-1].how != "|":
        before[-1] = before[-1]._replace(how="|", group=joint.position)
    return token._replace(how="|", group=before[-1].group)


def _demand_last(before: list[Token]) -> None:
    """Mark what stands before an AND; a filter holds anyway."""
    if not (before[-1].how or before[-1].operator):
        before[-1] = before[-1]._replace(how="+")


def _refuse_stray(token: Token, before: list[Token], pending: Token | None) -> None:
    if pending is not None and not (pending.value == "AND" and token.value == "NOT"):
        raise _stray(token, f"it follows {pending.value}")
    if token.value != "NOT" and not before:
        raise _stray(token, "nothing to join comes before it")
    if token.value == "OR" and before[-1].operator:
        raise _stray(token, f"{before[-1].operator}: holds for the whole query", _LISTED)


def _stray(token: Token, why: str, hint: str = "") -> QueryError:
    return QueryError(
        f"{token.value} at character {token.position} cannot be read: {why}",
        hint or f'Write the word in lower case or in quotes to search for "{token.value.lower()}" itself.',
    )

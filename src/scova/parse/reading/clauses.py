"""One definition written in several pieces: a signature and its equations, several heads for several patterns.

A query marks such pieces with @clause; where none is marked nothing changes. Knows how pieces follow each other, and
nothing of any one language.
"""

from scova.parse.reading.records import Definition


def without_clauses(definitions: list[Definition]) -> list[Definition]:
    """The same, in the order of the text, with every clause that continues one taken into that one."""
    if not any(definition.clause for definition in definitions):
        return definitions
    kept: list[Definition] = []
    around: list[Definition] = []
    latest: dict[int, Definition] = {}  # by where the enclosing definition starts: what stood in it last
    for definition in definitions:
        while around and around[-1].end <= definition.start:
            around.pop()
        place = around[-1].start if around else -1
        before = latest.get(place)
        if before and _continues(before, definition):
            before.end, before.end_row = definition.end, definition.end_row
            around.append(before)
            continue
        kept.append(definition)
        latest[place] = definition
        around.append(definition)
    return kept


def _continues(before: Definition, definition: Definition) -> bool:
    """Whether both are clauses of one thing. A clause with words of its own (a doc, a specification) begins another."""
    return (
        (before.clause and definition.clause)
        and (before.name, before.kind) == (definition.name, definition.kind)
        and before.end <= definition.start
        and not (definition.doc or definition.decorators)
    )

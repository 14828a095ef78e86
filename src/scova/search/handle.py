"""Where an answer ended, as a word that can be passed back to go on."""

import re
from dataclasses import dataclass

from scova.errors import QueryError

_FORM = re.compile(r"c(\d{1,18})-(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Handle:
    """So many results were shown, at this change of the index."""

    change_seq: int
    offset: int

    def __str__(self) -> str:
        return f"c{self.change_seq}-{self.offset}"

    @classmethod
    def read(cls, text: str) -> "Handle":
        """What `str` gave; QueryError for anything else."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise QueryError(
                f"`{text}` is no handle of an earlier answer", "pass back the `next` of an answer as it is"
            )
        return cls(int(match[1]), int(match[2]))

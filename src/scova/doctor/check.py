"""What a check says. Knows no check."""

from typing import NamedTuple

OK, WARN, FAIL = "ok", "warn", "fail"


class Check(NamedTuple):
    """One thing that was looked at: `ok`, `warn` (it works, but not as well as it could) or `fail`; `hint` says what to do."""

    name: str
    state: str
    message: str
    hint: str = ""

"""Which definition each call of a Python project reached while its own tests ran: a pytest plugin.

    PYTHONPATH=bench/structure/oracles CALLS_ROOT=ROOT CALLS_OUT=FILE python -m pytest -p recorded_calls ...

Run it in ROOT, in an environment that has the project's test requirements. Writes the JSON of jedi_calls.py, with one
site for each call that ran: `inside` with the definitions that were reached under the name the call uses (a class for
its constructor; the decorated function behind its decorator's wrapper), `other` where only code of another name was
reached (a callback, an alias, `__str__` for `str`). `overridden` are the definitions of the same method in classes above:
what a declaration may have promised. Calls of built-in code and calls that leave the project are not recorded.
`await f()` and `for x in f()` start the body of f later than the call; they are told by the range of the expression
that starts it.
"""

import json
import os
import sys
import threading
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

from pysites import CallSite, call_sites, definitions, python_files

ROOT = Path(os.environ["CALLS_ROOT"]).resolve()
_PREFIX = f"{ROOT}{os.sep}"
# The code that began, the class made when it is a constructor, and the class of its first argument when it is a method.
Reached = tuple[CodeType, str, type | None]
_reached: dict[tuple[CodeType, int], set[Reached]] = {}
_through: dict[tuple[CodeType, int], set[Reached]] = {}  # what was reached by what was reached: decorators' wrappers
_BUILDERS = ("__init__", "__new__", "__post_init__")


def _profile(frame: FrameType, event: str, _argument: object) -> None:
    if event != "call":
        return
    code, back = frame.f_code, frame.f_back
    if back is None or not code.co_filename.startswith(_PREFIX) or not back.f_code.co_filename.startswith(_PREFIX):
        return
    made, holder = "", None
    if code.co_argcount:
        first = frame.f_locals.get(code.co_varnames[0])
        kind = first if isinstance(first, type) else type(first)
        made = _class(kind) if code.co_name in _BUILDERS else ""
        holder = kind if hasattr(kind, code.co_name) else None
    reached = (code, made, holder)
    _reached.setdefault((back.f_code, back.f_lasti), set()).add(reached)
    around = back.f_back
    if around is not None and around.f_code.co_filename.startswith(_PREFIX):
        _through.setdefault((around.f_code, around.f_lasti), set()).add(reached)


def _class(kind: type) -> str:
    """File and qualified name of a class. A project may rename `__module__`, so its functions are asked first."""
    codes = (getattr(value, "__code__", None) for value in vars(kind).values())
    files = (code.co_filename for code in codes if code is not None and code.co_filename.startswith(_PREFIX))
    file = next(files, "") or getattr(sys.modules.get(kind.__module__), "__file__", "")
    return f"{file}\n{kind.__qualname__}"


def pytest_sessionstart() -> None:
    threading.setprofile(_profile)
    sys.setprofile(_profile)


def pytest_sessionfinish() -> None:
    sys.setprofile(None)
    threading.setprofile(None)  # type: ignore[arg-type]
    out = Path(os.environ["CALLS_OUT"])
    out.parent.mkdir(parents=True, exist_ok=True)
    about = {"oracle": f"calls recorded by Python {sys.version.split()[0]}", "places": len(_reached)}
    out.write_text(json.dumps({"about": about, "sites": sites()}))


def sites() -> list[dict[str, object]]:
    """What was recorded, by call site."""
    known = {path: {site.whole: site for site in call_sites(ROOT, path)} for path in python_files(ROOT)}
    lines = {path: definitions(ROOT, path) for path in known}
    merged: dict[CallSite, dict[str, set[tuple[str, int]]]] = {}
    for (caller, instruction), reached in _reached.items():
        where = next(islice(caller.co_positions(), instruction // 2, None), None)
        site = _site_at(where, known.get(_relative(caller.co_filename), {}))
        if site is None:
            continue
        found = merged.setdefault(site, {"same": set(), "other": set(), "overridden": set()})
        direct = [(one, *_target(one, site.name, lines)) for one in reached]
        if not any(name == site.name for _, name, _ in direct):
            behind = [(one, *_target(one, site.name, lines)) for one in _through.get((caller, instruction), ())]
            direct += [one for one in behind if one[1] == site.name]
        for one, name, target in direct:
            if target:
                found["same" if name == site.name else "other"].add(target)
                found["overridden"].update(_overridden(one, lines))
    return [_said(site, found) for site, found in sorted(merged.items())]


def _overridden(reached: Reached, lines: dict[str, dict[str, int]]) -> list[tuple[str, int]]:
    """Where the classes above define the method that was reached: what the caller may have meant by its declaration."""
    code, _, holder = reached
    found = []
    for kind in holder.__mro__ if holder else ():
        value = vars(kind).get(code.co_name)
        inner = getattr(value, "__wrapped__", None) or getattr(value, "__func__", None) or value
        above = getattr(inner, "__code__", None)
        if above is not None and above is not code and above.co_filename.startswith(_PREFIX):
            path = _relative(above.co_filename)
            if line := lines.get(path, {}).get(above.co_qualname):
                found.append((path, line))
    return found


def _said(site: CallSite, found: dict[str, set[tuple[str, int]]]) -> dict[str, object]:
    said = {"path": site.path, "line": site.line, "name": site.name, "verdict": "inside" if found["same"] else "other"}
    targets = found["same"] or found["other"]
    return {**said, "targets": sorted(targets), "overridden": sorted(found["overridden"] - targets), "detail": ""}


def _site_at(where: tuple[int | None, ...] | None, known: dict[tuple[int, int, int, int], CallSite]) -> CallSite | None:
    """The call at a range, or in `await CALL`, whose range begins before and ends with it."""
    if where is None or None in where:
        return None
    first, last, column, end = where  # type: ignore[misc]
    exact = known.get((first, last, column, end))  # type: ignore[arg-type]
    if exact:
        return exact
    behind = column + len("await ")  # type: ignore[operator]
    return known.get((first, last, behind, end))  # type: ignore[arg-type]


def _relative(path: str) -> str:
    return path.removeprefix(_PREFIX).replace(os.sep, "/")


def _target(reached: Reached, called: str, lines: dict[str, dict[str, int]]) -> tuple[str, tuple[str, int] | None]:
    """Name and place of what was reached: the class where a constructor was called by the name of its class."""
    code, made, _ = reached
    if made and called not in _BUILDERS:
        file, qualified = made.split("\n")
        path = _relative(file)
        if qualified not in lines.get(path, {}):
            holders = [one for one, names in lines.items() if qualified in names]
            path = holders[0] if len(holders) == 1 else ""
        line = lines.get(path, {}).get(qualified)
        return qualified.rpartition(".")[2], (path, line) if line else None
    path = _relative(code.co_filename)
    line = lines.get(path, {}).get(code.co_qualname)
    return code.co_name, (path, line) if line else None

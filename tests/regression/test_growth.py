"""Nothing grows for as long as it runs: what was asked at one moment goes with it, at once and without the cycle collector.

Counted are objects of scova's own classes, never megabytes or seconds.
"""

import functools
import gc
import importlib
import os
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from scova import Index, tokens
from scova.search.ranking import symbols
from serving import served

WARM, CHANGES = 8, 24
BOUNDED = {"scova.search.ranking.symbols.NameIndex"}  # kept by number, whatever they are of
FEW = 4096  # of what may be remembered for good
REMEMBERING = (
    "scova.tokens",
    "scova.search.ranking.symbols",
    "scova.search.ranking.paths",
    "scova.search.structure.resolution.written",
    "scova.stores.invert",
)
PARSING = {"scova.parse.reading.typename.plain_type"}  # parsing is done by processes that end
CODE = """\
class Base:
    def run(self):
        return self.step_{number}()

    def step_{number}(self):
        return helper_{number}(self)


class Heir(Base):
    def __init__(self):
        self.base = Base()

    def go(self):
        self.base.run()
        return helper_{number}(self.run())


def helper_{number}(value):
    return value or Heir().go()
"""


@contextmanager
def without_collector():
    """Whatever only the cycle collector would free stays in this block."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def alive() -> Counter[str]:
    """How many objects of scova's own classes there are."""
    kinds = (type(one) for one in gc.get_objects())
    named = (f"{kind.__module__}.{kind.__qualname__}" for kind in kinds)
    return Counter(name for name in named if name.startswith("scova."))


def ask_everything(index: Index, number: int) -> None:
    """One question of each kind."""
    helper = f"helper_{number}"
    for mode in ("hybrid", "text", "vector", "symbol", "regex"):
        index.search(helper, mode=mode)
    index.search("who runs the heir* lang:python")
    index.grep(helper)
    assert index.definitions(helper).definitions
    index.outline()
    assert index.callers(helper).roots[0].nodes
    assert index.callees("Heir.go").roots[0].nodes
    index.usages(helper)
    index.context(helper)
    index.files()
    index.status()
    index.keep_up()


def grown(before: Counter[str], after: Counter[str], times: int) -> dict[str, int]:
    """What there is more of, by about one for each of so many times or by more."""
    return {
        name: after[name] - before[name] for name in after.keys() - BOUNDED if after[name] - before[name] >= times // 2
    }


def test_changes_with_questions_of_every_kind_after_each_leave_nothing_behind(tmp_path: Path):
    root = tmp_path / "tree"
    root.mkdir()
    for name in ("one", "two", "three"):
        (root / f"{name}.py").write_text(CODE.format(number=0))
    with Index.open(root) as index:
        index.refresh()

        def change(number: int) -> None:
            (root / "one.py").write_text(CODE.format(number=number))
            index.update(["one.py"])
            ask_everything(index, number)

        for number in range(WARM):
            change(number)
        with without_collector():
            before = alive()
            for number in range(WARM, WARM + CHANGES):
                change(number)
            assert grown(before, alive(), CHANGES) == {}


def test_a_closed_index_leaves_nothing_behind(tmp_path: Path):
    root = tmp_path / "tree"
    root.mkdir()
    (root / "one.py").write_text(CODE.format(number=0))

    def visit() -> None:
        with Index.open(root) as index:
            index.refresh()
            ask_everything(index, 0)

    visit()
    with without_collector():
        before = alive()
        for _ in range(CHANGES):
            visit()
        assert grown(before, alive(), CHANGES) == {}


def open_files(name: str) -> int:
    """How often this process has a file of this name open."""
    found = 0
    for one in Path("/proc/self/fd").iterdir():
        try:
            found += os.readlink(one).endswith(name)
        except FileNotFoundError:  # the descriptor of the look itself
            continue
    return found


def test_projects_of_a_server_that_are_closed_or_deleted_leave_nothing_behind(tmp_path: Path):
    """Forty in all, with six open at most: the others are closed by those that come after them."""
    contents = {"one.py": CODE.format(number=0)}
    with served(tmp_path / "data") as one:
        one.hall.tenants._most_open = 6

        def live(project: str) -> None:
            assert one.post("/projects", project_id=project).status_code in (200, 201)
            one.index(project, contents)
            for route in ("/search", "/grep"):
                query = {"query": "helper_0"} if route == "/search" else {"pattern": "helper_0"}
                assert one.post(route, project_id=project, **query).status_code == 200
            for route, more in (
                ("/callers", {}),
                ("/callers", {"direction": "callees"}),
                ("/usages", {}),
                ("/definitions", {}),
            ):
                assert one.post(route, project_id=project, name="helper_0", **more).status_code == 200
            assert one.post("/context", project_id=project, subject="helper_0").status_code == 200
            assert one.client.get(f"/projects/{project}/health").status_code == 200

        live("first")
        with without_collector():
            before, embedders, files = alive(), open_files("static.bin"), len(os.listdir("/proc/self/fd"))
            for number in range(40):
                live(f"p{number}")
            assert open_files("static.bin") <= embedders + 1
            for number in range(40):
                assert one.client.delete(f"/projects/p{number}").status_code in (200, 204)
            left = grown(before, alive(), 12)
            assert {name: count for name, count in left.items() if not name.startswith("scova.types.")} == {}
            assert len(os.listdir("/proc/self/fd")) <= files + 8


def test_whatever_remembers_many_words_names_or_paths_lets_go_of_them_all_at_once():
    """A process that lives long meets ever more of them, and calls `forget` again and again."""
    index_everything = [importlib.import_module(name) for name in REMEMBERING]
    assert index_everything
    large = [
        one
        for one in gc.get_objects()
        if isinstance(one, functools._lru_cache_wrapper)
        and str(one.__module__).startswith("scova.")
        and (one.cache_parameters()["maxsize"] or 0) > FEW
    ]
    assert len(large) >= len(REMEMBERING)
    tokens.terms("remembered_words")
    symbols.name_words("remembered_words")
    tokens.forget()
    kept = {f"{one.__module__}.{one.__qualname__}" for one in large if one.cache_info().currsize}
    assert not kept - PARSING, kept

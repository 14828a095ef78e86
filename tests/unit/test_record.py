"""Records are what frozen dataclasses with slots are, to whoever uses them."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from scova.record import field, names_of, record, replace


@record
class Point:
    """A place."""

    x: int
    y: int = 2
    note: str = field(default="", compare=False)
    marks: Mapping[str, int] = field(default_factory=dict)

    @property
    def sum(self) -> int:
        return self.x + self.y


@dataclasses.dataclass(frozen=True, slots=True)
class Twin:
    """The same, as a dataclass."""

    x: int
    y: int = 2
    note: str = dataclasses.field(default="", compare=False)
    marks: Mapping[str, int] = dataclasses.field(default_factory=dict)


@record(eq=False)
class Handle:
    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


@record(frozen=False)
class Draft:
    words: list[str] = field(default_factory=list)
    count: int = 0


@record
class Empty:
    """Nothing in it."""


class Outer:
    @record
    class Inner:
        value: int


def test_it_is_shown_compared_and_hashed_as_a_dataclass_is():
    assert repr(Point(1)) == repr(Twin(1)).replace("Twin", "Point") == "Point(x=1, y=2, note='', marks={})"
    assert Point(1, note="a") == Point(1, 2, note="b")
    assert Point(1) != Point(2)
    assert Point(1) != Twin(1)
    assert hash(Outer.Inner(3)) == hash(Outer.Inner(3))
    assert Empty() == Empty()
    assert Point.__doc__ == "A place."
    assert Point(1).sum == 3


def test_a_field_cannot_be_changed_and_no_other_can_be_added():
    point: Any = Point(1)
    for name in ("x", "other"):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(point, name, 5)
    with pytest.raises(AttributeError, match="frozen"):
        del point.x
    assert not hasattr(point, "__dict__")


@pytest.mark.parametrize(
    ("given", "named"), [((), {}), ((1, 2, "", {}, 5), {}), ((1,), {"x": 1}), ((1,), {"other": 1})]
)
def test_wrong_arguments_are_refused_as_a_dataclass_refuses_them(given, named):
    with pytest.raises(TypeError) as as_dataclass:
        Twin(*given, **named)
    with pytest.raises(TypeError) as as_record:
        Point(*given, **named)
    assert str(as_record.value) == str(as_dataclass.value).replace("Twin", "Point")


def test_a_default_that_is_made_is_made_for_each():
    first, second = Draft(), Draft()
    first.words.append("one")
    first.count += 1
    assert (second.words, second.count) == ([], 0)
    assert first != second
    with pytest.raises(TypeError, match="unhashable"):
        hash(first)


def test_without_eq_a_value_equals_itself_only_and_methods_of_its_own_stay():
    one = Handle("a")
    assert one == one
    assert one != Handle("a")
    assert len({one, Handle("a")}) == 2
    assert repr(one) == "<a>"


@pytest.mark.parametrize("value", [Point(1, 3, "n", {"a": 1}), Outer.Inner(2), Empty()])
def test_it_survives_pickling_and_copying(value):
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value
    assert copy.copy(value) == value


def test_the_functions_of_dataclasses_work_on_it():
    point = Point(1, marks={"a": 1})
    assert dataclasses.is_dataclass(point)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "note": "", "marks": {"a": 1}}
    assert dataclasses.replace(point, x=4) == Point(4, marks={"a": 1})
    assert [one.name for one in dataclasses.fields(Point)] == [one.name for one in dataclasses.fields(Twin)]
    assert [one.compare for one in dataclasses.fields(Point)] == [one.compare for one in dataclasses.fields(Twin)]


def test_replace_and_names_need_no_dataclasses():
    assert replace(Point(1), y=5) == Point(1, 5)
    assert names_of(Point) == ("x", "y", "note", "marks")
    with pytest.raises(TypeError):
        replace(Point(1), other=5)  # type: ignore[call-arg]


def test_a_field_that_is_described_without_a_default_is_refused():
    """A dataclass takes it for one that must be given; here it would quietly be None."""
    with pytest.raises(TypeError, match="needs a default"):
        field(compare=False)


def test_it_can_be_taken_apart_by_position():
    match Point(1, 7):
        case Point(x, y):
            assert (x, y) == (1, 7)


def test_making_records_loads_no_dataclasses():
    script = (
        "import sys; import scova.types, scova.answers; print('dataclasses' in sys.modules, 'inspect' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]

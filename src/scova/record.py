"""`@record`: classes of frozen values with named fields, as `@dataclass(frozen=True, slots=True)` makes them, made quickly.

Making a dataclass compiles six functions, half a millisecond, and the module that does it takes six more to load; a search needs
fifty classes before it can answer. Here the functions are written down once for all of them, but for `__init__`, which is
compiled when the first value is made. Type checkers take a record for a dataclass, and the functions of `dataclasses` work on
its values; `replace` and `names_of` are here so that they need not be loaded.

Knows nothing of what is recorded. Refuses to inherit fields, to leave one out of `__init__`, and to describe one without a default.
"""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, dataclass_transform, overload

__all__ = ["field", "names_of", "record", "replace"]

T = TypeVar("T")


class _Default(NamedTuple):
    """What a field is when nothing is given for it, and whether it counts when values are compared."""

    value: object = None
    factory: Callable[[], object] | None = None  # makes one for each
    compare: bool = True


if TYPE_CHECKING:  # so that defaults and changes are checked against the fields
    from dataclasses import field, replace
else:

    def field(
        *, default: object = ..., default_factory: Callable[[], object] | None = None, compare: bool = True
    ) -> _Default:
        """A default that is made anew for each value, or a field that does not count when values are compared."""
        if default is ... and default_factory is None:
            raise TypeError("a field that is described needs a default")
        return _Default(default, default_factory, compare)

    def replace(value: T, /, **changes: object) -> T:
        """This record with some fields changed."""
        cls = type(value)
        return cls(**dict(zip(names_of(cls), _values_of(cls)(value), strict=True), **changes))


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(*, frozen: bool = True, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(
    cls: type[T] | None = None, /, *, frozen: bool = True, eq: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """This class with a field for each annotation. Without `eq` a value is equal to itself only."""
    if cls is None:
        return lambda cls: _made(cls, frozen, eq)
    return _made(cls, frozen, eq)


def names_of(cls: type) -> tuple[str, ...]:
    """The names of the fields of a record, in order."""
    names: tuple[str, ...] = cls.__match_args__  # type: ignore[attr-defined]  # every record has it
    return names


@cache
def _values_of(cls: type) -> Callable[[object], tuple[object, ...]]:
    """What gives the fields of a record, in order."""
    names = names_of(cls)
    return attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)


def _made(cls: type[T], frozen: bool, eq: bool) -> type[T]:
    """The class made anew: slots cannot be given to one that is there, and a default must not lie where its slot is to be."""
    body = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
    names = tuple(body.get("__annotations__", ()))
    given = {name: body.pop(name) for name in names if name in body}
    defaults = {name: one if isinstance(one, _Default) else _Default(one) for name, one in given.items()}
    compared = tuple(name for name in names if name not in defaults or defaults[name].compare)
    methods = _SHOWN | (_FROZEN if frozen else {}) | (_comparing(compared, frozen) if eq else {})
    fixed = {"__slots__": names, "__match_args__": names, "__dataclass_fields__": _Fields(defaults)}
    kind: Any = type(cls)
    made = kind(cls.__name__, cls.__bases__, methods | body | fixed)
    made.__qualname__ = cls.__qualname__

    def first(self: object, *values: object, **named: object) -> None:
        made.__init__ = _initialiser(made, defaults)
        made.__init__(self, *values, **named)

    made.__init__ = first
    return made  # type: ignore[no-any-return]


def _initialiser(cls: type, defaults: dict[str, _Default]) -> Callable[..., None]:
    """The function that takes a value for each field, by position or by name, and puts it into its slot."""
    scope: dict[str, Any] = {"_missing": (missing := object())}
    parameters, lines = ["self"], ["pass"]
    for name in names_of(cls):
        scope[f"_set_{name}"] = cls.__dict__[name].__set__
        value = name
        if default := defaults.get(name):
            scope[f"_default_{name}"] = missing if default.factory else default.value
            scope[f"_make_{name}"] = default.factory
            value = f"_make_{name}() if {name} is _missing else {name}" if default.factory else name
        parameters.append(f"{name}=_default_{name}" if default else name)
        lines.append(f"_set_{name}(self, {value})")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), scope)
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _comparing(names: tuple[str, ...], frozen: bool) -> dict[str, object]:
    values: Callable[[object], object] = attrgetter(*names) if names else lambda value: ()

    def is_equal(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(values(self))

    return {"__eq__": is_equal, "__hash__": hashed if frozen else None}


def _refuse(self: object, name: str, value: object = None) -> None:
    raise AttributeError(f"a `{self.__class__.__name__}` is frozen: `{name}` cannot be changed")


def _reduced(self: object) -> tuple[type, tuple[object, ...]]:
    return self.__class__, tuple(getattr(self, name) for name in names_of(self.__class__))


def _shown(self: object) -> str:
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names_of(self.__class__))
    return f"{self.__class__.__qualname__}({fields})"


_SHOWN: dict[str, object] = {"__repr__": _shown}
_FROZEN: dict[str, object] = {
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__reduce__": _reduced,  # pickled and copied by `__init__`, since nothing else may set a field
}


class _Fields:
    """What the functions of `dataclasses` ask a class for, made when they do."""

    def __init__(self, defaults: dict[str, _Default]) -> None:
        self._defaults = defaults
        self._made: dict[str, Any] | None = None

    def __get__(self, value: object, cls: type) -> dict[str, Any]:
        if self._made is None:
            self._made = self._described(cls)
        return self._made

    def _described(self, cls: type) -> dict[str, Any]:
        import dataclasses

        def described(name: str) -> Any:
            if (default := self._defaults.get(name)) is None:
                return dataclasses.field()
            factory = default.factory or (lambda: default.value)
            return dataclasses.field(default_factory=factory, compare=default.compare)

        fields = [(name, kind, described(name)) for name, kind in cls.__annotations__.items()]
        return {one.name: one for one in dataclasses.fields(dataclasses.make_dataclass(cls.__name__, fields))}

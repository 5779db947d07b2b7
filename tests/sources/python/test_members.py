"""Exposed methods, for each kind of class."""

# ruff: noqa: E501 - a table reads best with a row on a line

import abc
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, NamedTuple, Protocol, TypeVar

import pytest
from pydantic import BaseModel

from pyfunctools.errors import DefinitionError
from pyfunctools.record.function import Skipped
from pyfunctools.sources.python.decorators import function
from pyfunctools.sources.python.members import Member, exposed_members
from pyfunctools.sources.python.reader import read_object

T = TypeVar("T")


def names(obj: object, *, everything: bool = False, inherited: bool = False) -> list[str]:
    found = exposed_members(obj, everything=everything, inherited=inherited)
    return [each.name for each in found if isinstance(each, Member)]


def skipped(obj: object, *, inherited: bool = False) -> dict[str, str]:
    found = exposed_members(obj, everything=False, inherited=inherited)
    return {each.where: each.reason for each in found if isinstance(each, Skipped)}


def outside(self: object, x: int) -> int:
    return x


def careless(method: Callable[..., int]) -> Callable[..., int]:
    def wrapper(*args: object, **kwargs: object) -> int:
        return method(*args, **kwargs)

    return wrapper


def careful(method: Callable[..., int]) -> Callable[..., int]:
    @functools.wraps(method)
    def wrapper(*args: object, **kwargs: object) -> int:
        return method(*args, **kwargs)

    return wrapper


class Explodes:
    """A descriptor that must not be asked."""

    def __get__(self, obj: object, owner: type | None = None) -> object:
        raise AssertionError("a descriptor was evaluated")


class LazyProperty:
    """The usual home-made cached property."""

    def __init__(self, method: Callable[..., object]) -> None:
        self.method = method
        functools.update_wrapper(self, method)

    def __get__(self, obj: object, owner: type | None = None) -> object:
        raise AssertionError("a lazy property was evaluated")


class Traced:
    """A decorator that is an object, and binds as a function does."""

    def __init__(self, method: Callable[..., int]) -> None:
        self.method = method
        functools.update_wrapper(self, method)

    def __call__(self, *args: object, **kwargs: object) -> int:
        return self.method(*args, **kwargs)

    def __get__(self, obj: object, owner: type | None = None) -> object:
        return functools.partial(self, obj)


class Plain:
    def a(self) -> None: ...

    def b(self) -> None: ...


class Marked:
    @function
    def a(self) -> None: ...

    def b(self) -> None: ...


class Ordered:
    @function
    def z(self) -> None: ...

    @function
    def a(self) -> None: ...

    @function
    def m(self) -> None: ...


class Underscored:
    def a(self) -> None: ...

    def _x(self) -> None: ...

    def __y(self) -> None: ...

    def __call__(self) -> None: ...

    def __len__(self) -> None: ...


class MarkedUnderscored:
    @function
    def a(self) -> None: ...

    @function
    def _x(self) -> None: ...

    @function(name="x")
    def _named(self) -> None: ...


class Properties:
    def a(self) -> None: ...

    @property
    def value(self) -> int:
        raise AssertionError("a property was evaluated")

    @functools.cached_property
    def cached(self) -> int:
        raise AssertionError("a cached property was evaluated")

    @LazyProperty
    def lazy(self) -> None: ...

    exploding = Explodes()


class MarkedProperties:
    @function
    def a(self) -> None: ...

    @property
    @function
    def value(self) -> int:
        raise AssertionError("a property was evaluated")

    @functools.cached_property
    @function
    def cached(self) -> int:
        raise AssertionError("a cached property was evaluated")


class Attributes:
    partial = functools.partial(int, base=2)
    partial_method = functools.partialmethod(outside, 1)
    lambda_ = lambda self: 1  # noqa: E731
    built_in = len
    kind = int
    assigned = outside
    number = 3

    class Nested:
        def inner(self) -> None: ...

    def a(self) -> None: ...


class Static:
    @staticmethod
    def plain_static() -> int:
        return 1

    @classmethod
    def plain_class(cls) -> int:
        return 1

    @function
    @staticmethod
    def static_over() -> int:
        return 1

    @staticmethod
    @function
    def static_under() -> int:
        return 1

    @function
    @classmethod
    def class_over(cls) -> int:
        return 1

    @classmethod
    @function
    def class_under(cls) -> int:
        return 1


class Base:
    @function
    def inherited(self) -> None: ...

    @function
    def overridden(self) -> None: ...

    def plain(self) -> None: ...

    def delete(self) -> None: ...


class Derived(Base):
    @function
    def own(self) -> None: ...

    def overridden(self) -> None: ...


class Remarked(Base):
    @function
    def overridden(self) -> None: ...


class Diamond(Derived, Remarked):
    pass


class Wrapped:
    @function
    @careful
    def over(self) -> int:
        return 1

    @careful
    @function
    def under(self) -> int:
        return 1

    @functools.lru_cache  # noqa: B019
    def cached(self) -> int:
        return 1

    @careful
    def plain(self) -> int:
        return 1

    @careless
    def loose(self) -> int:
        return 1

    @Traced
    def traced(self) -> int:
        return 1


class Meta(type):
    def on_meta(cls) -> None: ...

    def __getattr__(cls, name: str) -> object:
        raise AssertionError("an attribute of the class was asked for")


class WithMeta(metaclass=Meta):
    def a(self) -> None: ...


class Magic:
    def __getattr__(self, name: str) -> object:
        raise AssertionError("an attribute of the object was asked for")

    def __getattribute__(self, name: str) -> object:
        raise AssertionError("an attribute of the object was asked for")

    def __dir__(self) -> list[str]:
        raise AssertionError("the object was asked what it has")

    @function
    def a(self) -> None: ...


class Slots:
    __slots__ = ("size",)

    def a(self) -> None: ...


@dataclass(slots=True)
class Data:
    size: int = 1
    tags: list[str] = field(default_factory=list[str])

    def a(self) -> None: ...


class Model(BaseModel):
    size: int = 1

    def a(self) -> None: ...

    @property
    def b(self) -> int:
        raise AssertionError("a property was evaluated")


class Tuple(NamedTuple):
    size: int = 1

    def a(self) -> None: ...


class Colour(Enum):
    RED = 1

    def a(self) -> None: ...


class Box(Generic[T]):
    def a(self, x: T) -> T:
        return x


class Port(Protocol):
    def a(self) -> int: ...


class Implements(Port):
    def b(self) -> None: ...


class Abstract(abc.ABC):
    @function
    @abc.abstractmethod
    def a(self) -> int: ...


class Concrete(Abstract):
    @function
    def a(self) -> None: ...


class Dict(dict[str, int]):
    def a(self) -> None: ...


class Async:
    @function
    async def a(self) -> None: ...

    @function
    def b(self) -> None: ...

    @function
    async def c(self) -> None: ...


class Aliased:
    def a(self) -> None: ...

    b = a


class OnInstance:
    def __init__(self) -> None:
        self.callback = outside
        self.a = outside

    @function
    def real(self) -> None: ...


class Empty:
    pass


class Hidden:
    a: Callable[[], int]

    def _a(self) -> None: ...


Dynamic = type("Dynamic", (), {"assigned": outside, "marked": function(lambda self: 1)})


def local() -> object:
    def helper(self: object) -> None: ...

    class Local:
        assigned = helper

        def a(self) -> None: ...

        @careless
        def loose(self) -> None: ...

    return Local()


SHAPES: list[tuple[str, object, bool, bool, list[str]]] = [
    ("marked only", Marked(), False, False, ["a"]),
    ("marked, everything", Marked(), True, False, ["a", "b"]),
    ("nothing marked", Plain(), False, False, []),
    ("everything", Plain(), True, False, ["a", "b"]),
    ("in the order of the class body", Ordered(), False, False, ["z", "a", "m"]),
    ("underscores", Underscored(), True, False, ["a"]),
    ("marked underscores", MarkedUnderscored(), False, False, ["a"]),
    ("properties", Properties(), True, False, ["a"]),
    ("marked properties", MarkedProperties(), True, False, ["a"]),
    ("callable attributes", Attributes(), True, False, ["a"]),
    ("static and class methods, marked", Static(), False, False, ["static_over", "static_under", "class_over", "class_under"]),
    ("static and class methods, everything", Static(), True, False, ["plain_static", "plain_class", "static_over", "static_under", "class_over", "class_under"]),
    ("static and class methods, of the class", Static, False, False, ["static_over", "static_under", "class_over", "class_under"]),
    ("inherited, off", Derived(), False, False, ["own", "inherited"]),
    ("inherited, on", Derived(), False, True, ["own", "inherited"]),
    ("inherited, everything, off", Derived(), True, False, ["own", "overridden", "inherited"]),
    ("inherited, everything, on", Derived(), True, True, ["own", "overridden", "inherited", "plain", "delete"]),
    ("marked again", Remarked(), False, False, ["overridden", "inherited"]),
    ("marked again, inherited", Remarked(), False, True, ["overridden", "inherited"]),
    ("a diamond, off", Diamond(), False, False, ["own", "inherited"]),
    ("a diamond, on", Diamond(), False, True, ["own", "inherited"]),
    ("wrapped, marked", Wrapped(), False, False, ["over", "under"]),
    ("wrapped, everything", Wrapped(), True, False, ["over", "under", "cached", "plain", "loose", "traced"]),
    ("a metaclass", WithMeta(), True, False, ["a"]),
    ("magic attributes", Magic(), False, False, ["a"]),
    ("slots", Slots(), True, False, ["a"]),
    ("a dataclass", Data(), True, False, ["a"]),
    ("a model", Model(), True, False, ["a"]),
    ("a named tuple", Tuple(), True, False, ["a"]),
    ("an enumeration", Colour.RED, True, False, ["a"]),
    ("a generic class", Box(), True, True, ["a"]),
    ("a protocol's class, off", Implements(), True, False, ["b"]),
    ("a protocol's class, on", Implements(), True, True, ["b", "a"]),
    ("an abstract class's class", Concrete(), False, True, ["a"]),
    ("a built-in class's class", Dict(), True, True, ["a"]),
    ("asynchronous and generators", Async(), False, False, ["a", "b", "c"]),
    ("an alias", Aliased(), True, False, ["a", "b"]),
    ("attributes of the instance", OnInstance(), True, False, ["real"]),
    ("an empty class", Empty(), True, True, []),
    ("nothing public", Hidden(), True, False, []),
    ("a class made at run time", Dynamic(), True, False, ["marked"]),
    ("a local class", local(), True, False, ["a", "loose"]),
    ("a built-in object", 3, True, True, []),
    ("a function", outside, True, False, []),
    ("nothing", None, True, True, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("obj", "everything", "inherited", "expected"),
    [shape[1:] for shape in SHAPES],
    ids=[shape[0] for shape in SHAPES],
)
def test_exactly_these_methods_are_exposed(
    obj: object, everything: bool, inherited: bool, expected: list[str]
) -> None:
    assert names(obj, everything=everything, inherited=inherited) == expected


def test_a_mark_without_effect_is_reported_with_the_reason() -> None:
    assert skipped(MarkedUnderscored()) == {
        "MarkedUnderscored._x": "Its name begins with an underscore.",
        "MarkedUnderscored._named": "Its name begins with an underscore.",
    }
    assert skipped(MarkedProperties()) == {
        "MarkedProperties.value": "It is a property.",
        "MarkedProperties.cached": "It is a property.",
    }


def test_a_mark_in_a_base_class_without_effect_is_reported() -> None:
    for inherited in (False, True):
        assert skipped(Derived(), inherited=inherited) == {
            "Derived.overridden": "A method of Derived without the mark overrides it."
        }


def test_a_marked_attribute_that_is_not_a_method_is_reported() -> None:
    class Shop:
        move = function(functools.partial(int, base=2))

    assert skipped(Shop()) == {"Shop.move": "It is a callable attribute of Shop, not a method."}


def test_a_method_that_goes_by_a_type_is_reported() -> None:
    class Shop:
        @function
        @functools.singledispatchmethod
        def marked(self, item: int) -> None: ...

        @functools.singledispatchmethod
        @function
        def inside(self, item: int) -> None: ...

    assert [*skipped(Shop())] == ["Shop.marked", "Shop.inside"]
    assert all("takes a union of its types" in each for each in skipped(Shop()).values())


def test_an_instance_method_of_a_class_itself_is_an_error() -> None:
    with pytest.raises(DefinitionError, match=r"Marked\.a: .*Pass an instance, such as `Marked\("):
        names(Marked)
    assert names(Plain, everything=True) == []
    with pytest.raises(DefinitionError, match=r"pass `Plain\(\.\.\.\)`"):
        read_object(Plain, all=True)


def test_methods_are_bound_as_python_binds_them() -> None:
    obj = Static()
    called = {
        each.name: each.called()
        for each in exposed_members(obj, everything=False, inherited=False)
        if isinstance(each, Member)
    }
    assert called == {"static_over": 1, "static_under": 1, "class_over": 1, "class_under": 1}


@pytest.mark.parametrize("wrong", [list[int], dict, 7, Iterator[int]])
def test_what_has_no_methods_of_the_users_is_refused(wrong: object) -> None:
    with pytest.raises(DefinitionError, match="Pass an instance of your class"):
        read_object(wrong)

"""Which methods of an object a model may call. Runs nothing of the object's own code."""

from collections.abc import Callable, Iterator
from functools import cached_property
from types import FunctionType, MethodType
from typing import NamedTuple, cast

from pyfunctools.errors import DefinitionError
from pyfunctools.record.function import Skipped
from pyfunctools.sources.python.decorators import Marks, marks_of
from pyfunctools.sources.python.hint_scope import class_of, function_behind, inside, is_a


class Member(NamedTuple):
    """One method to expose: its name, the class it is defined in, and itself, bound."""

    name: str
    owner: type
    called: Callable[..., object]
    marks: Marks | None


def members_of(obj: object, *, everything: bool, inherited: bool) -> Iterator[Member | Skipped]:
    """Return the methods of an object that are exposed, and those that are not, with why.

    Exposed are those marked `@function`; with `everything` also each public method that is defined
    in the class body, static and class methods too; with `inherited` those of base classes, where
    nothing overrides them. Of a class given itself only static and class methods can be. Told are
    marked ones, and with `everything` whatever else is public and can be called.

    Raises:
        DefinitionError: an instance method of a class that was given itself.
    """
    cls = class_of(obj)
    exposed: dict[str, bool] = {}
    for owner in cls.__mro__[:-1]:  # the last one is `object`
        for name, raw in list(vars(owner).items()):
            marks = _marks_of(raw)
            if marks is None and not (everything and _is_defined_in(owner, raw)):
                if everything and name not in exposed and _could_be_meant(owner, name, raw):
                    yield _skipped(cls, name, _never(owner, name, raw) or _ELSEWHERE)
                exposed.setdefault(name, False)
            elif name not in exposed:
                found = _member(obj, owner, name, raw, marks, inherited, everything)
                exposed[name] = isinstance(found, Member)
                if found is not None:
                    yield found
            elif marks is not None and inherited and not exposed[name]:
                yield _skipped(
                    cls, name, f"A method of {cls.__name__} without the mark is before it."
                )


def _member(
    obj: object,
    owner: type,
    name: str,
    raw: object,
    marks: Marks | None,
    inherited: bool,
    everything: bool,
) -> Member | Skipped | None:
    cls = class_of(obj)
    reason = _never(owner, name, raw)
    if reason is None and owner is not cls and not inherited:
        reason = f"It is inherited from {owner.__name__}; pass `inherited=True`."
    if reason is not None:
        is_told = marks is not None or (everything and not name.startswith("_"))
        return _skipped(cls, name, reason) if is_told else None
    inner = cast("Callable[..., object]", _method(raw))
    if is_a(raw, staticmethod):
        return Member(name=name, owner=owner, called=inner, marks=marks)
    if is_a(raw, classmethod):
        return Member(name=name, owner=owner, called=MethodType(inner, cls), marks=marks)
    if is_a(obj, type) and marks is None:
        return _skipped(cls, name, f"It needs an instance: pass `{cls.__name__}(...)`.")
    if is_a(obj, type):
        raise DefinitionError(
            f"{cls.__name__}.{name}",
            "This is a method of instances, and the class itself was given.",
            f"Pass an instance, such as `{cls.__name__}(...)`.",
        )
    return Member(name=name, owner=owner, called=MethodType(inner, obj), marks=marks)


def _never(owner: type, name: str, raw: object) -> str | None:
    """Return the reason why this is never exposed, or `None`."""
    if name.startswith("_"):
        return "Its name begins with an underscore."
    if is_a(raw, property) or is_a(raw, cached_property):
        return "It is a property."
    if not _is_method(_method(raw)):
        return f"It is an attribute of {owner.__name__} that is callable, and no method."
    return None


def _is_method(inner: object) -> bool:
    """Return whether this becomes a method: a function, or a decorator's object around one."""
    if is_a(inner, FunctionType):
        return True
    kinds = [vars(kind) for kind in type(inner).__mro__]
    binds = all(any(name in kind for kind in kinds) for name in ("__get__", "__call__"))
    return binds and function_behind(inner) is not None


def _is_defined_in(owner: type, raw: object) -> bool:
    """Return whether this is a method that the class body defines.

    A function from elsewhere that was only assigned is an attribute, and so is a lambda; a wrapper
    that a decorator made without `functools.wraps` is a method.
    """
    raw = _method(raw)
    if not _is_method(raw):
        return False
    function = raw if is_a(raw, FunctionType) else function_behind(raw)
    if function is None or function.__name__ == "<lambda>":
        return False
    around, _, _ = function.__qualname__.rpartition(".")
    if around == owner.__qualname__:
        return True
    return around.endswith("<locals>") and around != owner.__qualname__.rpartition(".")[0]


_ELSEWHERE = "It is not defined in the class: mark it with `@function`."


def _could_be_meant(owner: type, name: str, raw: object) -> bool:
    """Return whether somebody may miss this among all public methods: what can be called."""
    if name.startswith("_") or is_a(raw, type):
        return False
    if issubclass(type(raw), property | cached_property):
        return True
    return callable(_method(raw))


def _marks_of(raw: object) -> Marks | None:
    if is_a(raw, property):
        return marks_of(raw.fget)
    if is_a(raw, cached_property):
        return marks_of(cast("object", raw.func))  # pyright: ignore[reportUnknownMemberType]
    return None if is_a(raw, type) else marks_of(raw)


def _method(raw: object) -> object:
    return inside(raw) if issubclass(type(raw), staticmethod | classmethod) else raw


def _skipped(cls: type, name: str, reason: str) -> Skipped:
    return Skipped(where=f"{cls.__name__}.{name}", reason=reason)

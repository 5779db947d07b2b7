"""The methods of an object that are exposed as functions, and marks that an override drops.

Reading runs no code of the object.
"""

import builtins
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial, partialmethod, singledispatchmethod
from inspect import CO_VARARGS, Parameter
from types import FunctionType, MethodType
from typing import NamedTuple, cast, get_args, get_origin

from pyfunctools.errors import DefinitionError
from pyfunctools.record.function import Skipped
from pyfunctools.sources.python.callable_signature import hints_of, injection_mark
from pyfunctools.sources.python.decorators import Marks, marks_of
from pyfunctools.sources.python.hint_scope import class_of, function_behind, is_a, wrapped_by
from pyfunctools.sources.python.markers import mark_in


class Member(NamedTuple):
    """One callable to expose: its name, the class that defines it, the callable, its settings."""

    name: str
    owner: type | None
    called: Callable[..., object]
    marks: Marks | None


def exposed_members(
    obj: object, *, everything: bool, inherited: bool
) -> Iterator[Member | Skipped]:
    """Yield the exposed methods of an object, and the skipped ones with the reason.

    Methods marked `@function` are exposed, inherited ones too; with `everything` also every public
    method that the class body defines, static and class methods included; with `inherited` also
    those of base classes that no subclass overrides. A class itself exposes only static and class
    methods. Marked methods that cannot be exposed are reported as skipped, with `everything` also
    other public attributes that can be called.

    Raises:
        DefinitionError: a marked instance method of a class that was passed itself.
    """
    cls = class_of(obj)
    is_exposed: dict[str, bool] = {}
    for owner in cls.__mro__[:-1]:  # the last one is `object`
        for name, raw in list(vars(owner).items()):
            marks = marks_of(raw)
            if name in is_exposed:  # overridden
                if marks is not None and not is_exposed[name]:
                    reason = f"A method of {cls.__name__} without the mark overrides it."
                    yield Skipped(where=f"{cls.__name__}.{name}", reason=reason)
                continue
            is_exposed[name] = False
            if marks is None and not everything:
                continue
            reason = _reason_to_skip(owner, name, raw)
            if reason is None and marks is None:
                reason = _reason_unmarked(obj, owner, raw, inherited)
            if reason is None:
                is_exposed[name] = True
                yield Member(name, owner, _bound(obj, cls, name, raw), marks)
            elif marks is not None or _is_public_callable(name, raw):
                yield Skipped(where=f"{cls.__name__}.{name}", reason=reason)


def _bound(obj: object, cls: type, name: str, raw: object) -> Callable[..., object]:
    if is_a(raw, partialmethod):
        return partial(_bound(obj, cls, name, raw.func), *raw.args, **raw.keywords)
    method = cast("Callable[..., object]", _without_binding(raw))
    if method is not raw:
        return method if is_a(raw, staticmethod) else MethodType(method, cls)
    if is_a(obj, type):
        reason = "This is an instance method, and the class itself was passed."
        remedy = f"Pass an instance, such as `{cls.__name__}(...)`."
        raise DefinitionError(f"{cls.__name__}.{name}", reason, remedy)
    if type(method) is FunctionType:
        _check_self(cls, method)
    return MethodType(method, obj)


def _check_self(cls: type, method: FunctionType) -> None:
    """Refuse a method whose author forgot `self`: the instance would become an argument."""
    code = method.__code__
    if code.co_argcount:
        first = code.co_varnames[0]
        hint = method.__annotations__.get(first)
        if isinstance(hint, str):
            hint = vars(builtins).get(hint.partition("[")[0])
        kind = get_origin(hint) or hint
        is_other = first != "self" and is_a(kind, type) and kind not in cls.__mro__
    else:
        is_other = not code.co_flags & CO_VARARGS
    if is_other:
        remedy = "Write `self` before the others, or `@staticmethod` over it."
        where = f"{cls.__name__}.{method.__name__}"
        raise DefinitionError(where, "Its first parameter is not `self`.", remedy)


def _reason_to_skip(owner: type, name: str, raw: object) -> str | None:
    """Return why an attribute can never be exposed, or `None` for a public method."""
    if name.startswith("_"):
        return "Its name begins with an underscore."
    if issubclass(type(raw), (property, cached_property)):
        return "It is a property."
    if is_a(raw, singledispatchmethod):
        return "It is a `singledispatchmethod`: write a method that takes a union of its types."
    if not _is_method(_without_binding(raw)):
        return f"It is a callable attribute of {owner.__name__}, not a method."
    return None


def _is_method(value: object) -> bool:
    """Return whether this becomes a method: a function, or a decorator's object around one."""
    if type(value) is FunctionType or is_a(value, partialmethod):
        return True
    names = {name for kind in type(value).__mro__ for name in vars(kind)}
    return {"__get__", "__call__"} <= names and function_behind(value) is not None


def _reason_unmarked(obj: object, owner: type, raw: object, inherited: bool) -> str | None:
    """Return why an unmarked method is not exposed, `None` if it is.

    A function defined elsewhere and assigned in the class body is an attribute, and so is a lambda;
    the wrapper of a decorator without `functools.wraps` is a method.
    """
    method, cls = _without_binding(raw), class_of(obj)
    function = method if type(method) is FunctionType else function_behind(method)
    scope = "" if function is None else function.__qualname__.rpartition(".")[0]
    is_wrapper = scope.endswith("<locals>") and scope != owner.__qualname__.rpartition(".")[0]
    is_named = function is not None and function.__name__ != "<lambda>"
    if not is_named or not (is_wrapper or scope == owner.__qualname__):
        return "It is not defined in the class: mark it with `@function`."
    if owner is not cls and not inherited:
        return f"It is inherited from {owner.__name__}; pass `inherited=True`."
    if is_a(obj, type) and method is raw:
        return f"It needs an instance: pass `{cls.__name__}(...)`."
    return None


def _is_public_callable(name: str, raw: object) -> bool:
    if name.startswith("_") or is_a(raw, type):
        return False
    kinds = (property, cached_property, singledispatchmethod)
    return issubclass(type(raw), kinds) or callable(_without_binding(raw))


def _without_binding(raw: object) -> object:
    return wrapped_by(raw) if issubclass(type(raw), (staticmethod, classmethod)) else raw


def overridden(member: Member) -> list[tuple[type, object]]:
    """Return the definitions that a method overrides, with their classes, nearest first."""
    owner, called = member.owner, member.called
    if owner is None:
        return []
    bound = class_of(called.__self__) if isinstance(called, MethodType) else owner
    mro = bound.__mro__ if owner in bound.__mro__ else owner.__mro__
    bases = mro[mro.index(owner) + 1 : -1]  # the last one is `object`
    return [(base, vars(base)[member.name]) for base in bases if member.name in vars(base)]


def check_override(
    member: Member, where: str, marks: Marks, replaced: Iterable[tuple[type, object]]
) -> None:
    """Refuse a method that drops a mark of a definition that it overrides.

    Raises:
        DefinitionError: it drops `confirm=True`, or the mark of a parameter.
    """
    for base, raw in replaced:
        overrides = f"It overrides `{base.__name__}.{member.name}`"
        theirs = marks_of(raw) or Marks()
        if theirs.traits.get("confirm") is True and "confirm" not in marks.traits:
            reason = f"{overrides}, which a person approves, and drops `confirm=True`."
            raise DefinitionError(where, reason, "Write `@function(confirm=...)` over it.")
        marked = [name for name, is_marked in _marked(raw, base).items() if is_marked]
        kept = _marked(member.called, member.owner) if marked else {}
        for name in marked:
            if not kept.get(name, "**" not in kept):
                reason = f"{overrides}, where it is marked, and drops the mark: the model sets it."
                remedy = "Write the mark of the overridden method again."
                raise DefinitionError(f"{where}({name})", reason, remedy)


def _marked(raw: object, owner: type | None) -> dict[str, bool]:
    """Return for each parameter of a method whether a person or the program gives a part of it.

    `**kwargs` has the name `**`.
    """
    try:
        found = hints_of(raw if isinstance(raw, MethodType) else function_behind(raw), owner)
    except (TypeError, ValueError):  # no function, or one without a signature
        return {}
    return {
        "**" if each.kind is Parameter.VAR_KEYWORD else name: _is_marked(found.hints[name])
        for name, each in found.parameters.items()
    }


def _is_marked(hint: object) -> bool:
    if injection_mark(hint) is not None:
        return True
    from pyfunctools.sources.python.core_schema import read_core  # imports pydantic

    try:
        return bool(read_core(hint)[0].marked)
    except Exception:  # a hint that has no schema is an error where it is exposed
        return mark_in(hint) is not None or any(map(_is_marked, get_args(hint)))

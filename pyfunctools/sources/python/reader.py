"""Python objects and callables into functions. Reading runs nothing of an object's own code."""

import builtins
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from inspect import CO_VARARGS, getattr_static
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, NamedTuple, cast, get_origin

from pyfunctools._json import JsonSchema
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, SchemaError
from pyfunctools.record.function import NAME, Function, Skipped
from pyfunctools.record.origin import Method
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.separation.predicates import IsHuman, check_predicate, is_human_by_default
from pyfunctools.sources.python.binding import read_handler
from pyfunctools.sources.python.decorators import Marks, marks_of
from pyfunctools.sources.python.docstrings import Docs, own_docs, read_docstring
from pyfunctools.sources.python.hint_scope import class_of, function_behind, inside, is_a

if TYPE_CHECKING:  # loaded when the schemas of a function are first asked for
    from pyfunctools.record.contract import Contract


def functions_of_object(
    obj: object,
    *,
    all: bool = False,  # noqa: A002 - the word of `Controller.from_object`
    inherited: bool = False,
    is_human: IsHuman | None = is_human_by_default,
) -> tuple[Function, ...]:
    """Return the functions of an object: the methods marked `@function`, in their order.

    With `all` each public method that the class body defines is one, static and class methods too,
    with `inherited` base classes count as well. Of a class given itself only static and class
    methods can be. Names with a leading underscore, properties and attributes that are merely
    callable never are.

    Raises:
        DefinitionError: nothing is exposed, two functions have one name, or a method cannot become
            a function.
    """
    cls = class_of(obj)
    found = list(members_of(obj, everything=all, inherited=inherited))
    members = [each for each in found if isinstance(each, Member)]
    if not members:
        raise _nothing(obj, cls, [each for each in found if isinstance(each, Skipped)])
    functions: dict[str, Function] = {}
    owners: dict[str, str] = {}
    for each in members:
        where = f"{cls.__name__}.{each.name}"
        made = _function(each.called, each.name, where, each.owner, each.marks, is_human)
        if made.name in functions:
            raise DefinitionError(
                where,
                f"{owners[made.name]} is called {made.name!r} too.",
                "Give one of them another name: `@function(name=...)`.",
            )
        functions[made.name] = made
        owners[made.name] = where
    return tuple(functions.values())


def skipped_of_object(
    obj: object,
    *,
    all: bool = False,  # noqa: A002 - as above
    inherited: bool = False,
) -> tuple[Skipped, ...]:
    """Return the methods that are marked, or with `all` public, and still no functions, with why.

    Raises:
        DefinitionError: an instance method of a class that was given itself.
    """
    found = members_of(obj, everything=all, inherited=inherited)
    return tuple(each for each in found if isinstance(each, Skipped))


def function_of(
    called: Callable[..., object], *, is_human: IsHuman | None = is_human_by_default
) -> Function:
    """Return one function from one callable: a function, a bound method, a `functools.partial`.

    An object with `__call__` is one too, by its class's name. What `@function` was told counts.

    Raises:
        DefinitionError: it cannot become a function: it is a class, a lambda or an unbound method,
            say.
    """
    check_predicate(is_human)
    behind = function_behind(called)
    if is_a(called, type) or not callable(called):
        raise DefinitionError(
            repr(called),
            "This is not a function.",
            "Pass a function or a bound method; for an object, `Controller.from_object`.",
        )
    name = _name_of(called, behind)
    if name == "<lambda>":
        raise DefinitionError(
            name, "A lambda has neither a name nor hints.", "Write a function with `def`."
        )
    if isinstance(called, FunctionType) and _is_unbound(called):
        raise DefinitionError(
            _short(called.__qualname__),
            "This is a method of instances, and no instance was given.",
            "Take it from an instance, such as `Shop().buy`.",
        )
    where = _short(getattr(called, "__qualname__", name))
    return _function(called, name, where, _owner_of(called), marks_of(called), is_human)


def description_of(obj: object) -> str:
    """Return the summary and body of the docstring of an object's class."""
    return own_docs(class_of(obj)).text


def _function(
    called: Callable[..., object],
    attribute: str,
    where: str,
    owner: type | None,
    marks: Marks | None,
    is_human: IsHuman | None,
) -> Function:
    marks = marks or Marks()
    name = marks.name or attribute
    if not NAME.fullmatch(name):
        raise DefinitionError(
            where,
            f"No model's vendor accepts {name!r} as a name.",
            "Give it another: `@function(name=...)`, a letter or `_`, then up to 63 letters, "
            "digits, `_` or `-`.",
        )
    docs = _docs_of(called, attribute, owner)
    handler, parameters, output = read_handler(
        called,
        where,
        docs,
        owner=owner,
        enclosing=marks.enclosing,
        # Whose a field is that a predicate of somebody else's asks about, is not known here.
        renames=is_human is None or is_human is is_human_by_default,
    )
    behind = function_behind(called)
    function = Function(
        name=name,
        description=docs.text if marks.description is None else marks.description,
        origin=Method(
            qualname=where if behind is None else behind.__qualname__, is_async=handler.is_async
        ),
        _contract=_contract_of(where, (parameters, output), is_human, handler.arguments.sets),
        _handler=handler,
    )
    return replace(function, **marks.traits)  # pyright: ignore[reportArgumentType]


_Both = tuple[JsonSchema, JsonSchema | None]
"""The schemas of what is taken and of what comes back."""


def _contract_of(
    where: str, written: _Both, is_human: IsHuman | None, sets: bool
) -> "Lazy[Contract]":
    parameters, output = written
    try:
        normalized = normalize(parameters), None if output is None else normalize(output)
    except SchemaError as error:  # a class may write its own schema, and anything into it
        raise DefinitionError(
            where, f"Its hints have a schema that is none: {error}.", "See `json_schema_extra`."
        ) from error
    return Lazy(partial(_contract, written, normalized, is_human, sets))


def _contract(
    written: _Both, normalized: _Both, is_human: IsHuman | None, sets: bool
) -> "Contract":
    from pyfunctools.record.contract import Contract, schema_notes

    notes = partial(schema_notes, *written)
    return Contract.of(*normalized, is_human, notes, sets=sets, hinted=True)


def _docs_of(called: Callable[..., object], attribute: str, owner: type | None) -> Docs:
    """Return the parts of the docstring, or else of that of the method it overrides."""
    behind = function_behind(called)
    over = owner.__mro__[1:] if owner is not None else ()
    overridden = (function_behind(vars(base).get(attribute)) for base in over)
    for function in (called, getattr(called, "__func__", None), behind, *overridden):
        if isinstance(function, FunctionType) and isinstance(function.__doc__, str):
            return read_docstring(function.__doc__)
    return own_docs(type(called)) if _is_object(called, behind) else Docs()


def _is_object(called: object, behind: FunctionType | None) -> bool:
    """Return whether this is an object that is called by its class's `__call__`."""
    return behind is not None and getattr_static(type(called), "__call__", None) is behind


def _name_of(called: object, behind: FunctionType | None) -> str:
    if _is_object(called, behind):
        return type(called).__name__
    named = called if behind is None else behind
    return getattr(named, "__name__", type(called).__name__)


def _owner_of(called: object) -> type | None:
    """Return the class that a method, or an object's `__call__`, is defined in."""
    if isinstance(called, partial):
        return _owner_of(cast("object", called.func))  # pyright: ignore[reportUnknownMemberType]
    bound = called.__self__ if isinstance(called, MethodType) else called
    if isinstance(bound, FunctionType):
        return None
    cls = class_of(bound)
    name = getattr(called, "__name__", "__call__")
    return next((base for base in cls.__mro__ if name in vars(base)), None)


def _is_unbound(function: FunctionType) -> bool:
    first = function.__code__.co_varnames[: function.__code__.co_argcount][:1]
    in_class = "." in _short(function.__qualname__)
    return in_class and first in (("self",), ("cls",)) and first[0] not in function.__annotations__


def _short(qualname: str) -> str:
    return qualname.rpartition("<locals>.")[2]


def _nothing(obj: object, cls: type, skipped: list[Skipped]) -> DefinitionError:
    if is_a(obj, FunctionType, MethodType, ModuleType):
        return DefinitionError(
            repr(obj),
            "This object has no methods.",
            "Use `Controller.from_functions([...])`.",
        )
    if cls.__module__ == "builtins":
        return DefinitionError(
            "from_object",
            f"This must be an object with methods of yours, not `{cls.__name__}`.",
            "Pass an instance of your class, such as `Shop()`, with methods marked `@function`; "
            "with `all=True` every public one counts.",
        )
    because = " ".join(f"{each.where}: {each.reason}" for each in skipped)
    return DefinitionError(
        cls.__name__,
        "Nothing in it is exposed." + (f" {because}" if because else ""),
        "Mark its methods with `@function`, or pass `all=True` for every public one.",
    )


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
    if is_a(inner, FunctionType):
        _check_self(cls, inner)
    return Member(name=name, owner=owner, called=MethodType(inner, obj), marks=marks)


def _check_self(cls: type, method: FunctionType) -> None:
    """Refuse a method whose author forgot `self`: an argument would be the instance.

    Raises:
        DefinitionError: nothing takes the instance, or the hint of what does is of another class.
    """
    code = method.__code__
    if code.co_argcount:
        first = code.co_varnames[0]
        hint = method.__annotations__.get(first)
        if isinstance(hint, str):
            hint = vars(builtins).get(hint.partition("[")[0])
        kind = get_origin(hint) or hint
        is_other = is_a(kind, type) and kind not in cls.__mro__
        if first == "self" or not is_other or getattr(kind, "_is_protocol", False):
            return
    elif code.co_flags & CO_VARARGS:
        return
    raise DefinitionError(
        f"{cls.__name__}.{method.__name__}",
        "Its first parameter is not `self`.",
        "Write `self` before the others, or `@staticmethod` over it.",
    )


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

"""Python objects and callables as functions. Reading runs no code of an object."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from inspect import getattr_static
from itertools import chain
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, NamedTuple, cast

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
from pyfunctools.sources.python.hint_scope import class_of, function_behind, is_a, wrapped_by
from pyfunctools.sources.python.members import Member, exposed_members

if TYPE_CHECKING:  # loaded when the schemas of a function are first read
    from pyfunctools.record.contract import Contract


class ObjectReading(NamedTuple):
    """The functions of an object, the skipped methods, and the description of its class."""

    functions: tuple[Function, ...]
    skipped: tuple[Skipped, ...]
    description: str


def read_object(
    obj: object,
    *,
    all: bool = False,  # noqa: A002 - the word of `Controller.from_object`
    inherited: bool = False,
    is_human: IsHuman | None = is_human_by_default,
) -> ObjectReading:
    """Return the functions of an object: the methods marked `@function`, in their order.

    With `all`, every public method in the class body becomes a function, static and class methods
    too; with `inherited`, methods of base classes as well. A class itself has only its static and
    class methods. Names with a leading underscore, properties and callable attributes are left out.

    Raises:
        DefinitionError: nothing is exposed, two functions have one name, or a method cannot become
            a function.
    """
    cls = class_of(obj)
    found = list(exposed_members(obj, everything=all, inherited=inherited))
    members = [each for each in found if isinstance(each, Member)]
    skipped = tuple(each for each in found if isinstance(each, Skipped))
    if not members:
        raise _nothing_exposed(obj, cls, skipped)
    functions: dict[str, tuple[Function, str]] = {}
    for member in members:
        where = f"{cls.__name__}.{member.name}"
        function = _function(member, where, _docs_of(member), is_human)
        if function.name in functions:
            raise DefinitionError(
                where,
                f"{functions[function.name][1]} is called {function.name!r} too.",
                "Give one of them another name: `@function(name=...)`.",
            )
        functions[function.name] = function, where
    description = own_docs(cls).text
    return ObjectReading(tuple(each for each, _ in functions.values()), skipped, description)


def function_of(
    called: Callable[..., object], *, is_human: IsHuman | None = is_human_by_default
) -> Function:
    """Return one function from one callable: a function, a bound method, a `functools.partial`.

    An object with `__call__` is accepted too, and gets the name of its class. Settings of
    `@function` apply.

    Raises:
        DefinitionError: it cannot become a function, for example because it is a class, a lambda or
            an unbound method.
    """
    check_predicate(is_human)
    behind = function_behind(called)
    if is_a(called, type) or not callable(called):
        raise DefinitionError(
            repr(called),
            "This is not a function.",
            "Pass a function or a bound method; for an object, `Controller.from_object`.",
        )
    is_object = behind is not None and getattr_static(type(called), "__call__", None) is behind
    named = type(called) if is_object else called if behind is None else behind
    name = getattr(named, "__name__", type(called).__name__)
    if name == "<lambda>":
        raise DefinitionError(
            name, "A lambda has neither a name nor hints.", "Write a function with `def`."
        )
    if isinstance(called, FunctionType) and _is_unbound(called):
        raise DefinitionError(
            _short(called.__qualname__),
            "This is an instance method, and no instance was given.",
            "Take it from an instance, such as `Shop().buy`.",
        )
    where = _short(getattr(called, "__qualname__", name))
    member = Member(name, _owner_of(called), called, marks_of(called))
    docs = _docs_of(member)
    if is_object and docs == Docs():
        docs = own_docs(type(called))
    return _function(member, where, docs, is_human)


def _function(member: Member, where: str, docs: Docs, is_human: IsHuman | None) -> Function:
    marks = member.marks or Marks()
    name = marks.name or member.name
    if not NAME.fullmatch(name):
        raise DefinitionError(
            where,
            f"No model's vendor accepts {name!r} as a name.",
            "Give it another: `@function(name=...)`, a letter or `_`, then up to 63 letters, "
            "digits, `_` or `-`.",
        )
    handler, parameters, output = read_handler(
        member.called,
        where,
        docs,
        owner=member.owner,
        enclosing=marks.enclosing,
        # A custom predicate decides by path: it cannot decide about the other names of a field.
        renames=is_human is None or is_human is is_human_by_default,
    )
    behind = function_behind(member.called)
    function = Function(
        name=name,
        description=docs.text if marks.description is None else marks.description,
        origin=Method(
            qualname=where if behind is None else behind.__qualname__, is_async=handler.is_async
        ),
        _contract=_contract_of(where, (parameters, output), is_human, handler.arguments.only_sets),
        _handler=handler,
    )
    return replace(function, **marks.traits)  # pyright: ignore[reportArgumentType]


_BothSchemas = tuple[JsonSchema, JsonSchema | None]
"""The schema of the parameters, and the schema of the output."""


def _contract_of(
    where: str, written: _BothSchemas, is_human: IsHuman | None, only_sets: bool
) -> "Lazy[Contract]":
    parameters, output = written
    try:
        normalized = normalize(parameters), None if output is None else normalize(output)
    except SchemaError as error:  # a class may write its own schema, and anything into it
        raise DefinitionError(
            where, f"The JSON Schema of its hints is invalid: {error}.", "See `json_schema_extra`."
        ) from error

    def make() -> "Contract":
        from pyfunctools.record.contract import Contract, schema_notes

        notes = partial(schema_notes, *written)
        return Contract.of(*normalized, is_human, notes, sets=only_sets, hinted=True)

    return Lazy(make)


def _docs_of(member: Member) -> Docs:
    """Return the parts of a member's docstring, else of a method that it overrides."""
    called, bases = member.called, member.owner.__mro__[1:] if member.owner is not None else ()
    overridden = (vars(base).get(member.name) for base in bases)
    behind = map(function_behind, (called, *overridden))
    for each in chain((called, wrapped_by(called)), behind):
        if type(each) is FunctionType and isinstance(each.__doc__, str):
            return read_docstring(each.__doc__)
    return Docs()


def _owner_of(called: object) -> type | None:
    """Return the class that defines a method, or the `__call__` of an object."""
    if isinstance(called, partial):
        return _owner_of(cast("object", called.func))  # pyright: ignore[reportUnknownMemberType]
    bound = called.__self__ if isinstance(called, MethodType) else called
    if isinstance(bound, FunctionType):
        return None
    name = getattr(called, "__name__", "__call__")
    return next((base for base in class_of(bound).__mro__ if name in vars(base)), None)


def _is_unbound(function: FunctionType) -> bool:
    first = function.__code__.co_varnames[: function.__code__.co_argcount][:1]
    in_class = "." in _short(function.__qualname__)
    return in_class and first in (("self",), ("cls",)) and first[0] not in function.__annotations__


def _short(qualname: str) -> str:
    return qualname.rpartition("<locals>.")[2]


def _nothing_exposed(obj: object, cls: type, skipped: tuple[Skipped, ...]) -> DefinitionError:
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

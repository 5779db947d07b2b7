"""Python objects and callables as functions. Reading runs no code of an object."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from inspect import Parameter, getattr_static
from itertools import chain
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, cast, get_args

from pyfunctools._json import JsonSchema
from pyfunctools._lazy import Lazy
from pyfunctools._text import short_repr, shortened, visible
from pyfunctools.errors import DefinitionError, SchemaError, wrong_type
from pyfunctools.note import Note
from pyfunctools.record.function import Function, Reading, Skipped, check_name
from pyfunctools.record.origin import Method
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.separation.predicates import (
    IsHuman,
    check_predicate,
    is_human_by_default,
    output_shown,
)
from pyfunctools.schema.validation.validator import Validator
from pyfunctools.sources.python.callable_signature import hints_of
from pyfunctools.sources.python.decorators import Marks, marks_of
from pyfunctools.sources.python.docstrings import Docs, own_docs, read_docstring
from pyfunctools.sources.python.hint_scope import (
    Namespace,
    class_of,
    function_behind,
    is_a,
    wrapped_by,
)
from pyfunctools.sources.python.markers import mark_in, tool_remedy
from pyfunctools.sources.python.members import (
    Member,
    check_override,
    exposed_members,
    overridden,
)
from pyfunctools.sources.secret_notes import secret_notes

if TYPE_CHECKING:  # loaded when the schemas of a function are first read
    from pyfunctools.record.contract import Contract
    from pyfunctools.sources.python.binding import MethodHandler
    from pyfunctools.sources.python.callable_schemas import WrittenParameters


def read_object(
    obj: object,
    *,
    all: bool = False,  # noqa: A002 - the word of `Controller.from_object`
    inherited: bool = False,
    is_human: IsHuman | None = is_human_by_default,
) -> Reading:
    """Return the functions of an object: the methods marked `@function`, in their order.

    With `all`, every public method in the class body becomes a function, static and class methods
    too; with `inherited`, those of base classes as well (marked ones always are). A class itself
    has only its static and class methods. Names with a leading underscore, properties and callable
    attributes are left out.

    Raises:
        DefinitionError: nothing is exposed, two functions have one name, or a method cannot become
            a function.
    """
    cls = class_of(obj)
    skipped: list[Skipped] = []
    functions: dict[str, tuple[Function, str]] = {}
    for member in exposed_members(obj, everything=all, inherited=inherited):
        if isinstance(member, Skipped):
            skipped.append(member)
            continue
        where = f"{cls.__name__}.{member.name}"
        function = _function(member, where, is_human)
        if function.name in functions:
            reason = f"{functions[function.name][1]} is called {function.name!r} too."
            remedy = "Give one of them another name: `@function(name=...)`."
            raise DefinitionError(where, reason, remedy)
        functions[function.name] = function, where
    if not functions:
        raise _nothing_exposed(obj, cls, skipped)
    return Reading(
        functions=tuple(each for each, _ in functions.values()),
        skipped=tuple(skipped),
        title=cls.__name__,
        description=own_docs(cls).text,
    )


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
    if (remedy := tool_remedy(called)) is not None:
        name = str(getattr(called, "name", type(called).__name__))
        raise DefinitionError(shortened(name, 100), "This is a tool of another library.", remedy)
    if is_a(called, type) or not callable(called):
        kind = "class" if is_a(called, type) else f"`{type(called).__name__}`"
        remedy = "Pass a function or a bound method; for an object, `Controller.from_object`."
        reason = f"This is not a function, but a {kind}."
        raise DefinitionError(short_repr(called, 80), reason, remedy)
    is_object = behind is not None and getattr_static(type(called), "__call__", None) is behind
    named = type(called) if is_object else called if behind is None else behind
    name = getattr(named, "__name__", type(called).__name__)
    where = _short(getattr(called, "__qualname__", name))
    if name == "<lambda>":
        reason = "A lambda has neither a name nor hints."
        raise DefinitionError(name, reason, "Write a function with `def`.")
    if isinstance(called, FunctionType) and _is_unbound(called):
        reason = "This is an instance method, and no instance was given."
        raise DefinitionError(where, reason, "Take it from an instance, such as `Shop().buy`.")
    member = Member(name, _owner_of(called), called, marks_of(called))
    return _function(member, where, is_human, type(called) if is_object else None)


def _function(
    member: Member, where: str, is_human: IsHuman | None, cls: type | None = None
) -> Function:  # `cls` is the class of an object that is called
    from pyfunctools.sources.python.binding import read_handler  # imports pydantic

    marks = member.marks or Marks()
    name = marks.name or member.name
    check_name(name, where)
    replaced = overridden(member)
    check_override(member, where, marks, replaced)
    docs = _docs_of(member, replaced)
    if cls is not None and docs == Docs():
        docs = own_docs(cls)
    handler, parameters = read_handler(
        member.called,
        where,
        docs,
        owner=member.owner,
        enclosing=marks.enclosing,
        # A custom predicate decides by path: it cannot decide about the other names of a field.
        renames=is_human is None or is_human is is_human_by_default,
    )
    contract = Lazy(partial(_contract, handler, parameters, docs, marks.enclosing, is_human))
    if parameters.made or handler.output.made:
        _ = contract.value
    behind = function_behind(member.called)
    description = docs.text if marks.description is None else marks.description
    # `warnings.deprecated` sets the attribute.
    deprecated = marks.traits.get("deprecated", hasattr(behind, "__deprecated__"))
    lines = [description, "@deprecated"] if deprecated else [description]  # as of a document
    traits: dict[str, Any] = {"deprecated": deprecated is True, **marks.traits}
    qualname = where if behind is None else behind.__qualname__
    return Function(
        name=name,
        description="\n\n".join(filter(None, lines)),
        origin=Method(qualname=qualname, is_async=handler.is_async),
        _contract=contract,
        _handler=handler,
        **traits,
    )


def _contract(
    handler: "MethodHandler",
    parameters: "Lazy[WrittenParameters]",
    docs: Docs,
    enclosing: Lazy[Namespace] | None,
    is_human: IsHuman | None,
) -> "Contract":
    from pyfunctools.record.contract import Contract, schema_notes

    output = handler.output.value.schema
    try:
        written = normalize(parameters.value.schema)
        shown = None if output is None else output_shown(normalize(output))
    except SchemaError as error:  # a class may write its own schema, and anything into it
        reason = f"The JSON Schema of its hints is invalid: {error}."
        raise DefinitionError(handler.where, reason, "See `json_schema_extra`.") from error
    _ = handler.unlisted.value  # then the schema as it was written is not kept

    def notes(llm: JsonSchema) -> Iterator[Note]:
        from pyfunctools.sources.python.binding import read_handler

        called, where, owner, *_ = handler
        again, written = read_handler(called, where, docs, owner=owner, enclosing=enclosing)
        yield from schema_notes(written.value.schema, again.output.value.schema)
        yield from _hint_notes(called, docs)
        yield from _default_notes(again)
        yield from _wrong_defaults(written.value.schema)
        yield from secret_notes(llm, "python")

    return Contract(written, shown, is_human, notes, hinted=True)


def _docs_of(member: Member, replaced: Iterable[tuple[type, object]]) -> Docs:
    """Return the parts of a member's docstring, else of a method that it overrides."""
    called = member.called
    behind = map(function_behind, (called, *(raw for _, raw in replaced)))
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


def _nothing_exposed(obj: object, cls: type, skipped: Iterable[Skipped]) -> DefinitionError:
    if is_a(obj, FunctionType, MethodType, ModuleType):
        remedy = "Use `Controller.from_functions([...])`."
        return wrong_type("from_object", "an object with methods", obj, remedy)
    if cls.__module__ in ("builtins", "types", "typing"):  # of `typing`, the alias `Page[int]`
        return DefinitionError(
            "from_object",
            f"This must be an object with methods of yours, not `{cls.__name__}`.",
            "Pass an instance of your class, such as `Shop()`, with methods marked `@function`; "
            "with `all=True` every public one counts.",
        )
    reasons = [f"{each.where}: {each.reason}" for each in skipped]
    return DefinitionError(
        cls.__name__,
        " ".join(["Nothing in it is exposed.", *reasons]),
        "Mark its methods with `@function`, or pass `all=True` (in a terminal `--all`) for every "
        "public one.",
    )


def _hint_notes(called: object, docs: Docs) -> Iterator[Note]:
    """Yield notes on a docstring of parameters that do not exist, and on a marked output."""
    found = hints_of(called)
    kinds = {each.kind for each in found.parameters.values()}
    unknown = docs.parameters.keys() - {*found.parameters, "self", "cls"}
    if unknown and Parameter.VAR_KEYWORD not in kinds:
        names = ", ".join(f"`{visible(name)}`" for name in sorted(unknown))
        yield Note(text=f"The docstring describes {names}, which is no parameter.")
    if _has_mark(found.hints.get("return")):
        yield Note(text="The mark in the hint of the returned value has no effect.")


def _default_notes(handler: "MethodHandler") -> Iterator[Note]:
    """Yield a note for each default that, as JSON, is no value of its hint, as `None` often is."""
    from pyfunctools.sources.python.callable_schemas import default_text

    for name, default in handler.defaults.items():
        text = None
        with suppress(Exception):  # no JSON, such as a mark for "not given"
            text = None if default is None else default_text(handler.keys[name], default)
        try:
            _ = text and handler.read_json(text)
        except Exception:  # pydantic and the hint's classes may raise anything
            yield Note(
                text=f"The default of `{name}` does not fit its hint as JSON: the model is not "
                "told of it, and a call without a value gets it unchanged. Change one of the two."
            )


def _wrong_defaults(schema: JsonSchema) -> Iterator[Note]:
    """Yield a note on each default in a schema that is no value of it, but for null."""
    for keys, inner in subschemas(schema):
        default = inner.get("default") if isinstance(inner, dict) else None
        if default is not None and isinstance(inner, dict):
            whole = {**inner, "$defs": schema.get("$defs", {})}
            if not Validator(whole, formats="hinted").is_valid(default):
                pointer = f"/parameters{pointer_of((*keys, 'default'))}"
                yield Note(
                    text="This default does not fit its hint as JSON: a model may give it, and is "
                    "refused, and a call without a value gets it unchanged. Change one of the two.",
                    pointer=pointer,
                )


def _has_mark(hint: object) -> bool:
    return mark_in(hint) is not None or any(map(_has_mark, get_args(hint)))

"""`Function`: the one record that every source makes and everything after it works on."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Unpack

from pyfunctools._json import json_copy
from pyfunctools._lazy import Lazy
from pyfunctools._text import short_repr, visible
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.note import Note, hidden_notes
from pyfunctools.record.origin import Method, Origin, place
from pyfunctools.record.traits import Traits, checked_traits
from pyfunctools.schema.separation.predicates import IsHuman, check_predicate, is_human_by_default

if TYPE_CHECKING:  # the engine is loaded by the first function whose schemas are asked for
    from pyfunctools.dialects.rendering import Rendering
    from pyfunctools.record.contract import Contract
    from pyfunctools.record.handler import Handler, KeywordHandler
    from pyfunctools.record.param import Param
    from pyfunctools.schema.result import Failure, Side, Success
    from pyfunctools.schema.separation.separate import Separated

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)
"""What a function may be called: the rule that every vendor's rule admits."""

LONG = 1024
"""Characters of a description that every vendor takes (OpenAI's limit, seen in 2026)."""

GROUPS = ("query", "header", "cookie", "body")
"""The groups of an operation's parameters, in the order of `Function.positional`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """What could not become a function: where, why, and the JSON Pointer in a document."""

    where: str
    reason: str
    pointer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Function:
    """One function a model may call, whatever it came from.

    Frozen, and equal to another that says the same; the schemas behind `parameters`, `output` and
    `separated` are built when first asked for, shared and read-only. The hints `read_only`,
    `destructive` and `idempotent` are `None` where nobody said. What it hands out is a copy: to
    change that changes no function.

    Raises:
        DefinitionError: the name is not a letter or `_` followed by up to 63 letters, digits, `_`
            or `-`.
    """

    name: str
    description: str = ""
    deprecated: bool = False
    tags: tuple[str, ...] = ()
    title: str | None = None
    display_text: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    confirm: bool = False
    concurrent: bool | None = None
    strict: bool = False
    _noted: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    origin: Origin | None = None
    _contract: "Lazy[Contract]" = field(repr=False)
    _handler: "Handler | None" = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):  # pyright: ignore
            raise DefinitionError(
                repr(self.name),
                "This is not a name a model's vendor accepts.",
                "Use a letter or `_`, then up to 63 letters, digits, `_` or `-`.",
            )
        if (shown := visible(self.description)) != self.description:
            notes = hidden_notes("the description", self.description)
            object.__setattr__(self, "_noted", (*self._noted, *notes))
            object.__setattr__(self, "description", shown)

    def __repr__(self) -> str:
        said = ((each, getattr(self, each.name)) for each in fields(self) if each.repr)
        told = {each.name: short_repr(held) for each, held in said if held != each.default}
        if self.origin is not None:
            told["origin"] = f"<{short_repr(place(self.origin))[1:-1]}>"
        return f"Function({', '.join(f'{name}={held}' for name, held in told.items())})"

    def __hash__(self) -> int:
        return hash((self.name, self.description))

    @classmethod
    def from_schema(
        cls,
        *,
        name: str,
        description: str = "",
        parameters: "Mapping[str, Any] | Sequence[Param]",
        output: Mapping[str, Any] | None = None,
        handler: Callable[..., object] | None = None,
        is_human: IsHuman | None = is_human_by_default,
        **traits: Unpack[Traits],
    ) -> "Function":
        """Return a function from a written schema.

        `parameters` is a JSON Schema object in any draft's spelling, or a list of `Param`. The
        `handler` is called with the arguments by keyword, and with `context` if it names it; it may
        be asynchronous. It takes every property, the human's too; what a property's `default` says
        is given where it is left out and the handler has no default of its own. Without a handler
        the function can be checked and shown but not called.

        Raises:
            DefinitionError: the name cannot be used, the parameters are not those of an object, a
                schema has a mistake (a misspelled keyword, a pattern that does not compile, a
                `$ref` that leads nowhere), a trait or the handler is none, or the handler does not
                take a property or needs what is none.
        """
        from pyfunctools.record.contract import Contract
        from pyfunctools.record.handler import KeywordHandler

        check_predicate(is_human)
        checked_traits("from_schema", {"name": name, "description": description})
        said = checked_traits("from_schema", traits)
        if handler is not None and not callable(handler):
            remedy = "Write the function that runs."
            raise wrong_type("from_schema(handler)", "a function", handler, remedy)
        contract = Contract.written(name, parameters, output, is_human)
        runs = None if handler is None else KeywordHandler(handler, contract.parameters)
        if runs is not None:
            runs.check_takes(name, contract.declared())
        function = cls(
            name=name,
            description=description or "",
            origin=None if runs is None else _origin(runs),
            _contract=Lazy.of(contract),
            _handler=runs,
        )
        return replace(function, **said)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The closed JSON Schema object of everything the function takes, in 2020-12."""
        return json_copy(self._contract.value.parameters)

    @property
    def llm(self) -> Mapping[str, Any]:
        """The JSON Schema of what a model may write: `separated.llm`, or `parameters`."""
        return json_copy(self._contract.value.llm)

    @property
    def output(self) -> Mapping[str, Any] | None:
        """The JSON Schema of what comes back, or `None` where nobody said."""
        return json_copy(self._contract.value.output)

    @property
    def separated(self) -> "Separated | None":
        """The model's and the human's side, or `None` where nothing is the human's."""
        return self._contract.value.separated.value

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was odd in the source, and did not keep it from becoming a function.

        It is looked for when somebody asks: the schemas as they were written are read once more.
        """
        said = f"The description is longer than the {LONG:,} characters that every vendor takes."
        own = (Note(text=said),) if len(self.description) > LONG else ()
        return tuple(dict.fromkeys((*self._noted, *own, *self._contract.value.notes.value)))

    @property
    def positional(self) -> tuple[Mapping[str, Any] | bool, ...]:
        """The schema of each input in the order a list of arguments has.

        For an operation the path parameters, then `query`, `header`, `cookie` and `body` where
        there are such; else the properties in their order. Each is complete, with the `$defs` it
        reaches.
        """
        return self._contract.value.positional()

    def parse(self, text: str | bytes) -> "Success[Any] | Failure":
        """Read what a model wrote; see `pyfunctools.schema.parse`."""
        return self._contract.value.parse(text)

    def coerce(self, value: Any) -> "Success[Any]":
        """Return the value with wrong spellings put right by the schema; nothing is lost."""
        return self._contract.value.coerce(value)

    def validate(self, value: Any, side: "Side" = "whole") -> "Success[Any] | Failure":
        """Return whether a value is right, with every issue, for one side or for the whole.

        Raises:
            DefinitionError: there is no such side.
        """
        return self._contract.value.validate(value, side)

    def merge(self, *, llm: Any = None, human: Any = None) -> "Success[Any] | Failure":
        """Join the model's and the human's part, and check the whole; see `schema.merge`."""
        return self._contract.value.merge(llm, human)

    def check(
        self,
        arguments: Any,
        *,
        rendering: "Rendering | None" = None,
        allow_truncated: bool = False,
    ) -> "Success[Any] | Failure":
        """Return the arguments a model may write, read, coerced and checked.

        `arguments` is its text, or the value where somebody has read it. A list is taken as the
        inputs in the order of `positional`, without those that are the human's. Text that ends
        inside its last scalar is an issue unless `allow_truncated`: 1 may have been 1000.

        With the `rendering` that the model was sent, the arguments are restored first, and a
        failure speaks of them in the names and the shape that the model saw.
        """
        return self._contract.value.check(
            arguments, rendering=rendering, allow_truncated=allow_truncated
        )

    def render(
        self, dialect: str, *, strict: bool | None = None, inline: bool | None = None
    ) -> "Rendering":
        """Return the schema of what a model may write as a vendor takes it.

        `dialect` is `"openai"`, `"anthropic"`, `"gemini"` or another row of `dialects.table`. With
        `strict` it is a schema that the vendor can enforce, where it can be; by default the
        function's own `strict` decides. `inline` puts definitions in the place of references; by
        default those that are referred to once, or as the dialect wants it. What the dialect cannot
        say is in `Rendering.losses`. The last renderings of a function are kept (`Limits.cache`).

        Raises:
            DefinitionError: there is no such dialect.
        """
        contract, asked = self._contract.value, self.strict if strict is None else strict
        return contract.renderings.get(contract.llm, dialect, strict=asked, inline=inline)


def contract_of(function: Function) -> "Contract":
    """Return the contract of a function, shared: its schemas must not be changed."""
    return function._contract.value  # pyright: ignore[reportPrivateUsage]


def with_contract(function: Function, contract: "Lazy[Contract]") -> Function:
    """Return the function with other schemas, which need not be there yet."""
    return replace(function, _contract=contract)


def handler_of(function: Function) -> "Handler | None":
    """Return the handler of a function of this process, `None` where it lives elsewhere."""
    return function._handler  # pyright: ignore[reportPrivateUsage]


def with_handler(function: Function, called: Callable[..., object]) -> Function:
    """Return the function with another callable to run it, which gets what the first one would."""
    from pyfunctools.record.handler import KeywordHandler

    handler = handler_of(function)
    if handler is None:
        return replace(function, _handler=KeywordHandler(called, contract_of(function).parameters))
    return replace(function, _handler=handler.calling(called))


def noted(function: Function, notes: Iterable[Note]) -> Function:
    """Return the function with further notes on its source."""
    known = function._noted  # pyright: ignore[reportPrivateUsage]
    return replace(function, _noted=(*known, *notes))


def _origin(handler: "KeywordHandler") -> Method:
    called = handler.callable
    name = getattr(called, "__qualname__", type(called).__qualname__)
    return Method(qualname=name, is_async=handler.is_async)

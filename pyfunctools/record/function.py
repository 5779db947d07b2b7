"""`Function`: the record of a function, which every source makes."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Unpack

from pyfunctools._json import json_copy
from pyfunctools._lazy import Lazy
from pyfunctools._text import first_sentence, short_repr, visible
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.note import Note, hidden_notes
from pyfunctools.record.origin import Method, Origin, origin_text
from pyfunctools.record.traits import Traits, checked_traits
from pyfunctools.schema.separation.predicates import IsHuman, check_predicate, is_human_by_default

if TYPE_CHECKING:  # the engine is loaded when the schemas of a function are first used
    from pyfunctools.dialects.rendering import Rendering
    from pyfunctools.record.contract import Contract
    from pyfunctools.record.handler import Handler
    from pyfunctools.record.param import Param
    from pyfunctools.record.search_texts import SearchTexts
    from pyfunctools.record.settings import Settings
    from pyfunctools.schema.ground.issue import Side
    from pyfunctools.schema.result import Failure, Success
    from pyfunctools.schema.separation.separate import Separated

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)
"""Names of functions that every vendor accepts."""


def check_name(name: object, where: str) -> None:
    """Refuse a name that not every vendor accepts.

    Raises:
        DefinitionError: it is not a letter or `_`, then up to 63 letters, digits, `_` or `-`.
    """
    if not isinstance(name, str) or not NAME.fullmatch(name):
        reason = f"{name!r} is not a name a model's vendor accepts."
        remedy = "Use a letter or `_`, then up to 63 letters, digits, `_` or `-`"
        raise DefinitionError(where, reason, f"{remedy}: `@function(name=...)`.")


MAX_DESCRIPTION = 1024
"""Characters of a description that every vendor accepts (OpenAI's limit in 2026)."""

GROUPS = ("query", "header", "cookie", "body")
"""The groups of an operation's parameters, in the order of `Function.positional`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A part of a source that could not become a function, and why.

    `pointer` is its JSON Pointer in a document. The texts have no hidden characters.
    """

    where: str
    reason: str
    pointer: str | None = None

    def __post_init__(self) -> None:
        for name in ("where", "reason", "pointer"):
            text = getattr(self, name)
            if isinstance(text, str):
                object.__setattr__(self, name, visible(text))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Function:
    """A function that a model may call, from any source.

    Frozen, and compared by value. The schemas behind `parameters`, `output` and `separated` are
    built on first use; the properties return copies. `read_only`, `destructive` and
    `idempotent` are `None` if unknown.

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
    _settings: "Settings | None" = field(default=None, compare=False, repr=False)
    _searched: "Lazy[SearchTexts] | None" = field(default=None, compare=False, repr=False)
    _is_whole: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_name(self.name, repr(self.name))
        if (shown := visible(self.description)) != self.description:
            notes = hidden_notes("the description", self.description)
            object.__setattr__(self, "_noted", (*self._noted, *notes))
            object.__setattr__(self, "description", shown)

    def __repr__(self) -> str:
        values = ((each, getattr(self, each.name)) for each in fields(self) if each.repr)
        texts = {each.name: short_repr(value) for each, value in values if value != each.default}
        if self.origin is not None:
            texts["origin"] = f"<{short_repr(origin_text(self.origin))[1:-1]}>"
        return f"Function({', '.join(f'{name}={text}' for name, text in texts.items())})"

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

        `parameters` is a JSON Schema of an object, in any draft, or a list of `Param`. The
        `handler` is called with keyword arguments, and with `context` if it has such a parameter;
        it may be asynchronous. It receives every property, also those that a person gives. If an
        argument is missing, the handler's own default is used, or else the property's `default`.
        Without a handler the function can be checked and shown, but not called.

        Raises:
            DefinitionError: the name is invalid, the parameters are no object schema, a schema has
                a mistake (a misspelled keyword, a pattern that does not compile, a `$ref` without a
                target), a setting has the wrong type, or the handler does not accept a property or
                requires a parameter that is not a property.
        """
        from pyfunctools.record.contract import Contract
        from pyfunctools.record.handler import KeywordHandler

        check_predicate(is_human)
        written = {"name": name, "description": description, **traits}
        settings: dict[str, Any] = checked_traits("from_schema", written)
        if handler is not None and not callable(handler):
            remedy = "Write the function that runs."
            raise wrong_type("from_schema(handler)", "a function", handler, remedy)
        contract = Contract.from_schemas(name, parameters, output, is_human)
        runs = None if handler is None else KeywordHandler(handler, contract.parameters)
        origin = None
        if runs is not None:
            runs.check_takes(name, *contract.declared())
            qualname = getattr(handler, "__qualname__", type(handler).__qualname__)
            origin = Method(qualname=qualname, is_async=runs.is_async)
        settings["description"] = description or ""
        return cls(origin=origin, _contract=Lazy.of(contract), _handler=runs, **settings)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema (2020-12) of all arguments, closed unless it allows other properties."""
        return json_copy(self._contract.value.parameters)

    @property
    def llm(self) -> Mapping[str, Any]:
        """The JSON Schema of a model's arguments: `separated.llm`, or `parameters`."""
        return json_copy(self._contract.value.llm)

    @property
    def output(self) -> Mapping[str, Any] | None:
        """The JSON Schema of the output, without defaults of a person; `None` if unknown."""
        return json_copy(self._contract.value.output)

    @property
    def separated(self) -> "Separated | None":
        """The model's and the human's side, `None` if nothing belongs to the human."""
        return self._contract.value.separated

    @property
    def notes(self) -> tuple[Note, ...]:
        """Oddities of the source that did not prevent the function.

        They are found on first use, in the schemas as they were written.
        """
        notes = [*self._noted]
        if len(self.description) > MAX_DESCRIPTION:
            limit = f"the {MAX_DESCRIPTION:,} characters that every vendor takes"
            notes.append(Note(text=f"The description is longer than {limit}."))
        return tuple(dict.fromkeys((*notes, *self._contract.value.notes)))

    @property
    def positional(self) -> tuple[Mapping[str, Any] | bool, ...]:
        """The schema of each input, in the order of a list of arguments.

        For an operation the path parameters, then `query`, `header`, `cookie` and `body` if it has
        them; else the properties in their order. Each has the `$defs` that it uses.
        """
        return self._contract.value.positional()

    def parse(self, text: str | bytes) -> "Success[Any] | Failure":
        """Parse the text of a model; see `pyfunctools.schema.parse`."""
        from pyfunctools.schema.parsing.parse import parse

        return parse(text, self._contract.value.llm)

    def coerce(self, value: Any) -> "Success[Any]":
        """Return the value with wrong spellings corrected by the schema; nothing is lost."""
        return self._contract.value.checker.coerce(value)

    def validate(self, value: Any, side: "Side" = "whole") -> "Success[Any] | Failure":
        """Validate a value for one side, or as a whole; a `Failure` has every issue.

        Raises:
            DefinitionError: the side is unknown.
        """
        if side not in ("whole", "llm", "human"):
            remedy = 'Write "whole", "llm" or "human".'
            raise DefinitionError("validate(side)", f"{side!r} is not a side.", remedy)
        contract = self._contract.value
        if contract.separated is None and side != "human":
            return contract.validator.validate(value)
        return contract.sides.validate(value, side)

    def merge(self, *, llm: Any = None, human: Any = None) -> "Success[Any] | Failure":
        """Merge the model's and the human's part (`None` for no part), and validate the whole.

        See `schema.merge`.
        """
        contract = self._contract.value
        llm = {} if llm is None else llm
        if contract.separated is None:
            return contract.validator.validate(llm)
        return contract.separated.merge(llm, {} if human is None else human)

    def check(
        self,
        arguments: Any,
        *,
        rendering: "Rendering | None" = None,
        allow_truncated: bool = False,
    ) -> "Success[Any] | Failure":
        """Return the arguments of a model, parsed, coerced and validated.

        `arguments` is the model's text, or a value that was parsed already. A list has the inputs
        in the order of `positional`, without the human inputs. A whole call of this function,
        `{"name": ..., "arguments": {...}}`, counts as its arguments. Text that ends inside its last
        scalar is an issue unless `allow_truncated`: 1 may have been 1000.

        With the `rendering` that was sent to the model, the arguments are restored first, and a
        failure has the names and the shape of the rendering.
        """
        checker = self._contract.value.checker
        if rendering is None or not rendering.reshapes:
            return checker.check(arguments, allow_truncated=allow_truncated, name=self.name)
        return rendering.checked(arguments, checker.check, allow_truncated=allow_truncated)

    def render(
        self, dialect: str, *, strict: bool | None = None, inline: bool | None = None
    ) -> "Rendering":
        """Return the schema of a model's arguments as a vendor accepts it.

        `dialect` is `"openai"`, `"anthropic"`, `"gemini"` or another row of `dialects.table`. With
        `strict` the vendor can enforce the schema, if possible; the default is the function's own
        `strict`. `inline` replaces references by their definitions; by default the dialect decides,
        and definitions that are used once are inlined. `Rendering.losses` lists the parts that the
        dialect cannot express. The last renderings of a function are cached (`Limits.cache`).

        Raises:
            DefinitionError: the dialect is unknown.
        """
        asked = self.strict if strict is None else strict
        return self._contract.value.rendering(dialect, strict=asked, inline=inline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read from a source: the functions, what was skipped, a title and a description."""

    functions: Sequence[Function]
    skipped: Sequence[Skipped] = ()
    title: str = ""
    description: str = ""


def contract_of(function: Function) -> "Contract":
    """Return the contract of a function; its schemas are shared and must not be changed."""
    return function._contract.value  # pyright: ignore[reportPrivateUsage]


def runs_beside(function: Function) -> bool:
    """True if a function may run beside other calls: by default, if it only reads."""
    return bool(function.read_only if function.concurrent is None else function.concurrent)


def settings_of(function: Function) -> "Settings | None":
    """Return what the program set for a function, `None` if nothing."""
    return function._settings  # pyright: ignore[reportPrivateUsage]


def with_settings(function: Function, more: "Settings") -> Function:
    """Return the function with more settings."""
    known = settings_of(function)
    return replace(function, _settings=more if known is None else known.joined(more))


def handler_of(function: Function) -> "Handler | None":
    """Return the handler of a function that runs in this process, `None` for other functions."""
    return function._handler  # pyright: ignore[reportPrivateUsage]


def searched_texts(function: Function) -> "SearchTexts | None":
    """Return the texts for a search that the source has, `None` if the schemas have them."""
    own = function._searched  # pyright: ignore[reportPrivateUsage]
    return None if own is None else own.value


def has_whole_description(function: Function) -> bool:
    """Return whether the description must not be shortened."""
    return function._is_whole  # pyright: ignore[reportPrivateUsage]


def short_description(function: Function, limit: int) -> str:
    """Return the first sentence of a description, and `@deprecated`; the whole if it has to be."""
    if has_whole_description(function):
        return function.description
    sentence = first_sentence(function.description, limit)
    marked = function.deprecated and sentence != "@deprecated"
    return f"{sentence} @deprecated".lstrip() if marked else sentence


def with_handler(function: Function, called: Callable[..., object]) -> Function:
    """Return the function with another callable, which is called with the same arguments."""
    from pyfunctools.record.handler import KeywordHandler

    handler = handler_of(function)
    if handler is None:
        return replace(function, _handler=KeywordHandler(called, contract_of(function).parameters))
    return replace(function, _handler=handler.calling(called))


def with_notes(function: Function, notes: Iterable[Note]) -> Function:
    """Return the function with more notes on its source."""
    known = function._noted  # pyright: ignore[reportPrivateUsage]
    return replace(function, _noted=(*known, *notes))

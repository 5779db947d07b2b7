"""What comes back from a callable: its schema, and JSON of it."""

from functools import lru_cache
from types import GenericAlias, UnionType
from typing import TYPE_CHECKING, cast, get_args

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.sources.python.callable_arguments import no_schema
from pyfunctools.sources.python.callable_signature import EMPTY, Signature
from pyfunctools.sources.python.docstring import Docs
from pyfunctools.sources.python.hint_scope import Names

if TYPE_CHECKING:
    from pydantic import TypeAdapter


_REMEDY = (
    "Write a hint that JSON has a form for (a dataclass, a TypedDict, a pydantic model, ...), or "
    "return an `Outcome`: its `text` for the model, its `value` for the program."
)


class Output:
    """What writes what comes back, by the rules of its hint."""

    __slots__ = ("_adapter",)

    def __init__(self, adapter: "TypeAdapter[tuple[object]] | None") -> None:
        self._adapter = adapter

    def dump(self, value: object) -> JsonValue:
        """Return what came back as JSON, by pydantic's rules.

        What is not what the hint promised is written as what it is, so that it shows.

        Raises:
            Exception: whatever the value's own serialisation raises.
        """
        adapter = self._adapter or _anything()
        dumped = adapter.dump_python((value,), mode="json", by_alias=True, warnings=False)
        return cast("list[JsonValue]", dumped)[0]


def output_of(signature: Signature, docs: Docs) -> tuple[JsonSchema | None, Output]:
    """Return the schema of what comes back, `None` where nobody says, and what writes it.

    Raises:
        DefinitionError: pydantic has no schema for the hint.
    """
    if signature.output is EMPTY:
        return None, Output(None)
    try:
        made = _shared if _is_built_in(signature.output) else _made
        schema, adapter = made(signature.output, signature.names)
    except Exception as error:  # pydantic and the hint's classes may raise anything
        where = f"{signature.where} -> return"
        raise no_schema(where, signature.output, error, _REMEDY) from error
    if docs.returns and "description" not in schema:
        schema = {**schema, "description": docs.returns}
    return schema or None, Output(adapter)


def _made(hint: object, names: Names) -> "tuple[JsonSchema, TypeAdapter[tuple[object]]]":
    from pyfunctools.sources.python.hints import output_adapter, output_schema

    adapter = output_adapter(hint, names)
    return output_schema(adapter, hint, names), adapter


def _shared(hint: object, names: Names) -> "tuple[JsonSchema, TypeAdapter[tuple[object]]]":
    return _made_once(hint)


@lru_cache(maxsize=256)
def _made_once(hint: object) -> "tuple[JsonSchema, TypeAdapter[tuple[object]]]":
    return _made(hint, {})


def _is_built_in(hint: object) -> bool:
    """Return whether a hint is made of Python's own types only, so that all may share its
    adapter.
    """
    if isinstance(hint, GenericAlias | UnionType):
        return all(map(_is_built_in, get_args(hint)))
    return isinstance(hint, type) and hint.__module__ == "builtins"


@lru_cache(maxsize=1)
def _anything() -> "TypeAdapter[tuple[object]]":
    from pyfunctools.sources.python.hints import output_adapter

    return output_adapter(object, {})

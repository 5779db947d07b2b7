"""A schema compiled by jsonschema-rs, with checks for schemas that would end the process.

They reject schemas that would exhaust the stack or take exponential time, and references to
documents that may not be fetched.
"""

import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from functools import cached_property, partial
from typing import TypeAlias, TypeVar, cast
from urllib.parse import quote

import jsonschema_rs
from jsonschema_rs import (
    FancyRegexOptions,
    ReferencingError,
    Registry,
    ValidationError,
    Validator,
    validator_cls_for,
    validator_for,
)

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._lazy import Lazy, ProcessLock
from pyfunctools._text import shortened, visible
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.json_values import (
    MAX_SCHEMA_DEPTH,
    deeper_than,
    non_json_parts,
    preview,
)
from pyfunctools.schema.ground.path import Keys, pointer_of
from pyfunctools.schema.ground.references import find_target
from pyfunctools.schema.ground.walk import children, subschemas
from pyfunctools.schema.outline.json_types import HINTED, Formats
from pyfunctools.schema.outline.outline import BACKTRACKS, ValueTest
from pyfunctools.schema.vocabulary import IN_PLACE, UNEVALUATED

T = TypeVar("T")

STACK = 16 << 20
"""Bytes of the larger stack; the system allocates only the memory that is used."""

_lock = ProcessLock()


def with_stack(call: Callable[[], T]) -> T:
    """Return the result of a call in a new thread with `STACK` bytes of stack.

    The calling thread waits; its context variables are copied.

    Raises:
        Exception: any exception of the call.
    """
    from concurrent.futures import ThreadPoolExecutor  # it loads `logging`; few schemas are deep

    with _lock:  # the size applies to the next thread that is started anywhere
        before = threading.stack_size(STACK)
        try:
            pool = ThreadPoolExecutor(1, "pyfunctools-stack")
            result = pool.submit(copy_context().run, call)
        finally:
            threading.stack_size(before)
    with pool:
        return result.result()


Resolver: TypeAlias = Callable[[str], JsonValue]
"""A function that returns the document at the address of a `$ref`."""

MAX_IN_PLACE = 64
"""How many nested schemas may apply to one value, through `$ref`, `allOf` and the like.

jsonschema-rs uses the stack for each of them at each level of a value, and the stack of a thread
may have only 512 KiB.
"""

_SHALLOW = 15
"""The deepest nesting of a schema that is compiled on the stack of the calling thread.

jsonschema-rs compiles a chain of ten references in one go, and 200 levels take 512 KiB.
"""

_UNEVALUATED_WEIGHT = 12
"""The weight of a schema with `unevaluatedProperties` or `unevaluatedItems` in `MAX_IN_PLACE`.

The time that jsonschema-rs needs grows fivefold with each level of nesting of these schemas.
"""

_BASE = "https://schema.invalid/"
"""The address of a schema that has no absolute `$id` (RFC 2606, 2)."""


class Compiled:
    """A compiled schema; its parts are compiled on demand."""

    def __init__(
        self, schema: JsonSchema | bool, formats: Formats, resolver: Resolver | None
    ) -> None:
        """Compile the schema.

        Raises:
            SchemaError: it is invalid or nested too deeply, or has a reference without a target,
                or with a target that may not be fetched.
        """
        _check(schema)
        self.schema = schema
        self._formats = formats
        self._refused: list[str] = []
        self._retriever = partial(_retrieved, resolver, self._refused)
        self._is_deep = deeper_than(schema, _SHALLOW)
        try:
            # A draft that nobody resolves counts as 2020-12; one that is resolved has vocabularies.
            make = validator_for
            if resolver is None and isinstance(schema, dict):
                make = validator_cls_for(schema)
            self.validator = self._compile(schema, make)
        except ValidationError as error:
            raise self._schema_error(error) from None
        self._kind = type(self.validator)
        self._registry = Lazy(self._make_registry)
        self._tests: dict[Keys, ValueTest] = {}

    @property
    def legacy(self) -> bool:
        """Whether the draft ignores keywords beside a `$ref` (up to draft 7)."""
        return self._kind.__name__ in ("Draft4Validator", "Draft6Validator", "Draft7Validator")

    @cached_property
    def one_resource(self) -> bool:
        """Whether every reference starts at the root of the schema: no part has its own `$id`."""
        names = {"$id", "id"} if self.legacy else {"$id"}
        return not any(
            isinstance(inner, dict) and any(isinstance(inner.get(name), str) for name in names)
            for keys, inner in subschemas(self.schema)
            if keys
        )

    def address(self, keys: Keys) -> str:
        """Return the `$ref` to the subschema at these keys, for schemas that `part` compiles."""
        return f"{self._base}#{quote(pointer_of(keys), safe='/~')}"

    @cached_property
    def _base(self) -> str:
        own = self.schema.get("$id") if isinstance(self.schema, dict) else None
        return own.split("#")[0] if isinstance(own, str) and "://" in own else _BASE

    def test(self, keys: Keys) -> ValueTest:
        """Return the test of the subschema at these keys, which is compiled once.

        Raises:
            SchemaError: it cannot be compiled apart from the whole.
        """
        test = self._tests.get(keys)
        if test is None:
            whole = self.part({"$ref": self.address(keys)}) if keys else self.validator
            test = self._tests[keys] = whole.is_valid
        return test

    def part(self, schema: JsonSchema | bool) -> Validator:
        """Compile a schema whose references are made by `address`.

        Raises:
            SchemaError: it cannot be compiled apart from the whole.
        """
        try:
            return self._compile(schema, self._kind, self._registry.value)
        except (ValidationError, ReferencingError) as error:
            raise SchemaError(shortened(visible(str(error)), 200)) from None

    def _compile(
        self,
        schema: JsonSchema | bool,
        make: Callable[..., Validator],
        registry: Registry | None = None,
    ) -> Validator:
        compiling = partial(
            make,
            dict(schema) if isinstance(schema, dict) else bool(schema),
            validate_formats=self._formats is not False,
            formats=dict(HINTED) if self._formats == "hinted" else None,
            retriever=self._retriever,
            registry=registry,
            pattern_options=FancyRegexOptions(backtrack_limit=BACKTRACKS),
        )
        return with_stack(compiling) if self._is_deep else compiling()

    def _make_registry(self) -> Registry:
        draft = getattr(jsonschema_rs, self._kind.__name__.removesuffix("Validator"))
        content = dict(self.schema) if isinstance(self.schema, dict) else bool(self.schema)
        return Registry([(self._base, content)], draft=draft, retriever=self._retriever)

    def _schema_error(self, error: ValidationError) -> SchemaError:
        if self._refused:
            address = self._refused[-1]
            pointer = self._reference_where(
                lambda ref: bool(ref.split("#")[0]) and ref.split("#")[0] in address
            )
            return SchemaError(
                f"a reference leads out of the schema, to {preview(address)}, and nothing may be "
                "fetched: pass a `resolver`, or put its target into `$defs`",
                pointer,
            )
        if keys := error.instance_path:
            found = cast("JsonValue", error.instance)
            reason = f"{preview(found)} is no value that {preview(keys[-1])} may have"
            return SchemaError(reason, pointer_of(keys))
        pointer = self._reference_where(
            lambda ref: ref.startswith("#/") and find_target(self.schema, ref) is None
        )
        return SchemaError(shortened(visible(error.message), 200), pointer)

    def _reference_where(self, is_meant: Callable[[str], bool]) -> str | None:
        """Return the JSON Pointer to the first `$ref` for which `is_meant` is true."""
        for keys, inner in subschemas(self.schema):
            reference = inner.get("$ref") if isinstance(inner, dict) else None
            if isinstance(reference, str) and is_meant(reference):
                return pointer_of((*keys, "$ref"))
        return None


def _retrieved(resolver: Resolver | None, refused: list[str], uri: str) -> dict[str, JsonValue]:
    """Return the document at an address; without a resolver, note that it was refused."""
    if resolver is None:
        refused.append(uri)
        raise LookupError(uri)
    # jsonschema-rs does not change the document, and rejects it if it is not a schema.
    return cast("dict[str, JsonValue]", resolver(uri))


def _check(schema: JsonSchema | bool) -> None:
    """Make the checks that jsonschema-rs does not."""
    if not isinstance(schema, dict | bool):
        raise SchemaError(f"a schema is an object or a boolean, and this is {preview(schema)}")
    if deeper_than(schema, MAX_SCHEMA_DEPTH):
        raise SchemaError(f"the schema is nested more than {MAX_SCHEMA_DEPTH} levels deep")
    for keys, what in non_json_parts(schema):
        raise SchemaError(f"{what} is not JSON", pointer_of(keys))
    if isinstance(schema, dict) and _nested_in_place(schema) > MAX_IN_PLACE:
        raise SchemaError(
            f"more than {MAX_IN_PLACE} schemas apply to one value, one inside the other, "
            "through `$ref`, `allOf`, `anyOf` and similar keywords"
        )


def _nested_in_place(root: JsonSchema) -> int:
    """Return how many nested schemas apply to one value at most.

    One that applies, through others, to the same value again counts once.
    """
    most: dict[int, int] = {}  # by the id of a schema; 0 until all below it are known
    stack = [(inner, False) for _, inner in subschemas(root)]
    while stack:
        schema, is_known_below = stack.pop()
        if not isinstance(schema, dict) or (id(schema) in most and not is_known_below):
            continue
        below = list(_applied_in_place(root, schema))
        if is_known_below:
            weight = 1 if UNEVALUATED.isdisjoint(schema) else _UNEVALUATED_WEIGHT
            most[id(schema)] = weight + max((most.get(id(each), 0) for each in below), default=0)
            continue
        most[id(schema)] = 0
        stack.append((schema, True))
        stack += ((inner, False) for inner in below)
    return max(most.values(), default=0)


def _applied_in_place(root: JsonSchema, schema: JsonSchema) -> Iterator[JsonSchema | bool]:
    """Yield the schemas that a schema applies to its own value."""
    for keys, inner in children(schema):
        if keys[0] in IN_PLACE:
            yield inner
    if isinstance(target := find_target(root, schema.get("$ref")), dict):
        yield target

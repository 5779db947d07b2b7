"""A schema as jsonschema-rs compiled it, with what could end the process or reach out kept away."""

import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from functools import cached_property, partial
from typing import TYPE_CHECKING, NoReturn, TypeAlias, TypeVar, cast
from urllib.parse import quote

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened, visible
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.json_values import MAX_SCHEMA_DEPTH, deeper_than, non_json_parts
from pyfunctools.schema.ground.path import Keys, pointer_of
from pyfunctools.schema.ground.preview import preview
from pyfunctools.schema.ground.references import find_target
from pyfunctools.schema.ground.walk import children, subschemas
from pyfunctools.schema.outline.clock import CLOCK, Formats
from pyfunctools.schema.outline.outline import ValueTest
from pyfunctools.schema.vocabulary import IN_PLACE, UNEVALUATED

if TYPE_CHECKING:
    from jsonschema_rs import FancyRegexOptions, Registry, ValidationError, Validator

T = TypeVar("T")

SIZE = 16 << 20
"""Bytes of stack; memory is only taken for what is used of it."""

_lock = threading.Lock()


def with_stack(call: Callable[[], T]) -> T:
    """Return what `call` gives, made in a thread with `SIZE` bytes of stack.

    The calling thread waits, and its context variables are those of the call.

    Raises:
        Exception: whatever the call raises.
    """
    context = copy_context()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(context.run(call))
        except BaseException as error:  # raised again below, in the thread that asked
            errors.append(error)

    thread = threading.Thread(target=run, name="pyfunctools-stack")
    with _lock:  # the size is that of the next thread anybody starts
        before = threading.stack_size(SIZE)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    for error in errors:
        raise error
    return results[0]


Resolver: TypeAlias = Callable[[str], JsonValue]
"""What gives the document behind an address that a `$ref` names."""

BACKTRACKS = 2_000
"""Steps back that matching one pattern may take; most take none, being matched in one pass.

A look-behind of any length costs about 20 us a step on a text of 100 kB.
"""

MAX_IN_PLACE = 64
"""Schemas that may judge one value one inside the other, through `$ref`, `allOf` and their like.

jsonschema-rs uses the stack for each of them at each level of a value, and a thread may have as
little as 512 KiB.
"""

SHALLOW = 15
"""Schemas inside each other that are compiled on the stack of the thread that asks.

jsonschema-rs compiles what ten references in a row lead to in one go, and 200 levels take 512 KiB.
"""

_UNEVALUATED = 12
"""What `unevaluatedProperties` and `unevaluatedItems` count for: one inside the other, the time
that jsonschema-rs takes grows fivefold with each."""

_BASE = "https://schema.invalid/"
"""Where the parts of a schema find it, if it does not say its own address (RFC 2606, 2)."""


class Compiled:
    """A compiled schema, and on demand compiled parts of it."""

    def __init__(
        self, schema: JsonSchema | bool, formats: Formats, resolver: Resolver | None
    ) -> None:
        """Compile the schema.

        Raises:
            SchemaError: it is no schema, refers to what is not there or may not be fetched, or is
                nested too deeply.
        """
        self._is_circular = _inspect(schema)
        from jsonschema_rs import Draft202012Validator, ValidationError, validator_cls_for

        self.schema = schema
        self._formats = formats
        self._retriever = _Retriever(resolver)
        self._deep = _levels(schema) > SHALLOW
        try:
            kind = validator_cls_for(schema) if isinstance(schema, dict) else Draft202012Validator
            self._kind: type[Validator] = kind
            self.validator = self._compiled(schema)
        except ValidationError as error:
            self._refuse(error)
        self._registry = Lazy(self._make_registry)
        self._tests: dict[Keys, ValueTest] = {}

    @property
    def legacy(self) -> bool:
        """Whether the schema is of a draft in which nothing beside a `$ref` counts (up to 7)."""
        return self._kind.__name__ in ("Draft4Validator", "Draft6Validator", "Draft7Validator")

    @cached_property
    def one_resource(self) -> bool:
        """Whether every reference starts at the schema's root: no part of it has its own `$id`."""
        names = {"$id", "id"} if self.legacy else {"$id"}
        return not any(
            isinstance(inner, dict) and any(isinstance(inner.get(name), str) for name in names)
            for keys, inner in subschemas(self.schema)
            if keys
        )

    def address(self, keys: Keys) -> str:
        """Return the reference by which a `part` finds what stands at these steps in the schema."""
        return self._base() + reference_to(keys)

    def test(self, keys: Keys) -> ValueTest:
        """Return the test of the schema at these steps, with all that it leads to; it is kept.

        Raises:
            SchemaError: it cannot be compiled apart from the whole.
        """
        known = self._tests.get(keys)
        if known is None:
            whole = self.part({"$ref": self.address(keys)}) if keys else self.validator
            known = self._tests[keys] = whole.is_valid
        return known

    def test_of(self, keys: Keys) -> ValueTest | None:
        """Return the test of the part at these steps; `None` if it has none by itself.

        So it is where a part leads back to itself without going down: it says nothing then, and
        what is guessed of it depends on which part is asked first.
        """
        try:
            return self.test(keys) if self._is_sound else None
        except SchemaError:
            return None

    @cached_property
    def _is_sound(self) -> bool:
        return self.one_resource and not self._is_circular

    def part(self, schema: JsonSchema | bool) -> "Validator":
        """Compile a schema whose references are `address`es.

        Raises:
            SchemaError: it cannot be compiled apart from the whole.
        """
        from jsonschema_rs import ReferencingError, ValidationError

        try:
            return self._compiled(schema, self._registry.value)
        except (ValidationError, ReferencingError) as error:
            raise SchemaError(shortened(visible(str(error)), 200)) from None

    def _compiled(
        self, schema: JsonSchema | bool, registry: "Registry | None" = None
    ) -> "Validator":
        compiling = partial(
            self._kind,
            dict(schema) if isinstance(schema, dict) else bool(schema),
            validate_formats=self._formats is not False,
            formats=dict(CLOCK) if self._formats == "local" else None,
            retriever=self._retriever,
            registry=registry,
            pattern_options=_patterns(),
        )
        return with_stack(compiling) if self._deep else compiling()

    def _make_registry(self) -> "Registry":
        import jsonschema_rs as engine

        draft = getattr(engine, self._kind.__name__.removesuffix("Validator"))
        content = dict(self.schema) if isinstance(self.schema, dict) else bool(self.schema)
        return engine.Registry([(self._base(), content)], draft=draft, retriever=self._retriever)

    def _base(self) -> str:
        own = self.schema.get("$id") if isinstance(self.schema, dict) else None
        return own.split("#")[0] if isinstance(own, str) and "://" in own else _BASE

    def _refuse(self, error: "ValidationError") -> NoReturn:
        if (refused := self._retriever.refused) is not None:
            raise SchemaError(
                f"a reference leads out of the schema, to {preview(refused)}, and nothing may be "
                "fetched: give a `resolver`, or put what it means into `$defs`",
                _reference(self.schema, partial(_leads_out_to, refused)),
            ) from None
        if keys := error.instance_path:
            found = cast("JsonValue", error.instance)
            reason = f"{preview(found)} is no value that {preview(keys[-1])} may have"
            raise SchemaError(reason, pointer_of(keys)) from None
        place = _reference(self.schema, partial(_leads_nowhere, self.schema))
        raise SchemaError(shortened(visible(error.message), 200), place) from None


def reference_to(keys: Keys) -> str:
    """Return the reference to what stands at these steps, for its own document."""
    return "#" + quote(pointer_of(keys), safe="/~")


def _inspect(schema: JsonSchema | bool) -> bool:
    """Refuse what jsonschema-rs cannot be given; return whether a schema judges a value twice.

    Raises:
        SchemaError: it is neither an object nor a boolean, holds what is not JSON, is nested too
            deeply, or piles up too many schemas in one place.
    """
    if not isinstance(schema, dict | bool):
        raise SchemaError(f"a schema is an object or a boolean, and this is {preview(schema)}")
    if deeper_than(schema, MAX_SCHEMA_DEPTH):
        raise SchemaError(f"the schema is nested more than {MAX_SCHEMA_DEPTH} levels deep")
    for keys, what in non_json_parts(schema):
        raise SchemaError(f"{what} is not JSON", pointer_of(keys))
    if not isinstance(schema, dict):
        return False
    most, is_circular = _in_place(schema)
    if most > MAX_IN_PLACE:
        raise SchemaError(
            f"more than {MAX_IN_PLACE} schemas judge one value, one inside the other, "
            "through `$ref`, `allOf`, `anyOf` and their like"
        )
    return is_circular


class _Retriever:
    """A resolver that remembers the references it refused."""

    def __init__(self, resolver: Resolver | None) -> None:
        self._resolver = resolver
        self.refused: str | None = None

    def __call__(self, uri: str, /) -> dict[str, JsonValue]:
        if self._resolver is None:
            self.refused = uri
            raise LookupError(uri)
        # jsonschema-rs changes nothing in it, and refuses it itself if it is no schema.
        return cast("dict[str, JsonValue]", self._resolver(uri))


def _patterns() -> "FancyRegexOptions":
    from jsonschema_rs import FancyRegexOptions

    return FancyRegexOptions(backtrack_limit=BACKTRACKS)


def _in_place(root: JsonSchema) -> tuple[int, bool]:
    """Return how many schemas at most judge one value, one inside the other; a circle counts once.

    And whether there is such a circle: a schema that judges the value that it judges already.
    """
    longest: dict[int, int] = {}  # 0 while what a schema asks is still looked through
    is_circular = False
    stack = [(inner, False) for _, inner in subschemas(root)]
    while stack:
        schema, done = stack.pop()
        if not isinstance(schema, dict) or (id(schema) in longest and not done):
            continue
        below = [id(inner) for inner in _judging(root, schema)] if done else []
        if done:
            longest[id(schema)] = _weight(schema) + max(
                (longest.get(each, 0) for each in below), default=0
            )
            continue
        longest[id(schema)] = 0
        stack.append((schema, True))
        for inner in _judging(root, schema):
            is_circular = is_circular or longest.get(id(inner)) == 0
            stack.append((inner, False))
    return max(longest.values(), default=0), is_circular


def _levels(schema: JsonSchema | bool) -> int:
    """Return how many schemas are inside each other, references not followed."""
    level, count = [schema], 0
    while level:
        count += 1
        level = [
            inner for outer in level if isinstance(outer, dict) for _, inner in children(outer)
        ]
    return count


def _judging(root: JsonSchema, schema: JsonSchema) -> Iterator[JsonSchema | bool]:
    for steps, inner in children(schema):
        if steps[0] in IN_PLACE:
            yield inner
    if isinstance(target := find_target(root, schema.get("$ref")), dict):
        yield target


def _weight(schema: JsonSchema) -> int:
    return 1 if UNEVALUATED.isdisjoint(schema) else _UNEVALUATED


def _reference(schema: JsonSchema | bool, is_meant: Callable[[str], bool]) -> str | None:
    """Return the place of the first reference that is meant."""
    for keys, inner in subschemas(schema):
        reference = inner.get("$ref") if isinstance(inner, dict) else None
        if isinstance(reference, str) and is_meant(reference):
            return pointer_of((*keys, "$ref"))
    return None


def _leads_out_to(address: str, reference: str) -> bool:
    document = reference.split("#", maxsplit=1)[0]
    return bool(document) and document in address


def _leads_nowhere(schema: JsonSchema | bool, reference: str) -> bool:
    return reference.startswith("#/") and find_target(schema, reference) is None

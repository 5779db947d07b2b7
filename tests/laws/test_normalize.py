"""The laws of `normalize`: the meaning of a schema stays, and it is idempotent."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from laws import law

from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.references import reference_to
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.vocabulary import DYNAMIC_REFERENCES

Schema = dict[str, Any]
NAMES = "ABC"
KEYS = st.sampled_from("abcd")
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2, 5, 1.5, "", "a", "b", "abc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
COUNTS = st.integers(0, 3)

LEAVES: dict[str, st.SearchStrategy[Any]] = {
    "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
    "enum": st.lists(VALUES, min_size=1, max_size=4),
    "const": VALUES,
    "minimum": COUNTS,
    "maximum": COUNTS,
    "multipleOf": st.sampled_from([0.5, 1, 2, 3]),
    "minLength": COUNTS,
    "pattern": st.sampled_from(["a", "^b", "c$"]),
    "maxItems": COUNTS,
    "uniqueItems": st.booleans(),
    "required": st.lists(KEYS, max_size=2, unique=True),
    "maxProperties": COUNTS,
    "dependentRequired": st.dictionaries(KEYS, st.lists(KEYS, max_size=2, unique=True), max_size=2),
    "description": st.sampled_from(["x", "y"]),
}
BELOW = ("additionalProperties", "contains", "items", "propertyNames", "unevaluatedItems")
BELOW_NAMED = ("properties", "properties", "patternProperties")
HERE = ("not", "if", "then", "else", "allOf", "anyOf", "oneOf", "allOf", "dependentSchemas", "$ref")
OLD = ("nullable", "x-nullable", "exclusiveMinimum", "additionalItems", "dependencies", "tuple")


@st.composite
def schemas(draw: st.DrawFn, here: str, old: bool, depth: int = 0) -> Any:
    """A schema. For the same value it refers only to the names in `here`: no cycles."""
    if depth and draw(st.integers(0, 15)) == 0:
        return draw(st.booleans())
    more = (*BELOW, "unevaluatedProperties", "prefixItems", *BELOW_NAMED, *HERE)
    if old:
        more = (*BELOW[:-1], *BELOW_NAMED, *HERE[:1], *HERE[4:], *OLD, "nullable")
    keywords = st.sampled_from((*LEAVES, "type", "type", *(more if depth < 3 else ())))
    schema: Schema = {}
    for keyword in draw(st.lists(keywords, max_size=4, unique=True)):
        draw(_keyword(schema, keyword, here, old, depth + 1))
    return schema


@st.composite
def _keyword(
    draw: st.DrawFn, schema: Schema, keyword: str, here: str, old: bool, depth: int
) -> None:
    below, same = schemas(NAMES, old, depth), schemas(here, old, depth)
    if keyword in LEAVES:
        schema[keyword] = draw(LEAVES[keyword])
    elif keyword in ("allOf", "anyOf", "oneOf"):
        schema[keyword] = draw(st.lists(same, min_size=1, max_size=3))
    elif keyword in BELOW or keyword in ("unevaluatedProperties", "additionalItems"):
        schema[keyword] = draw(st.just(False) | below)
    elif keyword in ("not", "if", "then", "else"):
        schema[keyword] = draw(same)
    elif keyword == "properties":
        schema[keyword] = draw(st.dictionaries(KEYS, below, max_size=3))
    elif keyword == "patternProperties":
        schema[keyword] = draw(st.dictionaries(st.sampled_from(["^a", "b"]), below, max_size=2))
    elif keyword in ("prefixItems", "tuple"):
        schema["items" if old else keyword] = draw(st.lists(below, min_size=1, max_size=2))
    elif keyword == "dependentSchemas":
        schema[keyword] = draw(st.dictionaries(KEYS, same, max_size=2))
    elif keyword == "dependencies":
        schema[keyword] = draw(st.dictionaries(KEYS, same | st.lists(KEYS, max_size=1), max_size=2))
    elif keyword == "$ref" and here:
        prefix = "#/definitions/" if old else "#/$defs/"
        schema[keyword] = prefix + draw(st.sampled_from(here))
    elif keyword in ("nullable", "x-nullable", "exclusiveMinimum"):
        schema[keyword] = draw(st.booleans())


@st.composite
def with_definitions(draw: st.DrawFn, old: bool) -> Schema:
    """A schema with definitions A to C; each refers only to later ones for the same value."""
    root = draw(schemas(NAMES, old).filter(lambda schema: isinstance(schema, dict)))
    own = {name: draw(schemas(NAMES[n + 1 :], old, 1)) for n, name in enumerate(NAMES)}
    return {**root, "definitions" if old else "$defs": own}


def in_2020_12(schema: Any) -> Any:
    """Return a schema of an old draft in 2020-12: keyword by keyword, without merging."""
    if isinstance(schema, bool):
        return schema
    written: Schema = {}
    parts: list[Any] = []
    for keyword, value in schema.items():
        if keyword in ("properties", "patternProperties", "dependentSchemas"):
            written[keyword] = {name: in_2020_12(inner) for name, inner in value.items()}
        elif keyword in ("allOf", "anyOf", "oneOf"):
            written[keyword] = [in_2020_12(inner) for inner in value]
        elif keyword == "items" and isinstance(value, list):
            written["prefixItems"] = [in_2020_12(inner) for inner in value]
            written["items"] = in_2020_12(schema.get("additionalItems", True))
        elif keyword in (*BELOW, "not"):
            written[keyword] = in_2020_12(value)
        elif keyword == "$ref":
            written[keyword] = value.replace("definitions", "$defs")
        elif keyword == "dependencies":
            for name, needed in value.items():
                kind = "dependentRequired" if isinstance(needed, list) else "dependentSchemas"
                parts.append(
                    {kind: {name: needed if isinstance(needed, list) else in_2020_12(needed)}}
                )
        elif keyword not in (
            "definitions",
            "nullable",
            "x-nullable",
            "exclusiveMinimum",
            "additionalItems",
        ):
            written[keyword] = value
    if schema.get("exclusiveMinimum") and "minimum" in written:
        written["exclusiveMinimum"] = written.pop("minimum")
    if "type" in written and None in schema.get("enum", ()):
        # The only keyword that is normalized to its intended meaning.
        written["type"] = list(
            {*([written["type"]] if isinstance(written["type"], str) else written["type"]), "null"}
        )
    written = {"allOf": [written, *parts]}
    if schema.get("nullable") or schema.get("x-nullable"):
        written = {"anyOf": [written, {"type": "null"}]}
    own = {name: in_2020_12(inner) for name, inner in schema.get("definitions", {}).items()}
    return {**written, "$defs": own} if own else written


def verdicts(schema: Any, values: list[Any]) -> list[bool]:
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
    return [validator.is_valid(value) for value in values]


@law(100, most=1_000)  # of up to 20 values each
@given(with_definitions(old=False), st.lists(VALUES, min_size=5, max_size=20))
def test_a_schema_of_2020_12_keeps_its_meaning(schema: Schema, values: list[Any]):
    for part in [schema, *schema["$defs"].values()]:
        _unwritten(part)
    before = json.dumps(schema)
    result = normalize(schema)
    assert verdicts(result, values) == verdicts(schema, values)
    assert json.dumps(normalize(result)) == json.dumps(result)
    assert json.dumps(schema) == before


@law(100, most=1_000)  # of up to 20 values each
@given(with_definitions(old=True), st.lists(VALUES, min_size=5, max_size=20))
def test_a_schema_of_an_older_draft_keeps_its_meaning(schema: Schema, values: list[Any]):
    before = json.dumps(schema)
    result = normalize(schema)
    assert verdicts(result, values) == verdicts(in_2020_12(schema), values)
    assert json.dumps(normalize(result)) == json.dumps(result)
    assert json.dumps(schema) == before


def _unwritten(schema: Any) -> None:
    """Remove `null` from each `enum` beside a type: it widens the type."""
    stack = [schema]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict):
            if isinstance(inner.get("enum"), list) and "type" in inner:
                inner["enum"] = [value for value in inner["enum"] if value is not None] or [0]
            stack.extend(inner.values())
        elif isinstance(inner, list):
            stack.extend(inner)


PLACES = ("$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "definitions")
PLACES += ("$defs", "$schema", "items", "prefixItems", "examples", "format", "$comment", "x-a")
JUNK = st.recursive(
    st.sampled_from([None, True, False, 0, -1, 1.5, "", "a", "1", "#", "#/definitions/A", "("])
    | st.sampled_from(["string", "any", "http://x/y", "http://json-schema.org/draft-04/schema#"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (*LEAVES, *BELOW, *BELOW_NAMED, *HERE, *OLD, *PLACES, "discriminator", "example")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@law(150)
@given(st.dictionaries(st.sampled_from([*LEAVES, *HERE, *OLD, "definitions", "items"]), JUNK))
def test_any_json_is_normalized_or_refused(schema: Schema):
    before = json.dumps(schema)
    try:
        result = normalize(schema)
    except SchemaError:
        return
    assert json.dumps(normalize(result)) == json.dumps(result)
    assert json.dumps(schema) == before
    if not _leads_nowhere(result):
        jsonschema_rs.Draft202012Validator(result)


def _leads_nowhere(schema: Schema) -> bool:
    own = {reference_to(name) for name in schema.get("$defs", {})}
    return any(r not in own for r in _references(schema))


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


NOT_THE_SAME = {
    (
        "draft2020-12",
        "schema that uses custom metaschema with with no validation vocabulary",
    ): "a metaschema that turns assertions off is not read: a schema means what its keywords say",
}


ELSEWHERE = re.compile(r'"\$ref": "http://')
"""References to other documents, which stay as they are."""


@pytest.mark.parametrize(("draft", "count"), [("draft2020-12", 1222), ("draft4", 597)])
def test_the_official_suite_gives_the_expected_verdicts(shared: Path, draft: str, count: int):
    seen = 0
    wrong: list[tuple[str, str, Any]] = []
    for file in sorted((shared / "suite" / "tests" / draft).glob("*.json")):
        for group in json.loads(file.read_text("utf-8")):
            schema = group["schema"]
            if draft == "draft4":
                schema = {"$schema": "http://json-schema.org/draft-04/schema#", **schema}
            try:
                result = normalize(schema)
            except SchemaError:  # a dynamic reference
                continue
            if ELSEWHERE.search(json.dumps(result)):
                continue
            assert json.dumps(normalize(result)) == json.dumps(result)
            tests = group["tests"]
            found = verdicts(result, [test["data"] for test in tests])
            seen += len(tests)
            wrong += [
                (file.name, group["description"], test["data"])
                for test, verdict in zip(tests, found, strict=True)
                if verdict != test["valid"] and (draft, group["description"]) not in NOT_THE_SAME
            ]
    assert wrong == []
    assert seen == count


@pytest.mark.slow
def test_every_schema_of_real_documents_is_normalized(shared: Path):
    count = 0
    for file in sorted((shared / "corpus").rglob("*.*")):
        components = {} if file.suffix == ".csv" else _components(file)
        before = json.dumps(components)
        whole: Any = normalize({"$defs": components})
        assert json.dumps(normalize(whole)) == json.dumps(whole)
        assert json.dumps(components) == before
        results = whole.get("$defs", {})
        if results and not _leads_nowhere(whole):
            anyone = [{"$ref": reference_to(name)} for name in results]
            jsonschema_rs.Draft202012Validator({**whole, "anyOf": anyone})
        count += len(results)
    assert count > 6_990


def _components(file: Path) -> Schema:
    """Return the schemas of a document by name, with references to definitions only."""
    try:
        text = file.read_text("utf-8-sig")
        is_json = file.suffix == ".json"
        document = json.loads(text) if is_json else yaml.CSafeLoader(text).get_single_data()
        document = json.loads(json.dumps(document, default=str))
    except (
        OSError,
        ValueError,
        yaml.YAMLError,
    ):  # some documents are broken on purpose, and a folder is no file
        return {}
    if not isinstance(document, dict):
        return {}
    found = document.get("definitions")
    if found is None and isinstance(document.get("components"), dict):
        found = document["components"].get("schemas")
    text = json.dumps(found if isinstance(found, dict) else {})
    for prefix in ("#/components/schemas/", "#/definitions/"):
        text = text.replace(f'"$ref": "{prefix}', '"$ref": "#/$defs/')
    for keyword in DYNAMIC_REFERENCES:
        text = text.replace(f'"{keyword}"', f'"x-{keyword}"')
    return {name: s for name, s in json.loads(text).items() if isinstance(s, dict | bool)}

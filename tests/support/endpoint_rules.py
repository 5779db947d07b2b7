"""What each vendor's endpoint refuses in a schema, by its own error messages.

Written from those messages, not from `dialects.table`, so that the two can disagree. Each rule has
its source; all were read on 2026-11-23.
"""

import json
import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jsonschema_rs

from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.walk import subschemas

Node = dict[str, Any]
Rule = Callable[[Node], Iterator[str]]
META = "https://json-schema.org/draft/2020-12/schema"
COMPOSITION = ("allOf", "anyOf", "oneOf")


def nodes(schema: Node) -> Iterator[tuple[str, Node]]:
    for keys, inner in subschemas(schema):
        if isinstance(inner, dict):
            yield pointer_of(keys), inner


def types_of(node: Node) -> list[str]:
    named = node.get("type")
    return named if isinstance(named, list) else [] if named is None else [named]


def is_json_schema(schema: Node) -> Iterator[str]:
    """Every endpoint validates a schema with the metaschema of 2020-12."""
    if not jsonschema_rs.meta.is_valid({**schema, "$schema": META}):
        yield "the metaschema refuses it"


def has_plain_root(schema: Node, *, refused: tuple[str, ...] = COMPOSITION) -> Iterator[str]:
    """langchain-ai/langchainjs#9804, anthropics/claude-code#40075, spring-ai#4776."""
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        yield "the root must be an object with properties"
    for keyword in refused:
        if keyword in schema:
            yield f"the root has `{keyword}`"


def has_items(schema: Node) -> Iterator[str]:
    """AnswerDotAI/fastcore#798 (OpenAI), NousResearch/hermes-agent#69924 (Gemini)."""
    for at, node in nodes(schema):
        if "array" in types_of(node) and not isinstance(node.get("items"), dict):
            yield f"{at}: array schema missing items"


def has_python_patterns(schema: Node) -> Iterator[str]:
    """BerriAI/litellm#40485, bman654/clodex#203, vercel/ai#20021: OpenAI."""
    for at, node in nodes(schema):
        for pattern in [node.get("pattern"), *(node.get("patternProperties") or ())]:
            if pattern is None:
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    re.compile(pattern)
            except (re.error, OverflowError):
                yield f"{at}: {pattern!r} is not a 'regex'"
            if re.search(r"\(\?<?[=!]", pattern):
                yield f"{at}: regex lookaround is not supported"


def has_short_keys(schema: Node, *, key: str) -> Iterator[str]:
    """PostHog/wizard#1091 (Anthropic); google-genai `Schema` (Gemini)."""
    for at, node in nodes(schema):
        for name in node.get("properties", ()):
            if not re.fullmatch(key, name):
                yield f"{at}: the key {name!r}"


def enforces(schema: Node, *, complete: bool, formats: frozenset[str]) -> Iterator[str]:
    """OpenAI's and Anthropic's guides to structured outputs; pydantic/pydantic-ai#4425."""
    for at, node in nodes(schema):
        if "object" in types_of(node) and node.get("additionalProperties") is not False:
            yield f"{at}: `additionalProperties` must be false"
        if "object" not in types_of(node) and "properties" in node:
            yield f"{at}: `properties` of no object"
        if complete and list(node.get("properties", ())) != node.get("required", []):
            yield f"{at}: `required` must have every property"
        if node.keys().isdisjoint({"type", "$ref", "anyOf", "enum", "const"}):
            yield f"{at}: no type"
        if "$ref" in node and len(node) > 1:
            yield f"{at}: keywords beside `$ref`"
        if node.get("format", next(iter(formats))) not in formats:
            yield f"{at}: the format {node['format']!r}"
        if "type" in node:
            for value in node.get("enum", ()):
                if not jsonschema_rs.is_valid({"type": node["type"]}, value):
                    yield f"{at}: the enum value {value!r} is not of the type"
        if re.search(r"\\[bB1-9]|\(\?<?[=!]", node.get("pattern", "")):
            yield f"{at}: the pattern {node['pattern']!r}"


def has_only(schema: Node, *, keywords: frozenset[str]) -> Iterator[str]:
    for at, node in nodes(schema):
        if unknown := node.keys() - keywords:
            yield f"{at}: {sorted(unknown)}"


def is_not_recursive(schema: Node, *, but_optional: bool = False) -> Iterator[str]:
    """Anthropic's guide; google-genai `types.py`: cyclic references only in optional properties."""
    targets = {f"#/$defs/{name}": inner for name, inner in schema.get("$defs", {}).items()}

    def reached(node: Any) -> Iterator[str]:
        if not isinstance(node, dict):
            return
        if "$ref" in node:
            yield node["$ref"]
        for keyword, value in node.items():
            if keyword == "properties":
                kept = value if not but_optional else node.get("required", ())
                for name in kept:
                    yield from reached(value.get(name))
            elif keyword in ("items", "additionalProperties"):
                yield from reached(value)
            elif keyword in ("prefixItems", *COMPOSITION):
                for each in value:
                    yield from reached(each)

    for start, target in targets.items():
        seen: set[str] = set()
        queue = list(reached(target))
        while queue:
            reference = queue.pop()
            if reference not in seen:
                seen.add(reference)
                queue += reached(targets.get(reference))
        if start in seen or "#" in seen:
            yield f"{start}: cyclic"


def has_gemini_values(schema: Node, *, kinds: tuple[type, ...]) -> Iterator[str]:
    """google-genai 3.4.0 `types.py`; AIStudioToAPI#154 (`property is not defined`)."""
    for at, node in nodes(schema):
        for value in node.get("enum", ()):
            if not isinstance(value, kinds) or isinstance(value, bool):
                yield f"{at}: the enum value {value!r}"
        for name in node.get("required", ()):
            if name not in node.get("properties", ()):
                yield f"{at}: required {name!r} is not defined"
        if "$ref" in node and len(node) > 1:
            yield f"{at}: keywords beside `$ref`"


def is_gemini_schema(schema: Node) -> Iterator[str]:
    """enechange/collmbo#195, browser-use#3786, lobehub#5002, google-genai `Schema`."""
    formats = {"string": ("enum", "date-time"), "integer": ("int32", "int64")}
    formats["number"] = ("float", "double")
    for at, node in nodes(schema):
        if "anyOf" in node:
            if len(node) > 1:
                yield f"{at}: when using any_of, it must be the only field set"
            continue
        kind = node.get("type")
        if not isinstance(kind, str):
            yield f"{at}: no single type"
        if kind == "object" and at and not node.get("properties"):
            yield f"{at}: properties should be non-empty for OBJECT type"
        if "format" in node and node["format"] not in formats.get(str(kind), ()):
            yield f"{at}: the format {node['format']!r}"
        if "enum" in node and (kind != "string" or not all(node["enum"])):
            yield f"{at}: enum of a {kind}, or with an empty value"


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FORMATS = words("date-time time date duration email hostname ipv4 ipv6 uuid")
ANTHROPIC_KEY = r"[a-zA-Z0-9_.-]{1,64}"
GEMINI_WORDS = words(
    "$defs $ref type format title description enum items prefixItems minItems maxItems minimum "
    "maximum anyOf properties additionalProperties required"
)
GEMINI_SCHEMA_WORDS = words(
    "type format title description nullable enum items minItems maxItems properties required "
    "minProperties maxProperties minimum maximum minLength maxLength pattern anyOf default"
)
STRICT_WORDS = words(
    "$defs $ref type properties required additionalProperties items enum const anyOf description "
    "format pattern"
)
OPENAI: tuple[Rule, ...] = (
    is_json_schema,
    partial(has_plain_root, refused=(*COMPOSITION, "not", "enum")),
    has_items,
    has_python_patterns,
)
NUMBERS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
OPENAI_STRICT: tuple[Rule, ...] = (
    *OPENAI,
    partial(enforces, complete=True, formats=FORMATS),
    partial(has_only, keywords=STRICT_WORDS | NUMBERS | {"minItems", "maxItems"}),
)
ANTHROPIC: tuple[Rule, ...] = (
    is_json_schema,
    has_plain_root,
    partial(has_short_keys, key=ANTHROPIC_KEY),
)
ANTHROPIC_STRICT: tuple[Rule, ...] = (
    *ANTHROPIC,
    is_not_recursive,
    partial(enforces, complete=False, formats=FORMATS | {"uri"}),
    partial(has_only, keywords=STRICT_WORDS | {"default", "minItems"}),
)
RULES: dict[tuple[str, bool], tuple[Rule, ...]] = {
    ("openai", False): OPENAI,
    ("openai", True): OPENAI_STRICT,
    ("deepseek", False): OPENAI,
    ("deepseek", True): OPENAI_STRICT,
    ("anthropic", False): ANTHROPIC,
    ("anthropic", True): ANTHROPIC_STRICT,
    ("bedrock", False): ANTHROPIC,
    ("bedrock", True): ANTHROPIC_STRICT,
    ("gemini", False): (
        is_json_schema,
        has_plain_root,
        has_items,
        partial(has_only, keywords=GEMINI_WORDS),
        partial(has_gemini_values, kinds=(str, int, float)),
        partial(is_not_recursive, but_optional=True),
    ),
    ("gemini-schema", False): (
        has_items,
        is_gemini_schema,
        partial(has_only, keywords=GEMINI_SCHEMA_WORDS),
        partial(has_gemini_values, kinds=(str,)),
        partial(has_short_keys, key=r"[A-Za-z_][A-Za-z0-9_]{0,63}"),
    ),
    ("llama", False): (is_json_schema, has_plain_root, has_items),
    ("mcp", False): (is_json_schema,),
}


def refusals(schema: Node, dialect: str, *, strict: bool) -> list[str]:
    """Return what the vendor's endpoint refuses in a schema that is sent to it."""
    json.dumps(schema, allow_nan=False)
    return [text for rule in RULES[dialect, strict] for text in rule(schema)]

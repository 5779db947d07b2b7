"""Hostile documents: T32 YAML, T33 depth and width, and T34 patterns."""

import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy

import pytest
from clock import at_most
from hostile import BODY, DOCUMENT, use, with_reference
from stacks import on_stack

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.limits import Limits
from pyfunctools.record.function import Reading
from pyfunctools.sources.openapi.load import read_yaml
from pyfunctools.sources.openapi.reader import read_document

DEEP = 100_000


def bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 [x]"]
    for level in range(1, levels):
        lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]"]
    return "\n".join([*lines, 'openapi: "3.1.0"', "paths: {}", ""])


TOO_DEEP = (
    "nested more than 256 deep|maximum nesting depth"  # ours, or that of PyYAML from 6.0.4 on
)
REFUSED = {
    "alias bomb": (bomb(9, 9), "more than 2000000 nodes"),
    "alias bomb of objects": (
        bomb(30, 2).replace("[x]", "{k: x}"),
        "more than 2000000 nodes",
    ),
    "merge bomb": ("a: &a {<<: *a}\n", "contains itself"),
    "alias cycle": ("&a [*a]\n", "contains itself"),
    "deep flow": ("a: " + "[" * 3_000 + "\n", TOO_DEEP),
    "deeper flow": ("a: " + "[" * DEEP + "\n", TOO_DEEP),
    "deep block": (
        "".join(" " * depth + "a:\n" for depth in range(1_000)),
        "nested more than 256 deep",
    ),
    "python tag": ("a: !!python/object/apply:os.system [touch made]\n", "the tag"),
    "local tag": ("a: !secret x\n", "the tag"),
    "duplicate key": ("a: 1\nb: 2\na: 3\n", "'a' stands twice"),
    "duplicate key, nested": ("x: {a: 1, 'a': 2}\n", "'a' stands twice"),
    "key that is no text": ("? [a]\n: 1\n", "a key is not text"),
    "no such alias": ("a: *b\n", "there is no anchor 'b'"),
    "two documents": ("a: 1\n---\nb: 2\n", "several documents"),
    "infinity": ("a: .inf\n", "JSON has no number"),
    "a number too long": (f"a: {'1' * 5_000}\n", "too many digits"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_T32_hostile_yaml_is_refused_quickly_and_in_little_memory(name: str) -> None:
    text, reason = REFUSED[name]
    read_document("openapi: 3.1.0\npaths: {}\n")  # loads what is loaded when it is first needed
    tracemalloc.start()
    try:
        with at_most(2), pytest.raises(DocumentError, match=reason):
            read_document(text)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 20 * 2**20


def test_T32_aliases_up_to_the_limit_are_read_and_counted_each_time() -> None:
    text = bomb(5, 6)
    assert read_document(text).functions == ()
    nodes = [1 + 1]  # a list and the text in it, then lists of six of the one before
    for _ in range(4):
        nodes += [1 + 6 * nodes[-1]]
    count = 1 + sum(nodes) + 2
    assert read_document(text, limits=Limits(document_nodes=count)).functions == ()
    with pytest.raises(DocumentError, match=f"more than {count - 1} nodes"):
        read_document(text, limits=Limits(document_nodes=count - 1))


def test_T32_yaml_is_read_as_yaml_1_2() -> None:
    text = "no: no\non: on\noctal: 012\ndate: 2024-01-02\ntime: 12:30:45\n200: y\nexp: 1e3\nn: ~\n"
    assert read_yaml(text, "x", Limits()) == {
        "no": "no",
        "on": "on",
        "octal": "012",
        "date": "2024-01-02",
        "time": "12:30:45",
        "200": "y",
        "exp": 1000.0,
        "n": None,
    }


def of_schema(schema: JsonValue) -> JsonObject:
    document = deepcopy(DOCUMENT)
    document["paths"]["/a/{id}"]["post"]["requestBody"] = {  # type: ignore[index, call-overload]
        "content": {"application/json": {"schema": schema}}
    }
    return document


def nested(begin: str, end: str) -> str:
    return '{"openapi": "3.1.0", "paths": {}, "x": ' + begin * DEEP + "1" + end * DEEP + "}"


def held(make: Callable[[JsonValue], JsonValue]) -> JsonObject:
    value: JsonValue = {}
    for _ in range(DEEP):
        value = make(value)
    return of_schema(value)


DEEP_SOURCES: dict[str, Callable[[], str | JsonObject]] = {
    "text of arrays": lambda: nested("[", "]"),
    "text of objects": lambda: nested('{"a":', "}"),
    "text that never ends": lambda: '{"a":' * DEEP,
    "text of anyOf": lambda: nested('{"anyOf":[', "]}"),
    "text of items": lambda: nested('{"items":', "}"),
    "YAML of arrays": lambda: "a: " + "[" * DEEP + "]" * DEEP + "\n",
    "a mapping of arrays": lambda: held(lambda value: [value]),
    "a mapping of properties": lambda: held(lambda value: {"properties": {"a": value}}),
    "a mapping of anyOf": lambda: held(lambda value: {"anyOf": [value]}),
    "a mapping of allOf": lambda: held(lambda value: {"allOf": [value]}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP_SOURCES)
def test_T33_what_is_nested_too_deep_is_an_error_of_ours_on_any_stack(name: str) -> None:
    source = DEEP_SOURCES[name]()

    def refused() -> None:
        with pytest.raises(DocumentError, match=TOO_DEEP):
            read_document(source)

    refused()
    on_stack(refused)


def chained(keyword: str, count: int) -> JsonObject:
    """Give schemas that each hold the next one, by reference: a depth no document limit sees."""
    schemas: dict[str, JsonValue] = {}
    for index in range(count):
        following: JsonValue = {"$ref": f"#/components/schemas/S{index + 1}"}
        listed = keyword in ("anyOf", "allOf", "oneOf")
        named = keyword == "properties"
        inner: JsonValue = [following] if listed else {"a": following} if named else following
        schemas[f"S{index}"] = {keyword: inner}
    schemas[f"S{count}"] = {"type": "integer"}
    document = with_reference((*BODY, "schema"), None, "#/components/schemas/S0")
    return {**document, "components": {"schemas": schemas}}


@pytest.mark.slow
@pytest.mark.parametrize("keyword", ["properties", "items", "anyOf", "allOf", "oneOf", "not"])
def test_T33_long_chains_of_references_are_read_on_any_stack(keyword: str) -> None:
    document = chained(keyword, 2_000)

    def whole() -> None:
        with at_most(10):
            reading = read_document(document)
            assert len(reading.functions) + len(reading.skipped) == 2
            for function in reading.functions:
                _ = function.parameters, function.output
                # So many schemas that judge one value are more than the validator's stack bears.
                with suppress(SchemaError):
                    function.validate({"id": "x", "body": {"a": {"a": 1}}})

    whole()
    on_stack(whole)


WIDE: dict[str, Callable[[int], JsonObject]] = {
    "properties": lambda i: {"properties": {f"p{i}": {"type": "string"}}},
    "the same property": lambda i: {"properties": {"p": {"maxLength": 5_000 - i}}},
    "required": lambda i: {"required": [f"p{i}"]},
    "pattern": lambda i: {"properties": {"p": {"pattern": f"p{i}?"}}},
    "closed": lambda i: {"properties": {f"p{i}": {}}, "additionalProperties": i % 2 == 0},
    "union": lambda i: {"anyOf": [{"required": [f"p{i}"]}, {}]},
    "enum": lambda i: {"properties": {"p": {"enum": list(range(i, i + 50))}}},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", WIDE)
def test_T33_an_allOf_of_2000_is_read_quickly_on_any_stack(kind: str) -> None:
    document = of_schema({"allOf": [WIDE[kind](index) for index in range(2_000)]})

    def whole() -> None:
        with at_most(10):  # measured: 0.6 s at most
            reading = use(document)
            assert len(reading.functions) == 2

    whole()
    on_stack(whole)


PATTERNS = [
    "^(a+)+$", "^(a|a)*$", "^(?=(a+)+$)", "(.*)*x", "^(a|aa)+$", "(a*)*b", "^([a-zA-Z]+)*$",
    "(.*a){25}", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", r"^(\w+\s?)*$", "(?:a?){30}a{30}",
]  # fmt: skip
"""Patterns that take a backtracking matcher longer than anybody waits."""

LONG = 100_000


def answer(reading: Reading, name: str, value: JsonValue) -> None:
    function = next(each for each in reading.functions if each.name == "a_postById")
    result = function.check(json.dumps({"id": "x", name: value}))
    if not result:
        result.feedback()


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_T34_a_pattern_never_hangs(pattern: str) -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"s": {"type": "string", "pattern": pattern}},
        "patternProperties": {pattern: {"type": "string"}},
        "propertyNames": {"pattern": pattern},
    }
    union: JsonObject = {"anyOf": [schema, {"type": "array", "items": schema["properties"]["s"]}]}  # type: ignore[index, call-overload]
    for whole in (schema, union, {"allOf": [schema, {"properties": {"s": {"pattern": "x$"}}}]}):
        reading = use(of_schema(whole))
        for text in ("a" * LONG, "a" * LONG + "!", "x" * LONG, "ab " * (LONG // 3)):
            for value in ({"s": text}, {text: "v"}, [text]):
                with at_most(2):
                    answer(reading, "body", value)


@pytest.mark.parametrize(
    "piece", ["{", "}", "{a", "a}", "{{", "/", "{a}/", "/:", ":a", "{?", "a_", "-", "\\"]
)
def test_T34_no_long_path_hangs_our_own_patterns(piece: str) -> None:
    path = "/" + piece * (LONG // len(piece))
    with at_most(5):
        reading = read_document({"openapi": "3.1.0", "paths": {path: {"get": {}}}})
        assert len(reading.functions) + len(reading.skipped) == 1


@pytest.mark.parametrize(
    "piece", ["a", " ", "\n", "@param x", "\u200b", "*/", "<", "\r\n", "é\u200d"]
)
def test_T34_no_long_text_hangs_our_own_patterns(piece: str) -> None:
    text = piece * (LONG // len(piece))
    schema = {"type": "string", "description": text, "format": text, "default": text}
    operation = {"operationId": text, "summary": text, "description": text, "tags": [text]}
    parameter = {"name": "q", "in": "query", "description": text, "schema": schema}
    document = {
        "openapi": "3.1.0",
        "servers": [{"url": "https://h/" + text}],
        "paths": {"/a": {"get": {**operation, "parameters": [parameter]}}},
    }
    with at_most(5):
        for names in ("accessor", "operation_id"):
            assert len(use(document, names=names).functions) == 1

"""In schemas of any form the model neither sees nor sets the values of a person.

Each case is the schema of the argument `a`. In these schemas every text for the person contains
`secret`, and no text for the model does.
"""

import json
from typing import Annotated, Any, TypedDict

import pytest
from fastapi import FastAPI
from pydantic import BaseModel, Json, SecretStr, WithJsonSchema

from pyfunctools import Controller, Function, Human, function_of
from pyfunctools.schema import normalize, separate
from pyfunctools.schema.separation.predicates import is_human_by_default

Schema = dict[str, Any]
H = {"type": "string", "x-human": True, "title": "secret"}
S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741
NULL = {"type": "null"}


def obj(properties: Schema, *required: str, **keywords: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": [*required], **keywords}


def arguments(schema: Schema, definitions: Schema | None = None) -> Schema:
    whole = obj({"a": schema, "b": S}, additionalProperties=False)
    return {**whole, "$defs": definitions} if definitions else whole


def both(**keywords: Any) -> Schema:
    return obj({"n": I, "secret": H}, **keywords)


OPEN = {"type": "object"}
OF_MODEL = obj({"n": I}, "n")
OF_PERSON = obj({"secret": H}, "secret")
OF_BOTH = both(additionalProperties=False)
TEXT_OF_BOTH = {"type": "string", "contentMediaType": "application/json", "contentSchema": OF_BOTH}

WHOLE = {
    # One branch of the union is the person's
    "text-or-persons": {"anyOf": [H, I]},
    "null-beside-both": {"oneOf": [NULL, H, I]},
    "nested-union": {"anyOf": [I, {"oneOf": [NULL, {"anyOf": [S, H]}]}]},
    "object-of-persons-or-text": {"anyOf": [OF_PERSON, S]},
    "object-of-persons-or-object": {"anyOf": [OF_PERSON, OF_MODEL]},
    "reference": {"anyOf": [{"$ref": "#/$defs/Secret"}, I]},
    "reference-to-union": {"$ref": "#/$defs/Union"},
    "allOf-of-union": {"allOf": [{"anyOf": [H, I]}, {"default": "secret"}]},
    "type-list": {"type": ["object", "string"], "properties": {"secret": H}},
    "constants": {"enum": [1, {"secret": "x"}], "properties": {"secret": H}},
    "array-of-persons-or-text": {"anyOf": [{"type": "array", "items": H}, S]},
    "union-beside-not": {"anyOf": [H, I], "not": {"const": "secret"}},
    "union-beside-if": {"anyOf": [H, I], "if": {"const": "secret"}, "then": {}},
    "union-beside-dependent": {"anyOf": [OF_PERSON, OF_MODEL], "dependentSchemas": {"secret": {}}},
    "extension": {"anyOf": [H, I], "x-order": ["secret"]},
    "discriminator": {
        "oneOf": [{"$ref": "#/$defs/Secret"}, {"$ref": "#/$defs/Models"}],
        "discriminator": {"propertyName": "kind", "mapping": {"secret": "#/$defs/Secret"}},
    },
    "list-of-unions": {"type": "array", "items": {"anyOf": [H, I]}},
    "map-of-unions": {"type": "object", "additionalProperties": {"anyOf": [H, I]}},
    "tuple-with-a-union": {"type": "array", "prefixItems": [I, {"anyOf": [H, I]}]},
    "only-persons-parts-differ": {"anyOf": [both(), obj({"n": I, "secret2": H})]},
    "persons-or-nothing": {"anyOf": [both(), obj({"n": {**I, "description": "x"}})]},
    "tag-of-persons": {
        "oneOf": [obj({"secret": {**H, "const": tag}, tag: S}) for tag in ("x", "y")],
        "discriminator": {"propertyName": "secret"},
    },
    # A branch of the person beside an open branch that accepts the same values
    "open-branch": {"anyOf": [OPEN, OF_PERSON]},
    "anything": {"anyOf": [{}, OF_PERSON]},
    "map-branch": {"anyOf": [{"type": "object", "additionalProperties": S}, OF_PERSON]},
    # Text that holds JSON with a part for the person
    "content": TEXT_OF_BOTH,
    "content-reference": {**TEXT_OF_BOTH, "contentSchema": {"$ref": "#/$defs/Both"}},
    "content-is-persons": {**TEXT_OF_BOTH, "contentSchema": H},
    "content-deep": {**TEXT_OF_BOTH, "contentSchema": {"items": {"anyOf": [OF_BOTH, NULL]}}},
    "content-in-content": {**TEXT_OF_BOTH, "contentSchema": obj({"in": TEXT_OF_BOTH})},
    "content-behind-reference": {"$ref": "#/$defs/Text"},
    "content-or-null": {"anyOf": [TEXT_OF_BOTH, NULL]},
    "content-or-number": {"anyOf": [TEXT_OF_BOTH, I]},
    "contents": {"type": "array", "items": TEXT_OF_BOTH},
    "map-of-contents": {"type": "object", "additionalProperties": TEXT_OF_BOTH},
    # Subschemas that do not belong to one path
    "names": {"type": "object", "propertyNames": H, "additionalProperties": I},
    "names-of-some": obj({"n": I}, propertyNames={"anyOf": [H, {"const": "n"}]}),
    "contains": {"type": "array", "items": I, "contains": H},
    "contains-part": {"type": "array", "items": OPEN, "contains": OF_PERSON},
    "not": obj({"n": I}, **{"not": H}),
    "if": obj({"n": I}, **{"if": H, "then": True}),
    "dependent": obj({"n": I}, dependentSchemas={"n": H}),
    "unevaluatedProperties": obj({"n": I}, unevaluatedProperties=H),
    "unevaluatedItems": {"prefixItems": [I], "unevaluatedItems": H},
}
DEFINITIONS: Schema = {
    "Secret": {**obj({"kind": {"const": "secret"}}), "x-human": True},
    "Models": OF_MODEL,
    "Both": OF_BOTH,
    "Text": TEXT_OF_BOTH,
    "Union": {"anyOf": [I, H]},
}
GIVEN = (5, None, "x", ["EVIL"], {}, {"secret": "EVIL"}, {"n": 1, "secret": "EVIL"}, '{"n": 1}')


@pytest.mark.parametrize("schema", WHOLE.values(), ids=WHOLE)
def test_the_whole_argument_belongs_to_the_person(schema: Schema) -> None:
    separated = separate(arguments(schema, DEFINITIONS))
    assert separated.llm == obj({"b": S}, additionalProperties=False)
    for value in GIVEN:
        assert not separated.validate({"a": value}, "llm")
        assert separated.merge({"a": value}, {}).unwrap() == {}
        assert separated.split({"a": value}) == ({}, {"a": value})
        for other in GIVEN:
            merged = separated.merge({"a": other, "b": "x"}, {"a": value})
            assert not merged or merged.value == {"a": value, "b": "x"}


@pytest.mark.parametrize("name", WHOLE)
def test_a_note_reports_a_whole_argument_of_the_person(name: str) -> None:
    parameters = arguments(WHOLE[name], DEFINITIONS)
    function = Function.from_schema(name="f", description="", parameters=parameters)
    notes = [str(note) for note in function.notes if "is_human=" in str(note)]
    direct = {"not", "if", "dependent"}  # marked as themselves
    assert len(notes) == (name not in direct)
    assert all(text.startswith("`$input.a` is the person's as a whole") for text in notes)
    own = Function.from_schema(
        name="f", description="", parameters=parameters, is_human=lambda path, _: path == "$input.b"
    )
    assert list(own.separated.llm["properties"]) == ["a"]  # type: ignore[union-attr, arg-type]
    assert not [note for note in own.notes if "is_human=" in str(note)]


SPLIT: dict[str, tuple[Schema, Any, Any, Any]] = {
    # schema, the model's attempt, the rest of it, and valid whole arguments
    "parts-of-both-split": (
        {"anyOf": [both(), S]},
        {"n": 1, "secret": "EVIL"},
        {"n": 1},
        {"n": 1, "secret": "s"},
    ),
    "distinguished-by-a-tag-split": (
        {"oneOf": [obj({"k": {"const": k}, "secret": H}, "k") for k in ("x", "y")]},
        {"k": "y", "secret": "EVIL"},
        {"k": "y"},
        {"k": "y", "secret": "s"},
    ),
    "distinguished-by-a-name-split": (
        {"anyOf": [obj({"v": S, "secret": H}, "v"), obj({"w": S, "secret2": H}, "w")]},
        {"v": "x", "secret2": "EVIL"},
        {"v": "x"},
        {"w": "x", "secret2": "s"},
    ),
    "mapping-split": (
        {
            "oneOf": [{"$ref": "#/$defs/One"}, {"$ref": "#/$defs/Two"}],
            "discriminator": {
                "propertyName": "k",
                "mapping": {"x": "#/$defs/One", "y": "#/$defs/Two"},
                "x-note": "secret",
            },
        },
        {"k": "x", "n": 1, "secret": "EVIL"},
        {"k": "x", "n": 1},
        {"k": "x", "n": 1, "secret": "s"},
    ),
    "beside-a-union-split": (
        obj({"n": I}, anyOf=[OF_PERSON, {"properties": {"w": S}}]),
        {"n": 1, "secret": "EVIL"},
        {"n": 1},
        {"n": 1, "w": "x", "secret": "s"},
    ),
    "null-split": ({"anyOf": [both(), NULL]}, {"secret": "EVIL"}, {}, {"n": 1, "secret": "s"}),
    "tuple-split": (
        {"type": "array", "prefixItems": [I, H]},
        [1, "EVIL"],
        None,  # a list without its second item
        [1, "s"],
    ),
    "list-split": (
        {"type": "array", "items": both()},
        [{"n": 1, "secret": "EVIL"}],
        [{"n": 1}],
        [{"n": 1, "secret": "s"}],
    ),
    "list-of-unions-split": (
        {"type": "array", "items": {"anyOf": [both(), S]}},
        ["x", {"n": 1, "secret": "EVIL"}],
        ["x", {"n": 1}],
        ["x", {"n": 1, "secret": "s"}],
    ),
    "map-split": (
        {"type": "object", "additionalProperties": both()},
        {"k": {"n": 1, "secret": "EVIL"}},
        {"k": {"n": 1}},
        {"k": {"n": 1, "secret": "s"}},
    ),
    "open-branch-split": (
        {"anyOf": [OPEN, both()]},
        {"more": 1, "secret": "EVIL"},
        {"more": 1},
        {"more": 1, "secret": "s"},
    ),
    "closed-branch-split": (
        {"anyOf": [both(additionalProperties=False), OPEN]},
        {"more": 1, "secret": "EVIL"},
        {"more": 1},
        {"more": 1},
    ),
    "map-branch-split": (
        {"anyOf": [{"type": "object", "additionalProperties": S}, both()]},
        {"more": "x", "secret": "EVIL"},
        {"more": "x"},
        {"more": "x", "secret": "s"},
    ),
    "anything-split": ({"anyOf": [{}, both()]}, {"secret": "EVIL"}, {}, {"n": 1, "secret": "s"}),
    "pattern-split": (
        {"type": "object", "patternProperties": {"^secret": H}, "additionalProperties": I},
        {"n": 1, "secret_x": "EVIL"},
        {"n": 1},
        {"n": 1, "secret_x": "s"},
    ),
    "dependent-part-split": (
        obj({"n": I}, dependentSchemas={"n": obj({"secret": H})}),
        {"n": 1, "secret": "EVIL"},
        {"n": 1},
        {"n": 1, "secret": "s"},
    ),
    "if-part-split": (
        obj({"n": I}, **{"if": obj({"secret": H}), "then": True}),
        {"n": 1, "secret": "EVIL"},
        {"n": 1},
        {"n": 1, "secret": "s"},
    ),
    "heir-split": (
        {"$ref": "#/$defs/Pet"},
        {"kind": "cat", "secret": "EVIL"},
        {"kind": "cat"},
        {"kind": "cat", "secret": "s"},
    ),
    "heir-in-a-list-split": (
        {"type": "array", "items": {"allOf": [{"$ref": "#/$defs/Pet"}], "description": "x"}},
        [{"kind": "cat", "secret": "EVIL"}],
        [{"kind": "cat"}],
        [{"kind": "cat", "secret": "s"}],
    ),
    "default-heir-split": (
        {"$ref": "#/$defs/Thing"},
        {"kind": "x", "secret": "EVIL"},
        {"kind": "x"},
        {"kind": "x", "secret": "s"},
    ),
}
SUBTYPES: Schema = {
    "One": obj({"k": {"const": "x"}, "n": I, "secret": H}, "k", additionalProperties=False),
    "Two": obj({"k": {"const": "y"}, "w": S}, "k", additionalProperties=False),
    "Pet": obj(
        {"kind": S},
        discriminator={"propertyName": "kind", "mapping": {"cat": "#/$defs/Cat", "dog": "Dog"}},
    ),
    "Cat": {"allOf": [{"$ref": "#/$defs/Pet"}, obj({"secret": H})]},
    "Dog": {"allOf": [{"$ref": "#/$defs/Pet"}, obj({"tail": S})]},
    "Thing": obj(
        {"kind": S}, discriminator={"propertyName": "kind", "defaultMapping": "#/$defs/Cat"}
    ),
}


@pytest.mark.parametrize(("schema", "tried", "left", "whole"), SPLIT.values(), ids=SPLIT)
def test_each_side_gives_only_its_part(schema: Schema, tried: Any, left: Any, whole: Any) -> None:
    parameters = arguments(schema, SUBTYPES)
    function = Function.from_schema(name="f", description="", parameters=parameters)
    assert function.separated is not None
    assert "secret" not in json.dumps(function.separated.llm)
    assert not function.validate({"a": tried}, "llm")
    merged = function.merge(llm={"a": tried}, human={})
    assert not merged if left is None else merged.unwrap() == {"a": left}
    llm, human = function.separated.split({"a": whole})
    assert "'s'" not in str(llm)
    assert function.validate(llm, "llm")
    assert function.validate(human, "human")
    assert function.merge(llm=llm, human=human).unwrap() == {"a": whole}


HARMLESS = {
    "union": {"anyOf": [S, I, NULL], "not": {"const": "x"}, "x-order": [1]},
    "type-list": {"type": ["object", "string"], "properties": {"n": I}},
    "content": {**TEXT_OF_BOTH, "contentSchema": OF_MODEL},
    "no-content": {"type": "string", "contentMediaType": "application/json"},
    "names": {"type": "object", "propertyNames": {"pattern": "^a"}, "additionalProperties": I},
    "contains": {"type": "array", "items": I, "contains": {"const": 1}},
    "no": {"type": "string", "format": "binary", "x-human": "no"},
    "heirs": {
        "type": "object",
        "discriminator": {"propertyName": "k", "mapping": {"x": "#/$defs/Two"}},
    },
}


@pytest.mark.parametrize("schema", HARMLESS.values(), ids=HARMLESS)
def test_a_schema_without_a_part_of_the_person_is_unchanged(schema: Schema) -> None:
    whole = normalize(arguments(schema, SUBTYPES))
    separated = separate(whole)
    llm, defined = {**separated.llm}, {**whole}
    reached = llm.pop("$defs", {})
    assert reached.items() <= defined.pop("$defs", {}).items()  # what nothing refers to goes
    assert llm == defined
    assert separated.human is None
    assert separated.lost == ()
    beside = {**whole, "properties": {**whole["properties"], "pin": H}}
    assert separate(beside).llm["properties"]["a"] == whole["properties"]["a"]  # type: ignore[call-overload, index]


MARKS = {
    "true": True,
    "yes": "yes",
    "text": "true",
    "number": 1,
    "object": {"ask": "Your PIN"},
}
NO_MARKS = {"false": False, "no": "No", "text": "false", "zero": 0, "null": None}


@pytest.mark.parametrize("key", ["x-human", "x-samchon-human"])
@pytest.mark.parametrize("mark", [*MARKS.values(), *NO_MARKS.values()], ids=[*MARKS, *NO_MARKS])
def test_any_truthy_mark_counts_in_a_schema_and_beside_a_reference(key: str, mark: Any) -> None:
    for schema in ({**S, key: mark}, {"$ref": "#/$defs/Text", key: mark}):
        separated = separate(arguments(schema, {"Text": S}))
        assert ("a" in separated.llm["properties"]) is (mark in [*NO_MARKS.values()])  # type: ignore[operator]


def document(parameter: Schema, body: Schema, **components: Any) -> Schema:
    operation = {"parameters": [parameter], "requestBody": body, "responses": {}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/x": {"post": operation}},
        "components": components,
    }


def json_body(schema: Schema, **beside: Any) -> Schema:
    return {"content": {"application/json": {"schema": schema, **beside}}}


def function_in(source: Schema) -> Function:
    (function,) = Controller.from_openapi(source, server="http://127.0.0.1:9").functions
    return function


Q = {"name": "q", "in": "query", "schema": S, "description": "secret words"}
PARAMETERS = {
    "parameter": (Q, {}),
    "header": ({**Q, "in": "header"}, {}),
    "cookie": ({**Q, "in": "cookie"}, {}),
    "content": (
        {"name": "q", "in": "query", "content": {"application/json": {"schema": S}}},
        {},
    ),
    "reference": ({"$ref": "#/components/parameters/Q"}, {"parameters": {"Q": Q}}),
    "schema-reference": (
        {**Q, "schema": {"$ref": "#/components/schemas/Q"}},
        {"schemas": {"Q": S}},
    ),
}


@pytest.mark.parametrize("key", ["x-human", "x-samchon-human"])
@pytest.mark.parametrize("mark", [*MARKS.values(), *NO_MARKS.values()], ids=[*MARKS, *NO_MARKS])
@pytest.mark.parametrize(("parameter", "components"), PARAMETERS.values(), ids=PARAMETERS)
def test_any_truthy_mark_counts_on_a_parameter_of_a_document(
    parameter: Schema, components: Schema, mark: Any, key: str
) -> None:
    function = function_in(document({**parameter, key: mark}, json_body(S), **components))
    (group,) = set(function.parameters["properties"]) - {"body"}  # type: ignore[call-overload]
    if mark in [*NO_MARKS.values()]:
        assert function.separated is None
        return
    assert function.separated is not None
    assert "q" not in json.dumps(function.separated.llm)
    assert "secret" not in function.description
    assert function.merge(llm={group: {"q": "EVIL"}, "body": "x"}, human={}).unwrap() == {
        "body": "x"
    }


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
@pytest.mark.parametrize(
    "place", ["media type", "media type of a parameter", "body", "body's reference", "definition"]
)
def test_any_truthy_mark_counts_around_the_schema_of_a_body_or_parameter(
    place: str, mark: Any
) -> None:
    marked: Schema = {"x-human": mark}
    bodies: dict[str, Schema] = {
        "media type": json_body(S, **marked),
        "body": {**json_body(S), **marked},
        "body's reference": {"$ref": "#/components/requestBodies/B", **marked},
        "definition": {"$ref": "#/components/requestBodies/M"},
    }
    parameter = Q
    if place == "media type of a parameter":
        content = {"application/json": {"schema": S, **marked}}
        parameter = {"name": "q", "in": "query", "content": content}
    components = {"B": json_body(S), "M": {**json_body(S), **marked}}
    source = document(parameter, bodies.get(place, json_body(S)), requestBodies=components)
    separated = function_in(source).separated
    assert separated is not None
    assert len(separated.llm["properties"]) == 1  # type: ignore[arg-type]
    for old in ({"in": "body", "schema": S}, {"in": "formData", "type": "string"}):
        operation = {"parameters": [{"name": "a", **old, **marked}], "responses": {}}
        swagger = {"swagger": "2.0", "info": source["info"], "paths": {"/x": {"post": operation}}}
        assert "a" not in json.dumps(
            (function_in(swagger).separated or separated).llm["properties"]
        )


@pytest.mark.parametrize("mark", ["yes", 1, "true"])
def test_an_operation_with_any_truthy_mark_is_skipped(mark: Any) -> None:
    source = document(Q, json_body(S))
    source["paths"]["/x"]["post"]["x-human"] = mark
    assert not Controller.from_openapi(source, server="http://127.0.0.1:9").functions


@pytest.mark.parametrize("name", [*WHOLE, *SPLIT])
def test_the_body_of_a_document_is_split_in_the_same_way(name: str) -> None:
    schema = WHOLE[name] if name in WHOLE else SPLIT[name][0]
    definitions = DEFINITIONS if name in WHOLE else SUBTYPES
    text = json.dumps({"b": arguments(schema), "d": definitions})
    moved = json.loads(text.replace("#/$defs/", "#/components/schemas/"))
    source = document(Q, json_body(moved["b"]), schemas=moved["d"])
    function = function_in(source)
    separated = function.separated
    assert separated is not None
    assert "secret" not in json.dumps(separated.llm).replace("secret words", "")
    body = separated.llm["properties"]["body"]  # type: ignore[call-overload, index]
    assert ("a" in body["properties"]) is (name in SPLIT)  # type: ignore[call-overload, index, operator]


class Card(BaseModel):
    number: SecretStr = SecretStr("secret-default")
    limit: int = 0


class Note(BaseModel):
    text: str


class Row(TypedDict):
    note: str
    pin: Human[str]


def function_of_hint(hint: Any) -> Function:
    def f(a: Any, b: str = "") -> str:
        return ""

    f.__annotations__["a"] = hint
    return function_of(f)


HINTS = {
    "Json": Json[Card],
    "Json-of-list": Json[list[Card]],
    "Json-of-TypedDict": Json[Row],
    "list-of-Json": list[Json[Card]],
    "Json-or-None": Json[Card] | None,
    "Json-or-int": Json[Card] | int,
    "SecretStr-or-str": SecretStr | str,
    "Human-or-int": Human[str] | int,
    "list": list[SecretStr | int],
    "dict": dict[str, SecretStr | int],
    "tuple": tuple[str, SecretStr | str],
    "keys": dict[Human[str], int],
    "schema": Annotated[str, WithJsonSchema({"type": "string", "x-human": "yes"})],
}


@pytest.mark.parametrize("hint", HINTS.values(), ids=HINTS)
def test_such_a_place_in_a_hint_belongs_to_the_person(hint: Any) -> None:
    function = function_of_hint(hint)
    assert function.separated is not None
    assert list(function.separated.llm["properties"]) == ["b"]  # type: ignore[arg-type]
    assert "secret-default" not in json.dumps(function.separated.llm)
    assert not function.validate({"a": '{"number": "EVIL"}'}, "llm")


SPLIT_HINTS = {
    "Json": Json[Note],
    "models": Card | Note,
    "optional": Card | None,
    "tuple": tuple[str, SecretStr],
    "TypedDict": list[Row],
}


@pytest.mark.parametrize("hint", SPLIT_HINTS.values(), ids=SPLIT_HINTS)
def test_a_hint_is_split_if_possible(hint: Any) -> None:
    function = function_of_hint(hint)
    llm = function.parameters if function.separated is None else function.separated.llm
    assert list(llm["properties"]) == ["a", "b"]  # type: ignore[arg-type]
    assert "secret-default" not in json.dumps(llm)


class Whole(BaseModel):
    pay: Json[Card] | None
    text: str


class Split(BaseModel):
    pay: Card | Note
    text: str


@pytest.mark.parametrize(("model", "kept"), [(Whole, ["text"]), (Split, ["pay", "text"])])
def test_the_body_of_an_application_is_split_in_the_same_way(
    model: type[BaseModel], kept: list[str]
) -> None:
    def pay(body: Any) -> str:
        return ""

    pay.__annotations__["body"] = model
    app = FastAPI()
    app.post("/x")(pay)
    (function,) = Controller.from_fastapi(app)
    assert function.separated is not None
    llm = function.separated.llm
    assert "secret" not in json.dumps(llm)
    assert "number" not in json.dumps(llm)
    assert list(llm["$defs"][model.__name__]["properties"]) == kept  # type: ignore[index, call-overload, arg-type]


def test_a_predicate_is_called_for_the_content_of_a_text() -> None:
    whole = arguments({**TEXT_OF_BOTH, "contentSchema": OF_MODEL})
    asked: list[str] = []
    separated = separate(whole, lambda path, _: bool(asked.append(path)) or path == "$input.a.n")
    assert asked == ["$input", "$input.a", "$input.b", "$input.a", "$input.a.n"]
    assert list(separated.llm["properties"]) == ["b"]  # type: ignore[arg-type]
    assert separated.lost == ("$input.a",)
    assert is_human_by_default(separated.lost[0], {"x-samchon-human": "yes"})


FAMILY: Schema = {
    "Pet": obj({"kind": S}, "kind", discriminator={"propertyName": "kind"}),
    "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, obj({"tail": S})]},
    "Kitten": {"allOf": [{"$ref": "#/components/schemas/Cat"}, obj({"secret": H})]},
}


@pytest.mark.parametrize("mapping", [None, {"c": "Cat"}, {"k": "#/components/schemas/Kitten"}])
@pytest.mark.parametrize("version", ["2.0", "3.0.3"])
def test_a_subtype_known_only_by_its_allof_keeps_its_marks(
    version: str, mapping: dict[str, str] | None
) -> None:
    schemas = json.loads(json.dumps(FAMILY))
    body: Schema = {"$ref": "#/components/schemas/Pet"}
    document: Schema = {"info": {"title": "T", "version": "1"}}
    if version == "2.0":
        schemas["Pet"]["discriminator"] = "kind"
        sent = {"parameters": [{"in": "body", "name": "body", "required": True, "schema": body}]}
        document |= {"swagger": version, "definitions": schemas}
    else:
        if mapping is not None:
            schemas["Pet"]["discriminator"]["mapping"] = mapping
        content = {"application/json": {"schema": body}}
        sent = {"requestBody": {"required": True, "content": content}}
        document |= {"openapi": version, "components": {"schemas": schemas}}
    document["paths"] = {"/pets": {"post": {**sent, "responses": {}}}}
    text = json.dumps(document)
    if version == "2.0":
        text = text.replace("#/components/schemas/", "#/definitions/")
    function = Controller.from_openapi(text, server="http://127.0.0.1:1")["pets_post"]
    assert "secret" not in json.dumps(function.llm)
    assert not function.check({"body": {"kind": "Kitten", "secret": "EVIL"}})
    llm, human = {"body": {"kind": "Kitten", "secret": "EVIL"}}, {"body": {"secret": "s"}}
    merged = function.merge(llm=llm, human=human)
    assert merged.unwrap() == {"body": {"kind": "Kitten", "secret": "s"}}

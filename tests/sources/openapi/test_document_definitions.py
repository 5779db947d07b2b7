"""The `$defs` of a document: names, bundled references, discriminators."""

import json
import re

import pytest

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools.errors import DocumentError
from pyfunctools.schema.ground.references import defined_name, reference_to
from pyfunctools.schema.separation.predicates import is_human_by_default
from pyfunctools.sources.openapi.definition_names import DefinitionNames
from pyfunctools.sources.openapi.document import Document, DocumentPlace, DocumentResolver
from pyfunctools.sources.openapi.document_definitions import DocumentDefinitions
from pyfunctools.sources.openapi.load import Loaded


def names(root: JsonObject, *references: str, uri: str = "") -> list[str]:
    document = Document(
        Loaded(root=root, name="a.json", uri=uri), lambda _: {"a": {"b": {}}, **ROOT}
    )
    defined = DefinitionNames(document)
    found = [defined.of(document.target(each, document.main)) for each in references]
    assert [defined.of(document.target(each, document.main)) for each in references] == found
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,64}", name) for name in found)
    assert all(defined_name(reference_to(name)) == name for name in found)
    return found


ROOT: JsonObject = {
    "openapi": "3.1.0",
    "components": {
        "schemas": {
            "Pet": {"properties": {"name": {}, "a b": {}}},
            "v1.Pet": {},
            "Page<Pet>": {},
            "One[x]": {},
            "One<x>": {},
            "Two_x_": {},
            "Two<x>": {},
            "Pet.properties.tag": {},
            "x" * 70: {},
            "사용자": {},
        },
        "parameters": {"limit": {"schema": {}}},
    },
    "definitions": {"Pet": {}},
    "paths": {"/a": {"get": {"x": {}}}},
}
HOME = "#/components/schemas/"


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        (HOME + "Pet", "Pet"),
        (HOME + "v1.Pet", "v1.Pet"),
        (HOME + "Page<Pet>", "Page_Pet_"),
        (HOME + "Two_x_", "Two_x_"),
        (HOME + "Two<x>", "Two_x__#"),
        (HOME + "One[x]", "One_x__#"),
        (HOME + "One<x>", "One_x__#"),
        (HOME + "x" * 70, "x" * 55 + "_#"),
        (HOME + "사용자", "___"),
        (HOME + "Pet/properties/name", "Pet.properties.name"),
        (HOME + "Pet/properties/a%20b", "Pet.properties.a_b_#"),
        ("#/components/parameters/limit/schema", "components.parameters.limit.schema"),
        ("#/definitions/Pet", "definitions.Pet"),
        ("#/paths/~1a/get/x", "_a.get.x_#"),
        ("#", "root"),
        ("schemas/Order.yaml", "Order"),
        ("schemas/Order.yaml#/a/b", "Order.a.b"),
        ("other.yaml#/components/schemas/v1.Pet", "other.v1.Pet_#"),
        ("other.yaml#/a", "other.a"),
        ("Pet.yaml", "Pet_#"),
        ("https://example.com/x/y.json", "y"),
    ],
)
def test_a_definition_is_called_by_its_own_name_or_the_steps_to_it(
    reference: str, name: str
) -> None:
    (found,) = names(ROOT, reference)
    assert re.sub("[0-9a-f]{8}$", "#", found) == name if name.endswith("#") else found == name


def test_names_are_unique_and_do_not_depend_on_who_asks_first() -> None:
    references = [
        HOME + name for name in ("One[x]", "One<x>", "Two_x_", "Two<x>", "Pet", "Page<Pet>")
    ]
    references += ["#/definitions/Pet", HOME + "Pet/properties/name", "Pet.yaml", "a/Pet.yaml"]
    found = names(ROOT, *references)
    assert len(set(found)) == len(found)
    assert names(ROOT, *references[::-1]) == found[::-1]


def test_files_are_called_relative_to_the_document() -> None:
    uri = "file:///home/me/api.yaml"
    assert names(ROOT, "components/schemas/Order.yaml", "b/c.json#/a", uri=uri) == [
        "Order",
        "b.c.a",
    ]


def test_swagger_schemas_are_under_definitions() -> None:
    root: JsonObject = {
        "swagger": "2.0",
        "definitions": {"Pet": {"x": {}}},
        "components": {"schemas": {"Pet": {}}},
    }
    assert names(root, "#/definitions/Pet", "#/definitions/Pet/x", HOME + "Pet") == [
        "Pet",
        "Pet.x",
        "components.schemas.Pet",
    ]


def complete(
    schema: JsonValue,
    resolver: DocumentResolver | None = None,
    *,
    sent: bool | None = None,
    **root: JsonValue,
) -> JsonValue:
    """Give a schema with the definitions it reaches."""
    document = Document(Loaded(root=root, name="a.json"), resolver)
    definitions = DocumentDefinitions(document, is_human_by_default)
    place = DocumentPlace(schema, "/here", document.main)
    normalized = definitions.normalized(place)
    schema, reached = normalized.schema, definitions.closure(normalized.names).schemas
    if sent is not None:
        schema, reached, _ = definitions.directed(place, sent=sent)
    if not isinstance(schema, dict):
        return schema
    return {**schema, "$defs": reached} if reached else schema


def schemas(**named: JsonValue) -> JsonObject:
    return {"schemas": named}


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


def own(name: str) -> JsonObject:
    return {"$ref": f"#/$defs/{name}"}


TEXT: JsonObject = {"type": "string"}


def test_only_reached_schemas_become_definitions() -> None:
    found = complete(
        {"type": "array", "items": ref("A")},
        components=schemas(A={"properties": {"b": ref("B"), "a": ref("A")}}, B=TEXT, C=TEXT),
    )
    assert found == {
        "type": "array",
        "items": own("A"),
        "$defs": {"A": {"properties": {"b": own("B"), "a": own("A")}}, "B": TEXT},
    }


def test_all_of_is_merged_with_the_targets_of_its_references() -> None:
    found = complete(
        {"allOf": [ref("A"), {"required": ["a"]}]},
        components=schemas(A={"type": "object", "properties": {"a": ref("B")}}, B=TEXT),
    )
    assert found == {
        "type": "object",
        "properties": {"a": own("B")},
        "required": ["a"],
        "$defs": {"B": TEXT},
    }


def test_a_value_that_is_not_a_schema_accepts_anything() -> None:
    assert complete(7) is True


def test_refs_into_other_places_are_definitions_too() -> None:
    found = complete(
        {"items": {"$ref": "#/components/schemas/A/properties/x"}},
        components=schemas(A={"properties": {"x": TEXT}}),
    )
    assert found == {"items": own("A.properties.x"), "$defs": {"A.properties.x": TEXT}}


def test_anchors_and_addresses_are_gone() -> None:
    inner: JsonObject = {
        "$id": "https://example.com/s",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"X": {"$anchor": "x", "type": "string"}},
        "properties": {
            "a": {"$ref": "#/$defs/X"},
            "b": {"$ref": "#x"},
            "c": {"$ref": "s#/$defs/X"},
            "d": {"$dynamicRef": "#x"},
            "e": {"$dynamicRef": "#lost"},
            "f": {"$ref": "#x", "$dynamicRef": "#x"},
        },
    }
    found = complete(ref("A"), components=schemas(A=inner))
    assert isinstance(found, dict)
    text = json.dumps(found)
    assert not any(word in text for word in ("$id", "$anchor", "$dynamicRef", "$schema"))
    definitions = found["$defs"]
    assert isinstance(definitions, dict)
    (_, name) = definitions
    assert definitions["A"] == {
        "properties": {
            "a": own(name),
            "b": own(name),
            "c": own(name),
            "d": own(name),
            "e": {},
            "f": own(name),
        }
    }
    assert definitions[name] == TEXT


def test_a_recursive_reference_is_one_to_the_schema_around_it() -> None:
    tree: JsonObject = {"$recursiveAnchor": True, "items": {"$recursiveRef": "#"}}
    assert complete(ref("A"), components=schemas(A=tree)) == {
        **own("A"),
        "$defs": {"A": {"items": own("A")}},
    }


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
@pytest.mark.parametrize("target", ["#/components/schemas/Cat", "Cat"])
def test_a_discriminator_maps_to_definitions(keyword: str, target: str) -> None:
    pet: JsonObject = {
        keyword: [ref("Cat"), ref("Dog")],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"miau": target, "lost": "Nobody", "odd": 7, "other": "Other"},
            "defaultMapping": "Dog",
        },
    }
    found = complete(pet, components=schemas(Cat=TEXT, Dog=TEXT, Other=TEXT))
    assert isinstance(found, dict)
    assert found["discriminator"] == {
        "propertyName": "kind",
        "defaultMapping": "#/$defs/Dog",
        "mapping": {"miau": "#/$defs/Cat", "Dog": "#/$defs/Dog"},
    }
    assert isinstance(definitions := found["$defs"], dict)
    assert set(definitions) == {"Cat", "Dog"}


SECRET: JsonObject = {"type": "string", "format": "password"}


@pytest.mark.parametrize("has_mapping", [True, False])
@pytest.mark.parametrize("sent", [True, False])
@pytest.mark.parametrize(
    ("cat", "more"),
    [
        ({"properties": {"pin": SECRET}}, set[str]()),
        ({"properties": {"owner": ref("Owner")}}, {"Owner"}),
        ({"allOf": [ref("Owner")]}, set[str]()),
        ({"properties": {"token": ref("Word")}}, {"Word"}),
        ({"properties": {"friend": ref("Pet")}}, set[str]()),
        ({"properties": {"name": TEXT}}, None),
    ],
)
def test_a_subtype_is_reached_only_to_be_sent_with_a_persons_part(
    has_mapping: bool, sent: bool, cat: JsonObject, more: set[str] | None
) -> None:
    pet: JsonObject = {"type": "object", "discriminator": {"propertyName": "kind"}}
    if has_mapping:
        mapping = {"cat": "#/components/schemas/Cat", "dog": "Dog", "elk": "Elk"}
        pet = {**pet, "discriminator": {"propertyName": "kind", "mapping": mapping}}
    dog: JsonObject = {"allOf": [ref("Pet"), {"properties": {"name": TEXT}}]}
    found = complete(
        ref("Pet"),
        sent=sent,
        components=schemas(
            Pet=pet,
            Cat={"allOf": [ref("Pet"), cat]},
            Dog=dog,
            Elk={**dog, "x-human": False},
            Owner={"properties": {"pin": SECRET}},
            Word={"writeOnly": True},
        ),
    )
    assert isinstance(found, dict)
    assert isinstance(definitions := found["$defs"], dict)
    is_loop = "friend" in members_of(cat.get("properties"))
    is_private = more is not None and not is_loop
    assert set(definitions) == {"Pet", *(("Cat", *more) if sent and is_private else ())}


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ({"example": {"$ref": "#/components/examples/A"}}, {"examples": [{"a": 1}]}),
        ({"examples": [{"$ref": "#/components/examples/A"}]}, {"examples": [{"a": 1}]}),
        ({"examples": {"x": {"$ref": "#/components/examples/A"}}}, {"examples": [{"a": 1}]}),
        ({"example": {"b": [{"$ref": "#/x/y"}]}}, {"examples": [{"b": ["deep"]}]}),
        ({"examples": [{"$ref": "#/lost"}, 2]}, {"examples": [2]}),
        ({"example": {"$ref": "#/lost"}}, {}),
        ({"example": {"$ref": "#/components/examples/Loop"}}, {}),
    ],
)
def test_references_of_examples_are_followed(written: JsonObject, found: JsonObject) -> None:
    loop: JsonObject = {"value": {"$ref": "#/components/examples/Loop"}}
    root: JsonObject = {"examples": {"A": {"value": {"a": 1}}, "Loop": loop}}
    assert complete({"type": "object", **written}, components=root, x={"y": "deep"}) == {
        "type": "object",
        **found,
    }


def test_other_documents_give_definitions() -> None:
    files: dict[str, JsonObject] = {
        "s/a.json": {"items": {"$ref": "b.json#/X"}},
        "s/b.json": {"X": {"not": {"$ref": "a.json"}}},
    }
    assert complete({"$ref": "s/a.json"}, files.__getitem__) == {
        **own("s.a"),
        "$defs": {"s.a": {"items": own("s.b.X")}, "s.b.X": {"not": own("s.a")}},
    }


@pytest.mark.parametrize("schema", [ref("none"), {"items": {"$ref": "b.json"}}, ref("Loop")])
def test_a_broken_reference_is_an_error_with_its_pointer(schema: JsonObject) -> None:
    with pytest.raises(DocumentError):
        complete(schema, components=schemas(Loop=ref("Loop")))


def test_an_invalid_schema_is_an_error_with_its_pointer() -> None:
    with pytest.raises(
        DocumentError, match=r"This schema cannot be read: .*at /components/schemas/A"
    ):
        complete({"items": ref("A")}, components=schemas(A={"enum": [float("nan")]}))


def test_a_definition_does_not_change_with_the_document() -> None:
    size: dict[str, JsonValue] = {"type": "string", "maxLength": 3}
    document = Document(Loaded(root={"components": schemas(A=size)}, name="a.json"), None)
    place = DocumentPlace({"properties": {"a": size, "b": ref("A")}}, "/here", document.main)
    definitions = DocumentDefinitions(document, is_human_by_default)
    found = definitions.normalized(place)
    reached = definitions.closure(found.names).schemas
    size["maxLength"] = 7
    expected = {"type": "string", "maxLength": 3}
    assert found.schema == {"properties": {"a": expected, "b": own("A")}}
    assert reached == {"A": expected}


def test_the_document_is_unchanged_and_deep_schemas_need_no_stack() -> None:
    deep: JsonObject = TEXT
    for _ in range(240):
        deep = {"items": deep}
    root: JsonObject = {"components": schemas(A=deep, B={"allOf": [ref("A"), {"minItems": 1}]})}
    before = json.dumps(root)
    complete(ref("B"), **root)
    assert json.dumps(root) == before

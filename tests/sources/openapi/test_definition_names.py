"""What the definitions of a document are called."""

import re

import pytest

from pyfunctools._json import JsonObject
from pyfunctools.schema.ground.references import defined_name, definition
from pyfunctools.sources.openapi.document import Document
from pyfunctools.sources.openapi.document_definitions import DefinedNames
from pyfunctools.sources.openapi.load import Loaded


def names(root: JsonObject, *references: str, uri: str = "") -> list[str]:
    document = Document(
        Loaded(root=root, name="a.json", uri=uri), lambda _: {"a": {"b": {}}, **ROOT}
    )
    defined = DefinedNames(document)
    found = [defined.of(document.target(each, document.main)) for each in references]
    assert [defined.of(document.target(each, document.main)) for each in references] == found
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,64}", name) for name in found)
    assert all(defined_name(definition(name)) == name for name in found)
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


def test_swagger_keeps_its_schemas_elsewhere() -> None:
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

"""Which operations reach a reference that leads nowhere."""

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.sources.openapi.document import Document, Place, Reach, Resolver
from pyfunctools.sources.openapi.load import load


def reach(schemas: JsonObject, resolver: Resolver | None = None) -> tuple[Reach, Document]:
    loaded = load({"components": {"schemas": schemas}})
    document = Document(loaded, resolver)
    return Reach(document, loaded.references), document


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


def problem(schemas: JsonObject, schema: JsonValue = None, resolver: Resolver | None = None) -> str:
    found, document = reach(schemas, resolver)
    return found.problem(Place(ref("A") if schema is None else schema, "", document.main)) or ""


TREE: JsonObject = {"properties": {"left": ref("A"), "right": ref("B")}}


@pytest.mark.parametrize(
    "schemas",
    [
        {"A": {"type": "string"}},
        {"A": TREE, "B": {"items": ref("A")}},
        {"A": {"allOf": [ref("B")]}, "B": {"type": "string"}},
        {"A": {"allOf": [ref("B"), ref("C")]}, "B": True, "C": False},
        {"A": {"$ref": "#/components/schemas/B", "description": "x"}, "B": {"type": "string"}},
        {"A": {"anyOf": [ref("A"), {"type": "string"}]}},
    ],
)
def test_where_every_reference_leads_somewhere_all_is_well(schemas: JsonObject) -> None:
    found, _ = reach(schemas)
    assert found.all_well
    assert problem(schemas) == ""


@pytest.mark.parametrize(
    ("schemas", "reason"),
    [
        ({"A": {"items": ref("none")}}, "'#/components/schemas/none' leads nowhere"),
        ({"A": {"items": ref("B")}, "B": {"not": ref("none")}}, "leads nowhere"),
        ({"A": ref("B"), "B": ref("A")}, "leads in a circle"),
        ({"A": {"items": ref("B")}, "B": ref("B")}, "leads in a circle"),
        ({"A": {"allOf": [ref("A")]}}, "leads in a circle"),
        ({"A": {"items": {"$ref": "b.json"}}}, "leads to another document"),
        ({"A": {"items": ref("B")}, "B": [1]}, "leads to something that is no schema"),
        ({"A": {"items": ref("B")}, "B": "x"}, "leads to something that is no schema"),
        ({"A": {"items": ref("B"), "not": ref("none")}, "B": ref("C"), "C": True}, "nowhere"),
    ],
)
def test_what_leads_nowhere_is_found_however_far_it_is(schemas: JsonObject, reason: str) -> None:
    for _ in range(2):
        assert reason in problem(schemas)


def test_only_what_reaches_it_is_hit() -> None:
    found, document = reach(
        {
            "Bad": {"items": ref("none")},
            "Far": {"properties": {"x": ref("Near")}},
            "Near": {"items": ref("Bad"), "not": ref("Far")},
            "Good": {"properties": {"x": ref("Good"), "y": ref("Fine")}},
            "Fine": {"type": "string"},
        }
    )
    assert not found.all_well
    for _ in range(2):
        for name, is_bad in (
            ("Good", False),
            ("Far", True),
            ("Near", True),
            ("Fine", False),
            ("Bad", True),
        ):
            assert bool(found.problem(Place(ref(name), "", document.main))) is is_bad, name


def test_what_is_no_schema_leads_nowhere_and_that_is_well() -> None:
    assert problem({"Bad": ref("none")}, 7) == ""
    assert problem({"Bad": ref("none")}, True) == ""


def test_other_documents_are_asked_for_only_where_something_leads_there() -> None:
    asked: list[str] = []

    def resolver(uri: str) -> JsonObject:
        asked.append(uri)
        return {"a": {"items": {"$ref": "#/b"}}, "b": {"$ref": "#/none"}, "c": {"type": "string"}}

    schemas: JsonObject = {"A": {"$ref": "x.json#/a"}, "C": {"$ref": "x.json#/c"}, "D": True}
    found, document = reach(schemas, resolver)
    assert asked == []
    assert found.problem(Place(ref("D"), "", document.main)) is None
    assert asked == []
    assert found.problem(Place(ref("C"), "", document.main)) is None
    assert "'#/none' leads nowhere" in (found.problem(Place(ref("A"), "", document.main)) or "")
    assert asked == ["x.json"]


def test_references_in_a_schema_with_an_address_are_its_own() -> None:
    inner: JsonObject = {
        "$id": "https://example.com/s",
        "$defs": {"X": {"type": "string"}},
        "items": {"$ref": "#/$defs/X"},
    }
    assert problem({"A": inner, "Bad": ref("none")}) == ""


def test_a_wide_and_deep_graph_takes_no_time() -> None:
    schemas: dict[str, JsonValue] = {
        f"S{i}": {"properties": {"a": ref(f"S{i + 1}"), "b": ref(f"S{i + 1}")}} for i in range(3000)
    }
    schemas["S3000"] = {"type": "string"}
    schemas["Bad"] = ref("none")
    assert problem(schemas, ref("S0")) == ""
    schemas["S3000"] = ref("Bad")
    assert "leads nowhere" in problem(schemas, ref("S0"))

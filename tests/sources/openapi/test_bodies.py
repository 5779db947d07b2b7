"""The body of a request."""

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.route import Body, Encoding
from pyfunctools.sources.openapi.bodies import BodyInput, body_input
from pyfunctools.sources.openapi.document import Document, Place
from pyfunctools.sources.openapi.load import Loaded


def read(raw: JsonValue, **root: JsonValue) -> BodyInput | None:
    document = Document(Loaded(root=root, name="a.json"))
    return body_input(document, Place(raw, "/body", document.main))


def made(content: JsonObject, **more: JsonValue) -> BodyInput:
    found = read({"content": content, **more})
    assert found is not None
    return found


OBJECT: JsonObject = {"type": "object"}


def test_a_body_has_its_media_type_and_its_schema() -> None:
    found = made({"application/json": {"schema": OBJECT}}, required=True, description="d")
    assert found.body == Body(content_type="application/json", required=True, schema=OBJECT)
    assert found.description == "d"
    assert found.schema.pointer == "/body/content/application~1json/schema"
    assert found.notes == ()


@pytest.mark.parametrize("raw", [None, 7, {}, {"content": {}}, {"content": 7}])
def test_a_body_without_content_is_none(raw: JsonValue) -> None:
    assert read(raw) is None


@pytest.mark.parametrize(
    ("media", "schema", "sent", "expected"),
    [
        ("application/json", None, "application/json", True),
        ("application/merge-patch+json", OBJECT, "application/merge-patch+json", OBJECT),
        ("*/*", OBJECT, "*/*", OBJECT),
        ("text/plain", OBJECT, "text/plain", {"type": "string"}),
        (
            "application/xml",
            OBJECT,
            "application/xml",
            {"type": "string", "contentMediaType": "application/xml"},
        ),
        (
            "application/octet-stream",
            None,
            "application/octet-stream",
            {"type": "string", "format": "binary"},
        ),
        ("application/x-www-form-urlencoded", None, "application/x-www-form-urlencoded", OBJECT),
        ("multipart/form-data", OBJECT, "multipart/form-data", OBJECT),
    ],
)
def test_each_kind_of_body_has_the_schema_of_its_value(
    media: str, schema: JsonValue, sent: str, expected: JsonValue
) -> None:
    found = made({media: {} if schema is None else {"schema": schema}})
    assert found.body.content_type == sent
    assert found.schema.value == expected
    assert found.notes == ()


@pytest.mark.parametrize(
    ("media", "entry", "note", "expected"),
    [
        ("application/json", {"schema": 7}, "The schema of 'application/json' is none", True),
        ("application/vnd.x", {"schema": OBJECT}, "is sent as it is given", OBJECT),
        ("x-www-form-urlencoded", {"schema": OBJECT}, "is sent as 'application/x-www-form", OBJECT),
        (
            "multipart/mixed",
            {"itemSchema": OBJECT},
            "",
            {"type": "array", "items": OBJECT},
        ),
        ("application/json", None, "", True),
        ("application/json", OBJECT, "stands right under", OBJECT),
    ],
)
def test_what_is_odd_is_noted(media: str, entry: JsonValue, note: str, expected: JsonValue) -> None:
    found = made({media: entry})
    assert found.schema.value == expected
    assert note in "".join(found.notes)


def test_a_schema_without_its_content_is_json() -> None:
    found = read({"schema": OBJECT, "required": True})
    assert found is not None
    assert found.body == Body(content_type="application/json", required=True, schema=OBJECT)


@pytest.mark.parametrize(("mark", "is_human"), [("x-human", True), ("x-samchon-human", False)])
def test_a_body_may_be_marked_for_people(mark: str, is_human: bool) -> None:
    content: JsonObject = {"application/json": {}}
    assert made(content, **{mark: is_human}).is_human is is_human
    assert made(content).is_human is None


def test_json_is_chosen_before_forms_and_text() -> None:
    content: JsonObject = {"text/plain": {}, "multipart/form-data": {}, "application/json": {}}
    assert made(content).body.content_type == "application/json"


def test_encodings_say_how_a_property_is_written() -> None:
    entry: JsonObject = {
        "schema": OBJECT,
        "encoding": {
            "a": {"contentType": "image/png", "headers": {"X": {"schema": {"const": "x"}}}},
            "b": {"style": "pipeDelimited", "explode": False, "allowReserved": True},
            "c": {"style": "nonsense", "contentType": 7, "explode": "x", "headers": 7},
            "d": 7,
            "e": {
                "headers": {
                    "One": {"schema": {"enum": ["only"]}},
                    "Two": {"schema": {"enum": ["one", "two"]}},
                    "Set": {"$ref": "#/header"},
                    "Odd": 7,
                    "Any": {"schema": {"type": "string"}},
                }
            },
        },
    }
    found = read({"content": {"multipart/form-data": entry}}, header={"schema": {"default": "y"}})
    assert found is not None
    assert found.body.encoding == {
        "a": Encoding(content_type="image/png", headers={"X": "x"}),
        "b": Encoding(style="pipeDelimited", explode=False, allow_reserved=True),
        "c": Encoding(),
        "e": Encoding(headers={"One": "only", "Set": "y"}),
    }


def test_encodings_say_nothing_of_json() -> None:
    assert made({"application/json": {"encoding": {"a": {}}}}).body.encoding == {}
    assert made({"multipart/form-data": {"encoding": 7}}).body.encoding == {}


def test_a_form_knows_what_its_properties_are() -> None:
    schema: JsonObject = {"type": "object", "properties": {"f": {"$ref": "#/file"}}}
    found = read(
        {"content": {"multipart/form-data": {"schema": schema}}}, file={"format": "binary"}
    )
    assert found is not None
    assert found.body.schema == {"type": "object", "properties": {"f": {"format": "binary"}}}
    assert found.schema.value == schema


def test_a_header_that_leads_nowhere_refuses_the_body() -> None:
    entry: JsonObject = {"encoding": {"a": {"headers": {"X": {"$ref": "#/none"}}}}}
    with pytest.raises(DocumentError):
        read({"content": {"multipart/form-data": entry}})

"""What comes back."""

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.route import DeclaredResponse
from pyfunctools.sources.openapi.bodies import Answers, Responses
from pyfunctools.sources.openapi.document import Document
from pyfunctools.sources.openapi.load import Loaded
from pyfunctools.sources.openapi.operations import Operation, operations


def answers(responses: JsonValue, **root: JsonValue) -> Answers:
    whole: JsonObject = {"paths": {"/a": {"get": {"responses": responses}}}, **root}
    document = Document(Loaded(root=whole, name="a.json"))
    (operation,) = operations(document)
    assert isinstance(operation, Operation)
    return Responses(document).of(operation)


def output(responses: JsonValue, **root: JsonValue) -> JsonValue:
    found = answers(responses, **root).output
    return None if found is None else found.value


def content(schema: JsonValue, media: str = "application/json") -> JsonObject:
    return {"description": "d", "content": {media: {"schema": schema}}}


def typed(name: str) -> JsonObject:
    return content({"title": name})


@pytest.mark.parametrize(
    ("statuses", "good"),
    [
        (["200", "201"], "200"),
        (["404", "201", "202"], "201"),
        (["2XX", "201"], "201"),
        (["default", "2XX"], "2XX"),
        (["default", "2xx"], "2xx"),
        (["default", "404"], "default"),
        (["404", "500"], None),
        (["299", "x-200"], "299"),
        ([], None),
    ],
)
def test_the_good_answer_is_the_lowest_exact_one_then_the_range_then_the_default(
    statuses: list[str], good: str | None
) -> None:
    assert output({status: typed(status) for status in statuses}) == (good and {"title": good})


def test_a_good_answer_without_content_says_nothing() -> None:
    assert output({"204": {"description": "Done."}, "default": typed("x")}) is None
    assert output({"200": {"content": {}}}) is None
    assert output({"200": {"content": {"application/json": {}}}}) is None
    assert output({"200": {"content": {"application/json": 7}}}) is None
    assert output({"200": content(None)}) is None
    assert output({"200": content(7)}) is True
    assert output({"200": None}) is None


@pytest.mark.parametrize("responses", [None, 7, []])
def test_no_answers_are_none(responses: JsonValue) -> None:
    assert answers(responses) == ((), None, ())


@pytest.mark.parametrize(
    ("media", "schema", "expected"),
    [
        ("application/json", False, False),
        ("application/json", {"type": "integer"}, {"type": "integer"}),
        ("*/*", {"type": "object"}, {"type": "object"}),
        ("application/vnd.x", {"type": "object"}, {"type": "object"}),
        ("text/plain", {"type": "object"}, {"type": "string"}),
        ("image/png", {}, {"type": "string", "format": "binary"}),
    ],
)
def test_the_output_is_any_schema(media: str, schema: JsonValue, expected: JsonValue) -> None:
    assert output({"200": content(schema, media)}) == expected


def test_json_goes_first() -> None:
    both: JsonObject = {
        "content": {"text/plain": {"schema": {}}, "application/json": {"schema": {"title": "j"}}}
    }
    assert output({"200": both}) == {"title": "j"}


def test_a_sequence_is_text_or_a_list() -> None:
    entry: JsonObject = {"itemSchema": {"title": "i"}}
    assert output({"200": {"content": {"application/json": entry}}}) == {
        "type": "array",
        "items": {"title": "i"},
    }
    stream = output({"200": {"content": {"text/event-stream": entry}}})
    assert stream == {"type": "string", "contentMediaType": "text/event-stream"}


def test_a_media_type_may_stand_elsewhere() -> None:
    entry: JsonObject = {"content": {"application/json": {"$ref": "#/media"}}}
    assert output({"200": entry}, media={"schema": {"title": "m"}}) == {"title": "m"}
    found = answers({"200": entry})
    assert found.output is None
    assert list(found.notes) == [
        "What comes back is not known: The reference '#/media' leads nowhere."
    ]


def test_every_answer_is_listed() -> None:
    found = answers(
        {
            "200": content({}),
            "4xx": {"description": 7},
            "default": {"$ref": "#/error"},
            "x-note": {},
            "600": {},
        },
        error=content({}, "application/problem+json"),
    )
    assert found.responses == (
        DeclaredResponse(status="200", content_types=("application/json",), description="d"),
        DeclaredResponse(status="4XX"),
        DeclaredResponse(
            status="default", content_types=("application/problem+json",), description="d"
        ),
    )


def test_an_answer_that_leads_nowhere_is_noted_and_loses_nothing_else() -> None:
    found = answers({"200": typed("x"), "404": {"$ref": "#/none"}})
    assert found.output is not None
    assert list(found.notes) == [
        "The answer 404 is not known: The reference '#/none' leads nowhere."
    ]


def test_the_place_of_the_output_is_known() -> None:
    found = answers({"200": typed("x")}).output
    assert found is not None
    assert found.pointer == "/paths/~1a/get/responses/200/content/application~1json/schema"


def test_answers_of_swagger_have_the_media_types_that_are_produced() -> None:
    found = answers({"200": {"schema": {"title": "x"}}}, produces=["text/csv", "application/json"])
    assert found.responses[0].content_types == ("text/csv", "application/json")
    assert found.output is not None
    assert found.output.value == {"title": "x"}

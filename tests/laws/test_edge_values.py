"""Edge cases of handwritten schemas and of values.

Mistakes in a schema of the program are errors where the function is defined; values that a model
misspelled without loss are repaired, and other mistakes are issues.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import pytest

from pyfunctools import (
    Controller,
    DefinitionError,
    Failure,
    Function,
    Param,
    function_of,
)
from pyfunctools.schema import coerce


def function_with(parameters: Any, **more: Any) -> Function:
    return Function.from_schema(name="book", parameters=parameters, **more)


def with_day(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"day": {"type": "string", **keywords}}}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        pytest.param(
            {"type": "object", "propertys": {"day": {}}},
            ["/parameters/propertys", "`properties`"],
            id="own-propertys",
        ),
        pytest.param(
            {"propertys": {"day": {}}},
            ["/parameters/propertys", "`properties`"],
            id="own-propertys-alone",
        ),
        pytest.param(
            with_day(pattern="("),
            ["/parameters/properties/day/pattern", "regular expression"],
            id="own-pattern",
        ),
        pytest.param(
            {"type": "object", "patternProperties": {"(": {}}},
            ["/parameters/patternProperties", "regular expression"],
            id="own-pattern-of-names",
        ),
        pytest.param(
            with_day(min_length=3), ["/day/min_length", "`minLength`"], id="own-snake-case"
        ),
        pytest.param(
            with_day(required=True),
            ["/day/required", "`required` of the object"],
            id="own-required",
        ),
        pytest.param(
            {"type": "object", "properties": {"day": {}}, "required": "day"},
            ["/parameters/required", "list of names"],
            id="own-required-text",
        ),
        pytest.param(with_day(minLength="3"), ["/day/minLength", "whole number"], id="own-number"),
        pytest.param(with_day(enum=[]), ["/day/enum", "at least one value"], id="own-empty-enum"),
        pytest.param(with_day(type="strng"), ["/day/type", '"string"'], id="own-type-misspelled"),
        pytest.param(with_day(type="int"), ["/day/type", '"integer"'], id="own-type-of-python"),
        pytest.param(
            {**with_day(items={"$ref": "#/$defs/Dya"}), "$defs": {"Day": {}}},
            ["/day/items/$ref", "#/$defs/Dya", "#/$defs/Day"],
            id="own-ref",
        ),
        pytest.param(
            with_day(**{"$ref": "https://example.com/day.json"}),
            ["/day/$ref", "`$defs`"],
            id="own-ref-elsewhere",
        ),
        pytest.param(
            {**with_day(), "required": ["dya"], "additionalProperties": False},
            ["/parameters/required", '"day"'],
            id="own-required-nobody-can-give",
        ),
        pytest.param(
            {"type": "object", "properties": {"day": Param("day", "string")}},
            ["/parameters/properties/day", "Param"],
            id="own-mix-in-a-schema",
        ),
        pytest.param(
            [Param("day", "string"), {"type": "object"}], ["JSON Schema", "`Param`"], id="own-mix"
        ),
        pytest.param(
            [Param("days", "array", items={"type": "string"})],  # type: ignore[arg-type]
            ["book(days)", "`items`"],
            id="own-mix-in-a-param",
        ),
        pytest.param("day", ["not be `str`", "list of `Param`"], id="own-text"),
    ],
)
def test_a_mistake_in_a_handwritten_schema_is_an_error_with_place_and_remedy(
    parameters: Any, expected: list[str]
) -> None:
    with pytest.raises(DefinitionError) as caught:
        function_with(parameters)
    for each in expected:
        assert each in str(caught.value)
    if isinstance(parameters, dict):
        with pytest.raises(DefinitionError) as caught:
            function_with({}, output=parameters)
        assert expected[0].replace("/parameters", "/output") in str(caught.value)


def test_a_required_name_that_a_closed_object_excludes_is_an_error() -> None:
    with pytest.raises(DefinitionError, match='Write "day"'):
        function_with({**with_day(), "required": ["dya"]})
    assert function_with({**with_day(), "required": ["dya"], "additionalProperties": True})


@pytest.mark.parametrize(
    "keywords",
    [
        {"x-propertys": {}, "label": "Day", "hint": "When?", "enumNames": ["a"]},
        {"nullable": True, "example": "Monday", "enum": ["Monday", None]},
        {"minLength": 3.0, "pattern": r"^\w+$", "examples": {"a": {"value": "Monday"}}},
        {"title": "Propertys", "default": {"minlength": 1}, "$comment": "requried"},
        {"format": "weekday", "deprecated": True, "readOnly": False},
    ],
    ids=["own-remarks", "own-openapi-3.0", "own-lenient-numbers", "own-values", "own-formats"],
)
def test_keywords_of_any_draft_and_unknown_keywords_are_accepted(keywords: dict[str, Any]) -> None:
    assert function_with(with_day(**keywords)).check({"day": "Monday"})


def test_in_a_document_the_same_mistakes_are_notes() -> None:
    schema = {"type": "string", "pattern": "(", "min_length": 3}
    body = {"content": {"application/json": {"schema": schema}}}
    operation = {"operationId": "say", "requestBody": body}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/say": {"post": {**operation, "responses": {}}}},
    }
    [function] = Controller.from_openapi(document, server="https://example.com")
    assert function.check({"body": "x"})
    notes = " ".join(note.text for note in function.notes)
    assert "`pattern`" in notes
    assert "`minLength` may have been meant" in notes


DAY_AND_GUESTS = [Param("day", "string"), Param("guests", "integer", required=False)]


class Desk:
    def book(self, day: str, guests: int = 2) -> str:
        return f"{day} {guests}"


def logged(called: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(called)
    def around(*args: Any, **kwargs: Any) -> Any:
        return called("db", *args, **kwargs)

    return around


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        pytest.param(
            lambda date, guests=2: None, ["all properties", "'date'"], id="handler-other-name"
        ),
        pytest.param(lambda: None, ["all properties", "'day'"], id="handler-takes-nothing"),
        pytest.param(lambda *day: None, ["all properties", "'day'"], id="handler-star"),
        pytest.param(lambda day, guests, db: None, ["'db'"], id="handler-needs-more"),
        pytest.param(lambda db, /, **rest: None, ["'db'"], id="handler-needs-in-order"),
        pytest.param(Desk.book, ["Desk.book", "'self'"], id="handler-unbound-method"),
        pytest.param(
            partial(lambda day, guests: None, "Monday"),
            ["'day'"],
            id="handler-partial",
        ),
        pytest.param(lambda day, guests=2, /: None, ["positional"], id="handler-positional-only"),
        pytest.param(
            lambda day, guests: None,
            ["'guests'", "only what is required"],
            id="handler-needs-an-optional-property",
        ),
    ],
)
def test_a_handler_with_other_parameters_is_an_error_when_it_is_defined(
    handler: Callable[..., Any], expected: list[str]
) -> None:
    with pytest.raises(DefinitionError) as caught:
        function_with(DAY_AND_GUESTS, handler=handler)
    for each in ["book(handler)", *expected]:
        assert each in str(caught.value)


@pytest.mark.parametrize(
    "handler",
    [
        pytest.param(lambda day, guests=2: f"{day} {guests}", id="handler-plain"),
        pytest.param(lambda **kw: f"{kw['day']} {kw.get('guests', 2)}", id="handler-kwargs"),
        pytest.param(lambda day, *, guests=2: f"{day} {guests}", id="handler-keyword-only"),
        pytest.param(lambda day, context, guests=2: f"{day} {guests}", id="handler-context"),
        pytest.param(lambda day, guests=2, more=None: f"{day} {guests}", id="handler-own-default"),
        pytest.param(Desk().book, id="handler-bound-method"),
        pytest.param(logged(lambda db, day, guests=2: f"{day} {guests}"), id="handler-wrapped"),
    ],
)
def test_a_handler_that_accepts_the_arguments_is_accepted(handler: Callable[..., Any]) -> None:
    controller = Controller.from_functions([function_with(DAY_AND_GUESTS, handler=handler)])
    assert controller.call("book", {"day": "Monday"}).text == "Monday 2"


def test_what_a_partial_sets_by_name_is_the_program_s_and_not_declared() -> None:
    handler = partial(Desk().book, guests=2)
    day_only = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
    controller = Controller.from_functions([function_with(day_only, handler=handler)])
    assert controller.call("book", {"day": "Monday"}).text == "Monday 2"
    with pytest.raises(DefinitionError, match="gives `guests`, which the parameters declare"):
        function_with(DAY_AND_GUESTS, handler=handler)


def test_a_builtin_without_a_signature_is_accepted() -> None:
    assert function_with(DAY_AND_GUESTS, handler=dict)


def test_a_handler_must_accept_the_properties_of_a_branch() -> None:
    by_day = {"properties": {"day": {"type": "string"}}, "required": ["day"]}
    by_week = {"properties": {"week": {"type": "integer"}}, "required": ["week"]}
    schema = {"type": "object", "anyOf": [by_day, by_week]}
    assert function_with(schema, handler=lambda day=None, week=None: None)
    with pytest.raises(DefinitionError, match="'week'"):
        function_with(schema, handler=lambda day=None: None)
    both = [{**branch, "required": ["day"]} for branch in (by_day, by_week)]
    assert function_with({"type": "object", "anyOf": both}, handler=lambda day, week=None: None)


def test_a_property_called_context_is_passed_as_an_argument() -> None:
    params = [Param("context", "string")]
    with pytest.raises(DefinitionError, match="`context`"):
        function_with(params, handler=lambda context: context)
    controller = Controller.from_functions(
        [function_with(params, handler=lambda **kw: kw["context"])]
    )
    assert controller.call("book", {"context": "here"}, context="there").text == "here"


def test_the_default_of_a_param_is_passed_to_the_handler() -> None:
    function = function_with([Param("day", "string", default="Monday")], handler=lambda day: day)
    assert Controller.from_functions([function]).call("book", {}).text == "Monday"


def tags_of(hint: Any) -> Function:
    def save(tags: Any) -> str:
        return repr(tags)

    save.__annotations__["tags"] = hint
    return function_of(save)


def test_the_schema_of_a_set_is_an_array_of_unique_items() -> None:
    schema = {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}
    function = tags_of(set[int])
    assert function.parameters["properties"] == {"tags": schema}
    assert not function.validate({"tags": [1, 1]})
    checked = function.check('{"tags": ["1", 1, 2]}')
    assert isinstance(checked, Failure)
    assert checked.issues[0].expected.startswith("no item twice")
    assert function.check({"tags": ["1", 2]}).value == {"tags": [1, 2]}


@pytest.mark.parametrize("repeated", [[1, 1, 2], [1, 1.0]])
def test_unique_items_of_a_handwritten_schema_are_not_a_set(repeated: list[Any]) -> None:
    schema = {"type": "array", "items": {"type": "number"}, "uniqueItems": True}
    assert coerce(schema, repeated).value is repeated
    function = function_with({"type": "object", "properties": {"tags": schema}})
    checked = function.check({"tags": repeated})
    assert isinstance(checked, Failure)
    assert checked.issues[0].expected.startswith("no item twice")

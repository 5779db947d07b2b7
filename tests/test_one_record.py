"""A class, a document and a handwritten schema make the same record."""

from dataclasses import replace

from pyfunctools import Controller, Function, Param, function

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/buy": {
            "post": {
                "operationId": "buy",
                "summary": "Buy something.",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "item": {"type": "string", "description": "What."},
                                    "count": {"type": "integer", "default": 1},
                                },
                                "required": ["item"],
                                "additionalProperties": False,
                            }
                        }
                    },
                },
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": {"type": "string"}}},
                    }
                },
            }
        }
    },
}


class Shop:
    @function
    def buy(self, item: str, count: int = 1) -> str:
        """Buy something.

        Args:
            item: What.
        """
        return f"{count} {item}"


def from_class() -> Function:
    return Controller.from_object(Shop())["buy"]


def from_document() -> Function:
    return Controller.from_openapi(DOCUMENT, names="operation_id")["buy"]


def from_schema() -> Function:
    return Function.from_schema(
        name="buy",
        description="Buy something.",
        parameters=[
            Param("item", "string", "What."),
            Param("count", "integer", default=1),
        ],
        output={"type": "string"},
    )


def test_name_description_and_output_are_the_same() -> None:
    for one in (from_class(), from_document()):
        assert (one.name, one.description, one.output) == (
            "buy",
            "Buy something.",
            {"type": "string"},
        )


def test_the_same_parameters_have_the_same_schema() -> None:
    whole = from_schema().parameters
    assert from_class().parameters == whole
    assert from_document().parameters == {
        "type": "object",
        "properties": {"body": whole},
        "required": ["body"],
        "additionalProperties": False,
    }


def test_records_are_equal_except_for_their_origin() -> None:
    assert from_class() == from_class()
    assert from_document() == from_document()
    assert from_class() != from_schema()
    assert replace(from_class(), origin=None) == from_schema()


def test_the_same_mistake_has_the_same_feedback() -> None:
    one = from_class().check('{"count": "many"}')
    other = from_document().check('{"body": {"count": "many"}}')
    assert not one
    assert not other
    assert {(issue.expected, issue.path) for issue in one.issues} == {
        (issue.expected, issue.path.replace("$input.body", "$input")) for issue in other.issues
    }

"""A small document for hostile references, and every use of its functions."""

from copy import deepcopy

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.record.function import Reading, contract_of
from pyfunctools.schema.ground.references import references_in
from pyfunctools.sources.openapi.reader import read_document

OPERATION = ("paths", "/a/{id}", "post")
BODY = (*OPERATION, "requestBody", "content", "application/json")
ANSWER = (*OPERATION, "responses", "200")
DOCUMENT: JsonObject = {
    "openapi": "3.2.0",
    "info": {"title": "T", "version": "1"},
    "paths": {
        "/a/{id}": {
            "post": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "q", "in": "query", "schema": {"type": "string"}},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"type": "object", "properties": {"p": {"type": "string"}}}
                        }
                    }
                },
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"type": "object"}}}}
                },
            }
        },
        "/b": {"get": {"responses": {}}},
    },
    "components": {"schemas": {"X": {"type": "object"}}, "securitySchemes": {}},
}


def with_reference(place: tuple[str | int, ...], form: JsonValue, reference: str) -> JsonObject:
    def filled(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {key: filled(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [filled(inner) for inner in value]
        return {"$text": reference, "$ref": {"$ref": reference}}.get(str(value), value)

    document = deepcopy(DOCUMENT)
    holder: object = document
    for step in place[:-1]:
        holder = holder[step]  # type: ignore[index]
    holder[place[-1]] = filled("$ref" if form is None else form)  # type: ignore[index]
    return document


def use(document: JsonValue, **options: object) -> Reading:
    """Read a document and use its functions in every way, without sending a request."""
    reading = read_document(document, **options)  # type: ignore[arg-type]
    for function in reading.functions:
        whole = function.parameters, function.output
        assert all(each.startswith("#/") for part in whole for each in references_in(part or {}))
        function.validate({})
        function.check("{}")
        schemas = contract_of(function)
        schemas.validator.compile()
        if schemas.output_validator is not None:
            schemas.output_validator.compile()
        _ = function.separated
    return reading

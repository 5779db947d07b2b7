"""Mutations of two documents that have every kind of part."""

import json
from copy import deepcopy
from random import Random

from pyfunctools._json import JsonObject

Step = str | int
Pointer = tuple[Step, ...]

NEW: JsonObject = {
    "openapi": "3.1.0",
    "info": {"title": "T", "description": "D", "version": "1"},
    "servers": [
        {"url": "https://{r}.example", "variables": {"r": {"default": "a", "enum": ["a"]}}}
    ],
    "security": [{"key": []}],
    "paths": {
        "/pets/{id}": {
            "parameters": [{"$ref": "#/components/parameters/id"}],
            "get": {
                "summary": "Get",
                "tags": ["pets"],
                "parameters": [
                    {
                        "name": "f",
                        "in": "query",
                        "style": "deepObject",
                        "schema": {"type": "object"},
                    },
                    {
                        "name": "X-A",
                        "in": "header",
                        "content": {"application/json": {"schema": {}}},
                    },
                ],
                "responses": {
                    "200": {"$ref": "#/components/responses/Pet"},
                    "default": {"description": "Error"},
                },
            },
            "put": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "multipart/form-data": {
                            "schema": {"$ref": "#/components/schemas/Pet"},
                            "encoding": {"photo": {"contentType": "image/png"}},
                        }
                    },
                },
                "responses": {},
            },
        },
        "/all": {
            "query": {"parameters": [{"name": "q", "in": "querystring", "content": {"a/b": {}}}]}
        },
    },
    "webhooks": {"w": {"post": {}}},
    "components": {
        "parameters": {
            "id": {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
        },
        "responses": {
            "Pet": {
                "description": "A pet",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
            }
        },
        "schemas": {
            "Pet": {
                "allOf": [{"$ref": "#/components/schemas/Base"}, {"required": ["name"]}],
                "properties": {
                    "name": {"type": ["string", "null"], "minLength": 1, "readOnly": True},
                    "photo": {"type": "string", "format": "binary"},
                    "kind": {
                        "oneOf": [
                            {"$ref": "#/components/schemas/Cat"},
                            {"$ref": "#/components/schemas/Dog"},
                        ],
                        "discriminator": {
                            "propertyName": "k",
                            "mapping": {"cat": "#/components/schemas/Cat"},
                        },
                    },
                },
            },
            "Base": {
                "type": "object",
                "properties": {"parent": {"$ref": "#/components/schemas/Pet"}},
            },
            "Cat": {
                "type": "object",
                "properties": {"k": {"const": "cat"}},
                "additionalProperties": False,
            },
            "Dog": {
                "type": "object",
                "properties": {"k": {"enum": ["dog"]}},
                "patternProperties": {"^x": {}},
            },
        },
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    },
}
OLD: JsonObject = {
    "swagger": "2.0",
    "info": {"title": "T", "version": "1"},
    "host": "example.com",
    "basePath": "/v1",
    "schemes": ["https"],
    "consumes": ["application/json"],
    "produces": ["application/json"],
    "paths": {
        "/pets/{id}": {
            "post": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "type": "integer"},
                    {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"}},
                    {"name": "pet", "in": "body", "schema": {"$ref": "#/definitions/Pet"}},
                ],
                "responses": {
                    "200": {"description": "ok", "schema": {"$ref": "#/definitions/Pet"}}
                },
            },
            "put": {
                "consumes": ["multipart/form-data"],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "type": "integer"},
                    {"name": "photo", "in": "formData", "type": "file"},
                ],
                "responses": {"default": {"$ref": "#/responses/Any"}},
            },
        }
    },
    "responses": {
        "Any": {
            "description": "any",
            "schema": {"type": "array", "items": {"$ref": "#/definitions/Pet"}},
        }
    },
    "definitions": {
        "Pet": {"type": "object", "properties": {"pet": {"$ref": "#/definitions/Pet"}}}
    },
    "securityDefinitions": {"basic": {"type": "basic"}},
}
VALUES = [
    None, True, False, 0, -1, 1.5, 10**30, "", "x", "a\nb", "\ud800", "{id}", "#/paths", "#", "get",
    [], {}, [None], [[[]]], {"a": 1}, {"200": {}}, {"$ref": "#/none"}, {"$ref": 7}, {"$id": "x"},
    {"$ref": "http://127.0.0.1:1/x"}, {"$ref": "file:///etc/passwd"}, {"$dynamicRef": "#x"},
    {"properties": {"$ref": {"type": "string"}}}, "(", "^(a+)+$", {"allOf": [{}, True, False]},
    {"type": ["object", "null"]}, {"if": {}, "then": False}, {"in": "body", "name": "b"},
    float("nan"),
]  # fmt: skip
KEYS = [
    "$ref", "type", "get", "in", "allOf", "anyOf", "$id", "$self", "content", "x", "items", "enum",
    "required", "properties", "discriminator", "parameters", "schema", "style", "security",
]  # fmt: skip


def mutate(document: JsonObject, chance: Random) -> None:
    """Change one place of a document: delete, retype, repeat, add a cycle, swap references."""
    place, other = _place(document, chance), _place(document, chance)
    if not place:
        return
    holder, step = _at(document, place[:-1]), place[-1]
    match chance.randrange(8):
        case 0:
            del holder[step]  # type: ignore[attr-defined]
        case 1 | 2:
            holder[step] = deepcopy(chance.choice(VALUES))  # type: ignore[index]
        case 3:  # something from elsewhere, copied
            holder[step] = json.loads(json.dumps(_at(document, other)))  # type: ignore[index]
        case 4:  # a reference to any place, perhaps to itself
            target = chance.choice([other, place, place[:-1], ()])
            holder[step] = {"$ref": _written(target)}  # type: ignore[index]
        case 5 if isinstance(holder, dict):
            holder[chance.choice(KEYS)] = deepcopy(chance.choice(VALUES))
        case 6 if isinstance(holder, list):
            holder += holder[:3]
        case 7 if isinstance(holder, dict) and isinstance(
            step, str
        ):  # the same under a similar name
            holder[chance.choice([step.upper(), step + " ", step[1:]])] = holder[step]
        case _:
            _swap(document, other, chance)


def _swap(document: JsonObject, other: Pointer, chance: Random) -> None:
    found = [place for _ in range(20) if (place := _place(document, chance))[-1:] == ("$ref",)]
    if found:
        targets = [_written(other), "#", "#x", *(str(_at(document, place)) for place in found[1:])]
        _at(document, found[0][:-1])["$ref"] = chance.choice(targets)  # type: ignore[index]


def _place(document: object, chance: Random) -> Pointer:
    """Return a random place: a path to a leaf, cut off at a random step."""
    way: list[Step] = []
    while isinstance(document, dict | list) and document:
        step: Step = chance.choice(
            [*document] if isinstance(document, dict) else range(len(document))
        )
        way.append(step)
        document = document[step]  # type: ignore[index, call-overload]
    return tuple(way[: chance.randint(1, len(way))]) if way else ()


def _at(value: object, pointer: Pointer) -> object:
    for step in pointer:
        value = value[step]  # type: ignore[index]
    return value


def _written(pointer: Pointer) -> str:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in pointer)
    return "#" + "".join(f"/{step}" for step in steps)

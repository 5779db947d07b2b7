"""Documents with something wrong in them: whatever it is, only our errors come of it."""

import json
import random
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

from pyfunctools._json import JsonObject
from pyfunctools.errors import PyfunctoolsError
from pyfunctools.sources.openapi.reader import read

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
    {"$ref": "http://127.0.0.1:1/x"}, {"properties": {"$ref": {"type": "string"}}}, "(",
    float("nan"),
]  # fmt: skip


def pointers(value: object, here: Pointer = ()) -> Iterator[Pointer]:
    pairs: Iterator[tuple[Step, object]] | None = None
    if isinstance(value, dict):
        pairs = iter(value.items())  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    elif isinstance(value, list):
        pairs = iter(enumerate(value))  # pyright: ignore[reportUnknownArgumentType]
    for step, inner in pairs or ():
        yield (*here, step)
        yield from pointers(inner, (*here, step))


def at(value: object, pointer: Pointer) -> object:
    for step in pointer:
        value = value[step]  # pyright: ignore
    return value


def written(pointer: Pointer) -> str:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in pointer)
    return "#" + "".join(f"/{step}" for step in steps)


def mutate(document: object, chance: random.Random) -> None:
    places = list(pointers(document))
    if not places:
        return
    place, other = chance.choice(places), chance.choice(places)
    holder = at(document, place[:-1])
    assert isinstance(holder, dict | list)
    match chance.randrange(7):
        case 0:
            del holder[place[-1]]  # pyright: ignore
        case 1:
            holder[place[-1]] = deepcopy(chance.choice(VALUES))  # pyright: ignore
        case 2:  # something from elsewhere, copied
            holder[place[-1]] = json.loads(json.dumps(at(document, other)))  # pyright: ignore
        case 3:  # a reference to somewhere, to where it stands perhaps
            holder[place[-1]] = {"$ref": written(chance.choice([other, place, place[:-1]]))}  # pyright: ignore
        case 4 if isinstance(holder, dict):
            holder[
                chance.choice(
                    ["$ref", "type", "get", "in", "allOf", "$id", "$self", "content", "x"]
                )
            ] = deepcopy(chance.choice(VALUES))
        case 5 if isinstance(holder, list):
            holder.append(holder[0])  # pyright: ignore
        case _:
            references = [each for each in places if each[-1] == "$ref"]
            if references:
                found = chance.choice(references)
                at(document, found[:-1])["$ref"] = chance.choice(
                    [written(other), written(()), "#x"]
                )  # pyright: ignore


def use(document: JsonObject, source: object) -> float:
    """Read a document and use all that comes of it; give the seconds."""
    began = time.process_time()
    try:
        reading = read(source, on_skip="collect")  # pyright: ignore[reportArgumentType]
    except PyfunctoolsError as error:
        str(error)
        return time.process_time() - began
    for function in reading.functions:
        try:
            _ = function.parameters, function.output
            function.validate({})
            function.schemas.get().validator.compile()
        except PyfunctoolsError as error:
            str(error)
    str(reading.skipped)
    return time.process_time() - began


def fuzz(documents: list[JsonObject], count: int, seed: int) -> None:
    chance = random.Random(seed)
    texts = [json.dumps(document) for document in documents]
    for _ in range(count):
        mutant = json.loads(chance.choice(texts))
        for _ in range(chance.choice([1, 1, 2, 3, 8])):
            mutate(mutant, chance)
        before = json.dumps(mutant)
        source = mutant if chance.random() < 0.5 else before
        assert use(mutant, source) < 2, before
        assert json.dumps(mutant) == before


@pytest.mark.parametrize("seed", range(4))
def test_a_mutant_gives_only_our_errors(seed: int) -> None:
    fuzz([NEW, OLD], 200, seed)


def test_a_mutant_of_a_real_document_gives_only_our_errors(shared: Path) -> None:
    corpus = shared / "corpus"
    files = [path for path in sorted(corpus.glob("v3.*/*.json")) if path.stat().st_size < 30_000]
    fuzz([json.loads(path.read_text()) for path in files], 200, 7)


def test_the_documents_that_are_mutated_are_read_whole() -> None:
    for document, count in ((NEW, 3), (OLD, 2)):
        reading = read(document)
        assert len(reading.functions) == count
        assert all(each.parameters and each.notes == () for each in reading.functions)

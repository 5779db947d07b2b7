"""Real documents of every version, unusual and broken ones among them."""

import csv
import gc
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema_rs
import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.record.function import NAME, Function, Reading
from pyfunctools.route import Route
from pyfunctools.schema import normalize
from pyfunctools.schema.ground.references import defined_name, mapped_subtypes, references_in
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.sources.openapi.document import files_under
from pyfunctools.sources.openapi.reader import read_document

UNREADABLE = {
    "apidevtools-swagger-parser--invalid_old-version.yaml": "This follows version '1.2'",
    "ibm-openapi-validator--oas3_clean-with-tabs.yml": "This is not YAML",
    "ibm-openapi-validator--oas3_trailing-comma.json": "This is not JSON",
    "koxudaxi-datamodel-code-generator--malformed_bad_openapi.yaml": "This is not YAML",
    "microsoft-openapi-net--OpenApiDocument_docWithWrongRef.json": "This is not JSON",
    "swagger-api-swagger-parser--resources_issue-1119.yaml": "Byte 359 is not UTF-8",
}
"""Why nothing of these documents can be read; the other two in their folder only look broken."""

REASONS = ("leads to another document", "for people only", "called by the service")
"""Why an operation of a readable document is skipped: nothing else happens in real documents."""

PLACE = re.compile("/(?:paths|webhooks|x-webhooks)/.")


def rows(shared: Path) -> list[dict[str, str]]:
    with (shared / "corpus" / "manifest.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["version"] != "multifile"]


@pytest.fixture(scope="module")
def readings(shared: Path) -> dict[str, Reading]:
    corpus = shared / "corpus"
    return {
        row["file"]: read_document(corpus / row["file"])
        for row in rows(shared)
        if Path(row["file"]).name not in UNREADABLE
    }


def schemas(function: Function) -> Iterator[JsonSchema]:
    yield function.parameters
    if function.output is not None:
        yield function.output


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_invalid_document_is_refused_with_the_reason(shared: Path, name: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_document(shared / "corpus" / "invalid" / name)
    assert UNREADABLE[name] in str(caught.value)


def test_every_operation_is_a_function_or_skipped_with_a_true_reason(
    shared: Path, readings: dict[str, Reading]
) -> None:
    written: Counter[str] = Counter()
    made: Counter[str] = Counter()
    for row in rows(shared):
        reading = readings.get(row["file"])
        if reading is None:
            continue
        skipped = [each for each in reading.skipped if "webhook" not in each.where]
        assert len(reading.functions) + len(skipped) >= int(row["operations"]), row["file"]
        assert all(any(reason in each.reason for reason in REASONS) for each in reading.skipped)
        assert all(PLACE.match(each.pointer or "") for each in reading.skipped)
        family = row["file"].partition("/")[0]
        written[family] += int(row["operations"])
        made[family] += len(reading.functions)
    assert written.total() == 5_456
    assert made.total() >= 0.99 * written.total()
    assert all(made[family] >= 0.98 * written[family] for family in written)


def test_names_are_valid_and_unique(readings: dict[str, Reading]) -> None:
    for file, reading in readings.items():
        names = [function.name for function in reading.functions]
        assert all(NAME.fullmatch(name) for name in names), file
        assert len(set(names)) == len(names), file


def mapped(schema: JsonSchema) -> Iterator[str]:
    """Return what the mappings of discriminators lead to."""
    for _, inner in subschemas(schema):
        discriminator = inner.get("discriminator") if isinstance(inner, dict) else None
        mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
        if isinstance(mapping, dict):
            yield from (target for target in mapping.values() if isinstance(target, str))


@pytest.mark.slow
def test_every_schema_is_whole_and_compiles(readings: dict[str, Reading]) -> None:
    def refuse(uri: str) -> JsonValue:
        raise AssertionError(uri)

    for file, reading in readings.items():
        for function in reading.functions:
            for schema in schemas(function):
                where = f"{file} {function.name}"
                definitions = schema.get("$defs", {})
                assert isinstance(definitions, dict)
                found = {
                    defined_name(reference)
                    for reference in (*references_in(schema), *mapped(schema))
                }
                assert found == set(definitions), where
                jsonschema_rs.Draft202012Validator(schema, retriever=refuse)


@pytest.mark.slow
def test_definitions_are_what_a_schema_reaches_and_no_more(
    readings: dict[str, Reading],
) -> None:
    """Of the subtypes that only a discriminator names, parameters have a person's, outputs none."""
    for file, reading in readings.items():
        for function in reading.functions:
            where = f"{file} {function.name}"
            output = function.output or {}
            assert output.get("$defs", {}).keys() == reached(output), where
            parameters = function.parameters
            inner = (each for _, each in subschemas(parameters) if isinstance(each, dict))
            subtypes = [{"$ref": to} for each in inner for _, to in mapped_subtypes(each)]
            assert not subtypes or function.separated is not None, where
            whole = {**parameters, "anyOf": subtypes}
            assert parameters.get("$defs", {}).keys() == reached(whole), where


def reached(schema: JsonSchema) -> set[str]:
    """Return the names of the definitions that the references of a schema reach."""
    definitions = schema.get("$defs", {})
    assert isinstance(definitions, dict)
    found: dict[str, None] = {}
    todo: list[JsonValue] = [{key: each for key, each in schema.items() if key != "$defs"}]
    for each in todo:
        assert isinstance(each, dict | bool)
        names = {str(defined_name(reference)) for reference in references_in(each)} - {*found}
        found |= dict.fromkeys(names)
        todo += [definitions[name] for name in names]
    return {*found}


def test_parameters_are_closed_and_every_one_has_its_place(
    readings: dict[str, Reading],
) -> None:
    for reading in readings.values():
        for function in reading.functions:
            schema = function.parameters
            assert (schema["type"], schema["additionalProperties"]) == ("object", False)
            route = function.origin
            assert isinstance(route, Route)
            places = [entry.argument for entry in route.parameters]
            places += [] if route.body is None else [route.body.argument]
            assert len(set(places)) == len(places)
            for place in places:
                inner: JsonValue = schema
                for step in place:
                    inner = inner["properties"][step]  # pyright: ignore


def test_schemas_are_in_the_spelling_that_is_kept(readings: dict[str, Reading]) -> None:
    for file, reading in readings.items():
        if len(reading.functions) < 60:
            for function in reading.functions:
                for schema in schemas(function):
                    assert normalize(schema) == schema, f"{file} {function.name}"


def test_documents_of_many_files_are_one(shared: Path) -> None:
    folder = shared / "corpus" / "multifile"
    cafe = read_document(
        folder / "cafe-split" / "cafe.yaml", resolver=files_under(folder / "cafe-split")
    )
    whole = read_document(shared / "corpus" / "v3.2" / "redocly-redocly-cli--resources_cafe.yaml")
    assert {each.name for each in cafe.functions} == {each.name for each in whole.functions}
    assert [each.where for each in cafe.skipped] == ["webhook order-notification"]
    circular = read_document(
        folder / "swagger-parser-circular" / "circular.yaml", resolver=files_under(folder)
    )
    assert (len(cafe.functions), len(circular.functions), circular.skipped) == (12, 4, ())
    for function in (*cafe.functions, *circular.functions):
        for schema in schemas(function):
            assert {defined_name(each) for each in references_in(schema)} == {
                *schema.get("$defs", ())
            }  # type: ignore[misc]
            jsonschema_rs.Draft202012Validator(schema)
    names = [each.name for each in circular.functions]
    assert names == ["pet_get", "thing_get", "person_get", "parent_get"]
    assert [each.output is None for each in circular.functions] == [False, True, False, False]
    assert "form a cycle" in circular.functions[1].notes[0].text


LARGE = [
    ("v3.0/octokit-openapi--generated_ghes-3.17.json", 966),
    ("v3.1/samchon-openapi--v3.1_shopping.json", 202),
    ("v3.1/openai-openai-openapi--openapi.json", 288),
    ("v3.1/discord-discord-api-spec--specs_openapi.json", 242),
    ("v2.0/kubernetes-client-python--kubernetes_swagger.json", 1123),
]


@pytest.mark.parametrize(("file", "count"), LARGE)
def test_large_documents_are_read_whole(
    readings: dict[str, Reading], file: str, count: int
) -> None:
    assert len(readings[file].functions) == count


@pytest.mark.slow
def test_reading_costs_a_small_multiple_of_json_loads(shared: Path) -> None:
    text = (shared / "corpus" / LARGE[0][0]).read_text()

    def took(act: Callable[[], object]) -> float:
        began = time.process_time()
        kept = act()
        seconds = time.process_time() - began
        del kept
        return seconds

    def ratio(act: Callable[[], object]) -> float:
        """Return the best of five ratios: the two are measured in turn, on a machine with ups."""
        gc.collect()
        return min(took(act) / took(lambda: json.loads(text)) for _ in range(5))

    def opened() -> list[tuple[str, str]]:
        return [(each.name, each.description) for each in read_document(text).functions]

    def built() -> list[JsonSchema]:
        return [schema for each in read_document(text).functions for schema in schemas(each)]

    # Twice what is measured, and much more where every line is traced.
    tolerance = 2 if sys.gettrace() is None else 40
    assert ratio(opened) < 2.5 * tolerance
    assert ratio(built) < 12 * tolerance


@pytest.mark.parametrize(
    ("file", "name", "arguments"),
    [
        (
            "v3.1/figma-rest-api-spec--openapi_openapi.yaml",
            "v1_files_comments_postByFile_key",
            {"file_key": "k", "body": {"message": "hi", "client_meta": {"x": 1, "y": 2}}},
        ),
        (
            "v3.1/openai-openai-openapi--openapi.json",
            "responses_post",
            {"body": {"model": "gpt-4o", "input": "hi"}},
        ),
    ],
    ids=["figma", "openai"],
)
def test_a_value_of_two_one_of_branches_may_be_sent(
    readings: dict[str, Reading], file: str, name: str, arguments: JsonValue
) -> None:
    (function,) = [each for each in readings[file].functions if each.name == name]
    assert function.check(arguments)

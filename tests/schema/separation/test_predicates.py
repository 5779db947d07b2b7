"""Predicates: what is human by default, and how a predicate is called."""

import copy
import pickle
from typing import Any

import pytest

from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation import graph
from pyfunctools.schema.separation.predicates import (
    any_of,
    is_file,
    is_human_by_default,
    is_secret,
    last_name,
    needs_name_only,
)
from pyfunctools.schema.separation.separate import separate_normalized as separate

Schema = dict[str, Any]

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("a", {"x-human": True}),
        ("a", {"x-human": "yes"}),
        ("a", {"x-human": " TRUE "}),
        ("a", {"x-human": 1}),
        ("a", {"x-human": {"ask": "Your PIN"}}),
        ("a", {"x-samchon-human": True}),
        ("a", {"x-samchon-human": "true", "x-human": False}),
        ("a", {"x-human": None, "format": "password"}),
        ("a", {"format": "password"}),
        ("a", {"x-vendor-secret-key": "google"}),
        ("a", {"x-wrtn-secret-key": True}),
        ("a", {"format": "binary"}),
        ("a", {"contentMediaType": "image/png"}),
        ("a", {"contentMediaType": "application/octet-stream"}),
        ("a", {"contentEncoding": "base64"}),
        ("password", {"writeOnly": True}),
        ("passwords", {"writeOnly": True}),
        ("userPassword", {"writeOnly": True}),
        ("user_password", {"writeOnly": True}),
        ("PASSWORD", {"writeOnly": True}),
        ("passwd2", {"writeOnly": True}),
        ("clientSecret", {"writeOnly": True}),
        ("client-secret", {"writeOnly": True}),
        ("accesstoken", {"writeOnly": True}),
        ("access_tokens", {"writeOnly": True}),
        ("apiKey", {"writeOnly": True}),
        ("APIKey", {"writeOnly": True}),
        ("key", {"writeOnly": True}),
        ("pin", {"writeOnly": True}),
        ("db_pass", {"writeOnly": True}),
        ("creditCard", {"writeOnly": True}),
        ("card_number", {"writeOnly": True}),
        ("smsCode", {"writeOnly": True}),
        ("iban", {"writeOnly": True}),
    ],
)
def test_marked_schemas_secrets_and_files_are_human(name: str, schema: dict[str, Any]) -> None:
    assert is_human_by_default(Path.of(("query", name)), {**TEXT, **schema})


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("password", {}),
        ("token", {"writeOnly": False}),
        ("a", {"writeOnly": True}),
        ("monkey", {"writeOnly": True}),
        ("keyboard", {"writeOnly": True}),
        ("tokenize", {"writeOnly": True}),
        ("spin", {"writeOnly": True}),
        ("passenger", {"writeOnly": True}),
        ("company", {"writeOnly": True}),
        ("a", {"format": "byte"}),
        ("a", {"format": "base64"}),
        ("a", {"contentEncoding": "quoted-printable"}),
        ("a", {"contentMediaType": "text/csv; charset=utf-8"}),
        ("a", {"contentMediaType": "application/json"}),
        ("a", {"contentMediaType": "application/problem+json"}),
        ("a", {"contentMediaType": "Application/XML"}),
        ("a", {"x-secret-key-name": "b"}),
        ("a", {"x-vendor-secret-key": False}),
        ("a", {"x-human": "no"}),
        ("a", {"x-human": 0}),
        ("a", {"x-human": None}),
        ("a", {"x-human": "", "x-samchon-human": "False"}),
        ("a", {"format": ["password"], "contentEncoding": 1, "contentMediaType": {}}),
    ],
)
def test_other_schemas_are_not_human(name: str, schema: dict[str, Any]) -> None:
    assert not is_human_by_default(Path.of((name,)), {**TEXT, **schema})


@pytest.mark.parametrize("schema", [{"format": "binary"}, {"format": "password"}])
def test_a_schema_marked_as_not_human_is_never_human(
    schema: dict[str, Any],
) -> None:
    assert not is_human_by_default(Path.of(("password",)), {**schema, "x-human": False})


def test_predicates_can_be_combined() -> None:
    path = Path.of(("a",))
    both = any_of(is_secret, is_file)
    assert both(path, {"format": "binary"})
    assert both(path, {"format": "password"})
    assert not both(path, TEXT)
    assert not any_of()(path, {"x-human": True})
    assert pickle.loads(pickle.dumps(both)) == copy.deepcopy(both) == both


def test_items_have_the_name_of_their_array() -> None:
    assert last_name(Path.of(("tokens", "*"))) == "tokens"
    assert last_name(Path.of(("tokens", 0, "*"))) == "tokens"
    assert last_name(Path.of(())) == ""


def test_only_our_own_predicates_are_known_to_use_the_last_name_only() -> None:
    assert needs_name_only(is_human_by_default)
    assert needs_name_only(any_of(is_secret, any_of(is_file)))
    assert not needs_name_only(any_of(is_secret, lambda path, _: path == "$input.a"))


def calls_of(schema: Schema) -> list[tuple[str, Schema]]:
    calls: list[tuple[str, Schema]] = []

    def is_human(path: Path, inner: Any) -> bool:
        calls.append((str(path), dict(inner)))
        return False

    separate(schema, is_human)
    return calls


TREE = {"properties": {"v": TEXT, "all": {"items": {"$ref": "#/$defs/T"}}}}


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        (
            {
                "properties": {"a b": {"items": TEXT}, "*": TEXT},
                "patternProperties": {"^x": {"prefixItems": [TEXT]}},
                "additionalProperties": {"type": "boolean"},
                "unevaluatedItems": {"type": "number"},
            },
            [
                '$input["a b"]',
                '$input["*"]',
                *["$input[*]"] * 3,
                '$input["a b"][*]',
                "$input[*][0]",
            ],
        ),
        ({"properties": {"a": {"anyOf": [{"allOf": [TEXT]}, {}]}}}, ["$input.a"] * 4),
        (
            {
                "properties": {"a": {"$ref": "#/$defs/D"}, "b": {"$ref": "#/$defs/D"}},
                "$defs": {"D": {"properties": {"t": TEXT}}},
            },
            ["$input.a", "$input.b", "$input.a.t", "$input.b.t"],
        ),
        (
            {"$ref": "#/$defs/T", "$defs": {"T": TREE}},
            ["$input.v", "$input.all", "$input.all[*]"],
        ),
        ({"properties": {"me": {"$ref": "#"}}}, ["$input.me"]),
        (
            {"properties": {"a": {"propertyNames": TEXT, "contentSchema": {"items": TEXT}}}},
            [*["$input.a"] * 3, "$input.a[*]"],
        ),
    ],
)
def test_a_predicate_is_called_once_for_each_place_with_its_path(
    schema: Schema, paths: list[str]
) -> None:
    assert [path for path, _ in calls_of(schema)] == ["$input", *paths]


def test_a_reference_has_the_keywords_of_its_definition_and_its_own() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/A", "title": "near"}},
        "$defs": {
            "A": {"$ref": "#/$defs/B", "title": "far", "deprecated": True},
            "B": {"type": "string", "title": "farther"},
        },
    }
    assert calls_of(schema)[1:] == [
        ("$input.a", {"title": "near", "deprecated": True, "type": "string"})
    ]


def test_subtypes_that_only_a_discriminator_names_have_places_too() -> None:
    mapping = {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog", "gone": "#/$defs/Gone", "odd": 3}
    heir = {"allOf": [{"$ref": "#/$defs/Pet"}, {"properties": {"token": {"type": "string"}}}]}
    schema = {
        "properties": {"pet": {"$ref": "#/$defs/Pet"}},
        "$defs": {
            "Pet": {
                "anyOf": [{"$ref": "#/$defs/Dog"}],
                "properties": {"kind": {"type": "string"}},
                "discriminator": {"propertyName": "kind", "mapping": mapping},
            },
            "Cat": heir,
            "Dog": {},
        },
    }
    paths = [path for path, _ in calls_of(schema)]
    assert paths.count("$input.pet.token") == 1


def test_branches_of_a_schema_marked_as_not_human_are_not_human() -> None:
    union = {"anyOf": [{"type": "string", "format": "binary"}, {"type": "null"}], "x-human": False}
    assert not separate({"properties": {"a": union}}).has_human
    referred = {"$ref": "#/$defs/B", "x-human": False}
    schema = {"properties": {"a": referred}, "$defs": {"B": {"anyOf": [{"format": "binary"}]}}}
    assert not separate(schema).has_human


def test_the_name_of_each_use_of_a_definition_counts() -> None:
    schema = {
        "properties": {"note": {"$ref": "#/$defs/W"}, "password": {"$ref": "#/$defs/W"}},
        "$defs": {"W": {"anyOf": [{"type": "string", "writeOnly": True}, {"type": "null"}]}},
    }
    separated = separate(schema)
    assert separated.owner(("note",)) == "llm"
    assert separated.owner(("password",)) == "human"


def test_beyond_many_places_the_predicate_is_called_once_for_a_definition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    levels: Schema = {
        f"S{n}": {"properties": {side: {"$ref": f"#/$defs/S{n + 1}"} for side in ("l", "r")}}
        for n in range(30)
    }
    levels["S30"] = {"properties": {"t": {"type": "string"}}}
    schema = {"$ref": "#/$defs/S0", "$defs": levels}
    monkeypatch.setattr(graph, "MAX_PLACES", 100)
    paths: list[Path] = []

    def is_human(path: Path, _: Any) -> bool:
        paths.append(path)
        return path.keys[-1:] == ("t",)

    assert separate(schema, is_human).has_human
    assert len(paths) < 400

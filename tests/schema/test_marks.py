"""Which places a predicate is asked about, with which path and which schema."""

from typing import Any

import pytest

from pyfunctools.errors import DefinitionError
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation import graph
from pyfunctools.schema.separation.predicates import any_of
from pyfunctools.schema.separation.separate import separate_normalized as separate

Schema = dict[str, Any]


def asked(schema: Schema) -> list[tuple[str, Schema]]:
    questions: list[tuple[str, Schema]] = []

    def note(path: Path, inner: Any) -> bool:
        questions.append((str(path), dict(inner)))
        return False

    separate(schema, note)
    return questions


def test_each_place_is_asked_about_once_with_its_path() -> None:
    schema = {
        "properties": {"a b": {"items": {"type": "string"}}, "*": {"type": "null"}},
        "patternProperties": {"^x": {"prefixItems": [{"type": "integer"}]}},
        "additionalProperties": {"type": "boolean"},
        "unevaluatedItems": {"type": "number"},
    }
    assert [path for path, _ in asked(schema)] == [
        "$input",
        '$input["a b"]',
        '$input["*"]',
        "$input[*]",
        "$input[*]",
        "$input[*]",
        '$input["a b"][*]',
        "$input[*][0]",
    ]


def test_what_stands_at_the_same_place_is_asked_about_with_the_same_path() -> None:
    schema = {"properties": {"a": {"anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}]}}}
    assert [path for path, _ in asked(schema)] == ["$input", *["$input.a"] * 4]


def test_a_reference_is_asked_about_with_the_keywords_of_its_definition_and_its_own() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/A", "title": "near"}},
        "$defs": {
            "A": {"$ref": "#/$defs/B", "title": "far", "deprecated": True},
            "B": {"type": "string", "title": "farther"},
        },
    }
    assert asked(schema)[1:] == [
        ("$input.a", {"title": "near", "deprecated": True, "type": "string"})
    ]


def test_a_definition_is_asked_about_for_each_use() -> None:
    definition = {"properties": {"t": {"type": "string"}}}
    schema = {
        "properties": {"a": {"$ref": "#/$defs/D"}, "b": {"$ref": "#/$defs/D"}},
        "$defs": {"D": definition},
    }
    assert [path for path, _ in asked(schema)][-2:] == ["$input.a.t", "$input.b.t"]


def test_a_recursive_definition_is_asked_about_on_the_first_turn() -> None:
    tree = {"properties": {"v": {"type": "string"}, "all": {"items": {"$ref": "#/$defs/T"}}}}
    paths = [path for path, _ in asked({"$ref": "#/$defs/T", "$defs": {"T": tree}})]
    assert paths == ["$input", "$input.v", "$input.all", "$input.all[*]"]
    assert [path for path, _ in asked({"properties": {"me": {"$ref": "#"}}})] == [
        "$input",
        "$input.me",
    ]


def test_keys_and_the_content_of_texts_are_asked_about_at_the_path_of_what_holds_them() -> None:
    content = {"properties": {"pin": {"type": "string"}}}
    schema = {"properties": {"a": {"propertyNames": {"pattern": "a"}, "contentSchema": content}}}
    paths = [path for path, _ in asked(schema)]
    assert paths == ["$input", *["$input.a"] * 3, "$input.a.pin"]


def test_heirs_that_only_a_discriminator_names_are_asked_about() -> None:
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
    paths = [path for path, _ in asked(schema)]
    assert paths.count("$input.pet.token") == 1


def test_the_model_keeps_the_branches_of_what_is_declared_its_own() -> None:
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


def test_a_predicate_that_raises_is_an_error_that_names_the_place() -> None:
    def broken(path: Path, _: Any) -> bool:
        return {"$input": False}[path]

    with pytest.raises(DefinitionError, match=r"\$input\.a: The predicate raised KeyError") as info:
        separate({"properties": {"a": {}}}, broken)
    assert info.value.where == "$input.a"
    assert isinstance(info.value.__cause__, KeyError)


@pytest.mark.parametrize(
    "link",
    [
        {"$ref": "#name"},
        {"$ref": "https://example.com/a.json"},
        {"$ref": "#/$defs/Gone"},
        {"$ref": 5},
    ],
)
def test_where_nobody_knows_what_a_link_leads_to_one_mark_makes_all_the_humans(
    link: Schema,
) -> None:
    hidden = {"$anchor": "name", "properties": {"t": {"format": "password"}}}
    schema = {"properties": {"a": link, "b": {"type": "string"}}, "$defs": {"D": hidden}}
    assert separate(schema).owner(()) == "human"
    assert separate(schema, any_of()).owner(()) == "llm"


def test_past_many_places_a_definition_is_asked_about_once(
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

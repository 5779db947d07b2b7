"""`separate` and `Separated`: schemas and values of both sides."""

import copy
import doctest
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pyfunctools.errors import DefinitionError, SchemaError
from pyfunctools.schema import separation
from pyfunctools.schema.ground.references import prune, reference_to
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.separation.predicates import any_of, is_file, is_secret
from pyfunctools.schema.separation.separate import Separated, separate
from pyfunctools.schema.validation.validator import Validator

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}
CLOSED = {"additionalProperties": False}


def login() -> Schema:
    properties = {"user": S, "password": {"type": "string", "format": "password"}}
    return {"type": "object", "properties": properties, "required": ["user", "password"], **CLOSED}


def test_the_worked_example_runs() -> None:
    done = doctest.testmod(separation)
    assert (done.failed, done.attempted > 8) == (0, True)


def test_each_side_is_a_closed_object_with_its_own_properties() -> None:
    separated = separate(login())
    assert separated.schema == login()
    assert separated.llm == {
        "type": "object",
        "properties": {"user": S},
        "required": ["user"],
        **CLOSED,
    }
    assert separated.human == {
        "type": "object",
        "properties": {"password": {"type": "string", "format": "password"}},
        "required": ["password"],
        **CLOSED,
    }


def test_without_a_human_part_the_model_has_the_schema_without_unused_definitions() -> None:
    schema = {"type": "object", "properties": {"a": S}, "$defs": {"Unused": {"format": "password"}}}
    for separated in (separate(schema), separate(login(), None), separate(login(), is_file)):
        used = {key: value for key, value in separated.schema.items() if key != "$defs"}
        assert separated.llm == used
        assert separated.human is None
        assert separated.validate({}, "human")
        assert not separated.validate({"user": "x"}, "human")
        assert separated.split({"user": "x"}) == ({"user": "x"}, {})


def test_a_schema_of_any_draft_is_normalized_first() -> None:
    old = {
        "$id": "https://example.com/",
        "properties": {
            "a": {"items": [S, H], "additionalItems": S},
            "b": {"$ref": "#/definitions/B"},
        },
        "definitions": {"B": {"$anchor": "x", "properties": {"c": S, "pin": H}}},
    }
    separated = separate(old)
    assert separated.schema == normalize(old)
    owners = [separated.owner(keys) for keys in [("a", 0), ("a", 1), ("a", 2), ("b", "pin")]]
    assert owners == ["llm", "human", "llm", "human"]
    with pytest.raises(SchemaError, match=r"\$dynamicRef"):
        separate({"properties": {"a": {"$dynamicRef": "#x"}, "b": H}})


def test_a_custom_predicate_decides_by_path_and_schema() -> None:
    assert list(separate(login(), any_of(is_secret)).llm["properties"]) == ["user"]  # type: ignore[arg-type]
    separated = separate(login(), lambda path, schema: path == "$input.user")
    assert list(separated.llm["properties"]) == ["password"]  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match=r"\$input: The predicate raised"):
        separate(login(), lambda path, schema: bool(schema["nothing"]))


def test_validation_of_a_side_has_every_issue() -> None:
    failure = separate(login()).validate({"user": 1, "password": "x", "more": 1}, "llm")
    found = sorted(str(issue.path) for issue in failure.issues)  # type: ignore[union-attr]
    assert found == ["$input.more", "$input.password", "$input.user"]
    assert failure.value == {"user": 1, "password": "x", "more": 1}  # type: ignore[union-attr]


@pytest.mark.parametrize("value", [{1: "x"}, {"user": object()}, "x", None, [], float("nan")])
def test_a_value_that_is_not_a_json_object_has_one_issue_a_place(value: Any) -> None:
    for side in ("llm", "human"):
        failure = separate(login()).validate(value, side)
        paths = [str(issue.path) for issue in failure.issues]  # type: ignore[union-attr]
        assert len(paths) == len(set(paths)) > 0


ROW = {"type": "object", "properties": {"n": S, "t": H}}


@pytest.mark.parametrize(
    ("schema", "value", "llm", "human"),
    [
        (ROW, {"n": "x", "t": "s"}, {"n": "x"}, {"t": "s"}),
        (ROW, {"n": "x"}, {"n": "x"}, None),
        (ROW, {}, {}, None),
        (ROW, "text", "text", None),
        ({"items": ROW}, [], [], None),
        ({"items": ROW}, [{"n": "x"}], [{"n": "x"}], None),
        ({"items": ROW}, [{"n": "x"}, {"t": "s"}], [{"n": "x"}, {}], [{}, {"t": "s"}]),
        ({"items": ROW}, ["x", {"t": "s"}], ["x", {}], [None, {"t": "s"}]),
        ({"items": {"items": ROW}}, [[{"n": "x"}], [{"t": "s"}]], [[{"n": "x"}], [{}]],
         [[{}], [{"t": "s"}]]),
        ({"prefixItems": [S, H]}, ["x", "s"], ["x", None], [None, "s"]),
        ({"prefixItems": [S, H]}, ["x", None], ["x", None], [None, None]),
        ({"prefixItems": [S, H]}, ["x"], ["x"], None),
        ({"additionalProperties": ROW}, {"k": {"t": "s"}}, {"k": {}}, {"k": {"t": "s"}}),
        (ROW, {1: "s"}, ..., {1: "s"}),
    ],
)  # fmt: skip
def test_a_value_is_split_by_owner(schema: Schema, value: Any, llm: Any, human: Any) -> None:
    schema = {"type": "object", "properties": {"x": schema, "a": S, "pin": H}}
    mine, theirs = separate(schema).split({"x": value, "a": "b"})
    assert mine == ({"a": "b"} if llm is ... else {"x": llm, "a": "b"})
    assert theirs == ({} if human is None else {"x": human})


def test_a_side_without_parts_gets_an_empty_object() -> None:
    assert separate({"properties": {"a": S}}).split({"a": 1}) == ({"a": 1}, {})
    assert separate({"properties": {"a": H}}).split({"a": 1}) == ({}, {"a": 1})
    assert separate({"items": ROW}).split([{"n": 1}]) == ([{"n": 1}], [{}])
    deep: Any = {"a": "x"}
    for _ in range(64):
        deep = {"a": deep}
    assert separate(login()).split(deep) == ({}, deep)


def test_no_failure_has_a_value_of_the_human() -> None:
    failure = separate(login()).validate(
        {"password": ["SECRET-7f3a"], "user": "SECRET-7f3a"}, "human"
    )
    assert len(failure.issues) == 2  # type: ignore[union-attr]
    assert "SECRET" not in repr(failure)
    assert "SECRET" not in failure.feedback()  # type: ignore[union-attr]
    merged = separate(login()).merge({"user": "x"}, {"password": ["SECRET-7f3a"]})
    assert "SECRET" not in repr(merged)
    assert "SECRET" not in merged.feedback()  # type: ignore[union-attr]


def test_separations_are_compared_by_their_schemas_copied_and_pickled() -> None:
    separated = separate(login(), lambda path, _: path == "$input.password")
    assert separated == separate(login())
    assert separated != separate(login(), None)
    for other in (
        copy.deepcopy(separated),
        pickle.loads(pickle.dumps(separated)),
        copy.copy(separated),
    ):
        assert other == separated
        assert other.validate({"user": "x"}, "llm")
        assert not other.merge({"user": "x", "password": "EVIL"}, {})
        assert other.merge({"user": "x"}, {"password": "s"})


def test_a_recursive_type_is_split_only_if_it_is_mixed() -> None:
    tree = {"type": "object", "properties": {"name": S, "next": {"$ref": "#/$defs/T"}}}
    beside = {"properties": {"tree": {"$ref": "#/$defs/T"}, "pin": H}, "$defs": {"T": tree}}
    assert separate(beside).llm["$defs"]["T"] == tree  # type: ignore[index]
    assert separate(beside).human == {"properties": {"pin": H}, **CLOSED}
    beside["$defs"]["T"] = {**tree, "properties": {**tree["properties"], "key": H}}
    assert separate(beside).llm["$defs"]["T"] == tree  # type: ignore[index]


def test_shared_definitions_are_separated_once() -> None:
    levels: Schema = {
        f"S{n}": {"type": "object", "properties": {s: {"$ref": f"#/$defs/S{n + 1}"} for s in "lr"}}
        for n in range(30)
    }
    levels["S30"] = {"type": "object", "properties": {"pin": H, "name": S}}
    schema = {"type": "object", "properties": {"top": {"$ref": "#/$defs/S0"}}, "$defs": levels}
    for separated in (separate(schema), separate(schema, lambda _, inner: "x-human" in inner)):
        assert len(separated.llm["$defs"]) == 31  # type: ignore[arg-type]
        assert "pin" not in json.dumps(separated.llm)


def test_only_our_errors_are_raised() -> None:
    for schema in (
        {"properties": 5},
        {"$ref": 5},
        {"type": {}},
        {"items": 3, "anyOf": {}},
        {"": H},
    ):
        separated = separate(schema)
        assert isinstance(separated, Separated)
        separated.split({"a": [1]})
        try:
            separated.merge({"a": 1}, {})
        except SchemaError:
            continue
    with pytest.raises(SchemaError):
        separate({"enum": {1}})  # type: ignore[dict-item]


def test_separating_loads_no_heavy_library() -> None:
    code = (
        "import sys; from pyfunctools.schema.separation.separate import separate;"
        "separate({'properties': {'a': {'x-human': True}, 'b': {}}});"
        "print([m for m in ('jsonschema_rs', 'pydantic', 'httpx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def every_third_text() -> Callable[[Any, Any], bool]:
    numbers = count()
    return lambda _, schema: schema.get("type") == "string" and next(numbers) % 3 == 0


def components(document: Path) -> Iterator[Schema]:
    """Return the schemas of a document, at most so many, each with the definitions it needs."""
    whole = json.loads(document.read_bytes())
    old = "definitions" in whole
    found = whole.get("definitions") if old else whole.get("components", {}).get("schemas")
    base = "#/definitions/" if old else "#/components/schemas/"
    schemas = json.loads(json.dumps(found or {}).replace(f'"{base}', '"#/$defs/'))
    for name in list(schemas)[:12]:
        try:
            schema = normalize(prune({"$ref": reference_to(name), "$defs": schemas}))
        except SchemaError:
            continue
        if isinstance(schema, dict):
            yield schema


@pytest.mark.slow
def test_the_sides_of_real_schemas_are_complete(shared: Path) -> None:
    parted = 0
    for document in sorted((shared / "corpus").glob("v*/*.json")):
        for schema in components(document):
            assert separate(schema, None).llm == prune(schema)
            for separated in (separate(schema), separate(schema, every_third_text())):
                if separated.human is None:
                    continue
                parted += 1
                for side in (separated.llm, separated.human):
                    if side == schema:
                        continue
                    assert prune(side) == side
                    Validator(side).compile()
    assert parted > 200

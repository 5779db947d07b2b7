"""The laws of separating and merging, on random schemas, marks, predicates and hostile values."""

import copy
import json
import pickle
import zlib
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from ownership_oracle import Keys, Oracle, OraclePredicate
from random_schemas import HUMAN, MARK, Schema, Schemas
from random_values import ABSENT, Values

from pyfunctools.errors import SchemaError
from pyfunctools.schema import separate as separate_as_written
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation.separate import Separated
from pyfunctools.schema.separation.separate import separate_normalized as separate
from pyfunctools.schema.validation.validator import Validator

laws = law(200)
seeds = given(seed=st.integers(0, 2**48))


def at(value: Any, keys: Keys) -> Any:
    for key in keys:
        if not isinstance(value, dict if isinstance(key, str) else list):
            return ABSENT
        try:
            value = value[key]
        except LookupError:
            return ABSENT
    return value


def leaves(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*keys, key))
    else:
        yield keys, value


def same(one: Any, other: Any) -> bool:
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def marked_schema(seed: int) -> tuple[Random, Schema]:
    random = Random(seed)
    return random, Schemas(random, marks=True).root()


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for keyword, inner in schema.items():
            if keyword == "$ref" and isinstance(inner, str):
                yield unquote(inner).removeprefix("#/$defs/")
            elif keyword != "$defs":
                yield from references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from references(inner)


def reached(schema: Schema) -> set[str]:
    """Return the definitions that a schema refers to."""
    names: set[str] = set()
    stack = [*references(schema)]
    while stack:
        name = stack.pop()
        if name not in names:
            names.add(name)
            stack += references(schema["$defs"][name])
    return names


def sample_values(random: Random, root: Schema) -> Iterator[Any]:
    for _ in range(4):
        yield Values(random, root, "v", 1000).of(root)


def check_parts(separated: Separated, oracle: Oracle, value: Any) -> None:
    llm, human = separated.split(value)
    for keys, _ in oracle.humans(value):
        assert at(llm, keys) in (ABSENT, None) if keys else llm == {}
    if not separated.validate(value, "whole"):
        return
    merged = separated.merge(llm, human)
    assert merged
    assert same(merged.value, value)
    assert separated.validate(llm, "llm")
    assert separated.validate(human, "human")


def check_hostile(separated: Separated, oracle: Oracle, llm: Any, human: Any) -> None:
    before = copy.deepcopy((llm, human))
    merged = separated.merge(llm, human)
    assert (llm, human) == before
    if not merged:
        assert merged.issues
        assert merged.value is llm
        return
    for keys, value in oracle.humans(merged.value):
        assert same(at(human, keys), value)
    for keys, value in oracle.humans(human):
        assert same(at(merged.value, keys), value)
    wrote, whole = json.loads(json.dumps([llm, merged.value]))
    for keys, leaf in leaves(whole):
        assert same(at(human, keys), leaf) or same(at(wrote, keys), leaf)
    for keys, leaf in leaves(human):
        assert leaf is None or same(at(whole, keys), leaf)


def check_foreign_values_reported(separated: Separated, oracle: Oracle, llm: Any) -> None:
    """Check that each value of the model in a human place is an issue there, or above it."""
    verdict = separated.validate(llm, "llm")
    plain = json.loads(json.dumps(llm))  # strict JSON, for the fast path
    assert separated.accepts(plain) == bool(separated.validate(plain, "llm"))
    issues = [issue.path.keys for issue in (() if verdict else verdict.issues)]
    for keys, value in oracle.humans(llm):
        if not keys:
            assert issues or value in ({}, None)
        elif value is not None or isinstance(
            keys[-1], str
        ):  # null stands for an item of the other side
            assert any(keys[: len(path)] == path for path in issues)


@laws
@seeds
def test_B04_split_values_merge_to_the_original_and_are_valid_for_their_sides(seed: int) -> None:
    random, root = marked_schema(seed)
    before = copy.deepcopy(root)
    separated = separate(root)
    for value in sample_values(random, root):
        check_parts(separated, Oracle(root), value)
    assert same(root, before)


@laws
@seeds
def test_B04_no_value_of_the_model_is_in_a_human_place(seed: int) -> None:
    random, root = marked_schema(seed)
    separated, oracle = separate(root), Oracle(root)
    for value in sample_values(random, root):
        llm, human = separated.split(value)
        evil = Values(random, root, "EVIL", 6660)
        bad = evil.hostile(random.choice([evil.of(root), value]))
        check_hostile(separated, oracle, bad, random.choice([human, {}]))
        check_foreign_values_reported(separated, oracle, bad)
        other = random.choice([llm, {}, None, [], value])
        check_hostile(separated, oracle, other, random.choice([human, {}]))


@laws
@seeds
def test_B04_one_human_alternative_makes_the_place_human(seed: int) -> None:
    random = Random(seed)
    schemas = Schemas(random, marks=True)
    models, persons = schemas.schema(3, 0), schemas.schema(3, 0)
    if not isinstance(models, dict) or not isinstance(persons, dict):
        return
    branches = [models, schemas.human(persons)]
    random.shuffle(branches)
    root = {
        "type": "object",
        "properties": {"a": {"anyOf": branches}, "b": {"type": "integer"}},
        "$defs": schemas.definitions,
    }
    if Oracle(root).is_null(persons):
        return
    separated = separate(root)
    assert separated.llm["properties"] == {"b": {"type": "integer"}}
    for _ in range(4):
        human = {"a": Values(random, root, "v", 1000).of(random.choice(branches))}
        bad = Values(random, root, "EVIL", 6660)
        for llm in (
            {"a": bad.of(models)},
            {"a": bad.hostile(bad.of(models))},
            {"a": bad.of(persons)},
        ):
            merged = separated.merge(llm, human)
            assert not merged or same(merged.value, human)
            assert separated.merge(llm, {}).unwrap() == {}
        if separated.validate(human, "whole"):
            assert separated.split(human) == ({}, human)


Predicate = Callable[[Path, Schema], bool]


def by_path(seed: int) -> tuple[Predicate, OraclePredicate]:
    """Return a predicate that depends only on the path."""

    def is_human(path: str, _: Schema) -> bool:
        return zlib.crc32(f"{path}{seed}".encode()) % (40 if path == "$input" else 4) == 0

    return (lambda path, schema: is_human(path, schema)), is_human


def by_kind(seed: int) -> tuple[Predicate, OraclePredicate]:
    """Return a predicate that selects some texts, by their path."""

    def is_human(path: str, schema: Schema) -> bool:
        is_text = schema.get("type") == "string" or isinstance(schema.get("const"), str)
        return is_text and zlib.crc32(f"{path}{seed}".encode()) % 3 == 0

    return (lambda path, schema: is_human(path, schema)), is_human


def by_count(seed: int) -> tuple[Predicate, OraclePredicate]:
    """Return a predicate that selects every third text it is called with."""
    numbers, taken = count(seed), dict[tuple[str, int], Schema]()

    def takes(path: Path, schema: Schema) -> bool:
        if schema.get("type") != "string" or next(numbers) % 3:
            return False
        taken[str(path), id(schema)] = schema
        return True

    return takes, lambda path, schema: (path, id(schema)) in taken


@pytest.mark.parametrize("kind", [by_path, by_kind, by_count], ids=lambda kind: kind.__name__)
@laws
@seeds
def test_B04_ownership_follows_the_predicate(
    kind: Callable[[int], tuple[Predicate, OraclePredicate]], seed: int
) -> None:
    random = Random(seed)
    schemas = Schemas(random, marks=False)
    root = schemas.root()
    if any(set(references(inner)) for inner in schemas.definitions.values()):
        return  # in a recursive definition it is not called for later rounds
    if kind is not by_path and schemas.definitions:
        return  # it is called for the target of a reference merged with the keywords beside it
    predicate, is_human = kind(seed)
    separated, oracle = separate(root, predicate), Oracle(root, is_human)
    for value in sample_values(random, root):
        check_parts(separated, oracle, value)
        bad = Values(random, root, "EVIL", 6660).hostile(value)
        check_hostile(separated, oracle, bad, random.choice([separated.split(value)[1], {}]))
        check_foreign_values_reported(separated, oracle, bad)


@laws
@seeds
@pytest.mark.parametrize("separate", [separate, separate_as_written])
def test_T03_the_model_s_side_has_nothing_of_the_human(
    separate: Callable[[Schema], Separated], seed: int
) -> None:
    random, root = marked_schema(seed)
    try:
        separated = separate(root)
    except SchemaError:  # contradictions and circles, which cannot be normalized
        return
    shown = json.dumps(separated.llm)
    assert MARK not in shown
    assert not [name for name in HUMAN if name in shown]
    for _ in range(4):
        evil = Values(random, root, "EVIL", 6660)
        bad = evil.hostile(evil.of(root))
        wrote = json.dumps(bad)
        _, human = separated.split(Values(random, root, MARK, 1000).of(root))
        for result in (separated.merge(bad, human), separated.validate(bad, "llm")):
            for issue in () if result else result.issues:
                text = json.dumps([issue.path, issue.expected, issue.value, issue.message])
                assert issue.side == "llm" or issue.value is None
                leaked = [word for word in (MARK, *HUMAN) if word in text and word not in wrote]
                assert issue.side == "human" or not leaked


def named(root: Schema, schema: Any, keys: Keys = (), left: int = 6) -> Iterator[Keys]:
    """Yield the places that a schema names in `properties` and `required`."""
    if not isinstance(schema, dict) or not left:
        return
    if "$ref" in schema:
        target = root["$defs"][unquote(schema["$ref"]).removeprefix("#/$defs/")]
        yield from named(root, target, keys, left - 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for inner in schema.get(keyword, []):
            yield from named(root, inner, keys, left)
    yield from ((*keys, name) for name in schema.get("required", []))
    for name, inner in schema.get("properties", {}).items():
        if inner is not False:
            yield (*keys, name)
            yield from named(root, inner, (*keys, name), left - 1)


@laws
@seeds
def test_no_side_names_a_place_of_the_other(seed: int) -> None:
    _, root = marked_schema(seed)
    separated = separate(root)
    for side, other in ((separated.llm, "human"), (separated.human or {}, "llm")):
        if separated.owner(()) == "mixed":
            assert [keys for keys in named(side, side) if separated.owner(keys) == other] == []


@laws
@seeds
def test_both_sides_are_schemas_with_just_the_definitions_they_need(seed: int) -> None:
    _, root = marked_schema(seed)
    separated = separate(root)
    for side in (separated.llm, separated.human):
        if side is None or side is root:
            continue
        Validator(side).compile()
        assert set(side.get("$defs", {})) == reached(side)


@laws
@seeds
def test_copies_and_pickles_are_equal_and_work(seed: int) -> None:
    random, root = marked_schema(seed)
    separated = separate(root, lambda path, schema: schema.get("x-human") is True or "c" in path)
    for other in (pickle.loads(pickle.dumps(separated)), copy.deepcopy(separated)):
        assert other == separated
        for value in sample_values(random, root):
            assert other.split(value) == separated.split(value)


def test_the_random_cases_are_valid_and_have_parts_of_both() -> None:
    """Random values could all be invalid, and random schemas belong to one side: these do not."""
    parted = right = whole = 0
    for seed in range(300):
        random, root = marked_schema(seed)
        separated = separate(root)
        whole += separated.human == root
        for value in sample_values(random, root):
            if separated.validate(value, "whole"):
                right += 1
                parted += all(separated.split(value))
    assert right > 500
    assert parted > 120
    assert whole > 5


def test_the_oracle_and_the_library_spell_paths_alike() -> None:
    asked: list[Path] = []
    schema = {
        "properties": {"a": {"items": {"properties": {"b": {}}}}, "t": {"prefixItems": [{}]}},
        "additionalProperties": {"type": "string"},
    }
    separate(schema, lambda path, _: bool(asked.append(path)))
    spelled = ["$input", "$input.a", "$input.t", "$input[*]", "$input.a[*]", "$input.t[0]"]
    assert asked == [*spelled, "$input.a[*].b"]
    assert asked[-1].keys == ("a", "*", "b")

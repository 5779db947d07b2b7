import pytest
from clock import at_most
from schemas import INTEGER, NULL, STRING, any_of, array, thing

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.outline.unions import Tag, union_of
from pyfunctools.schema.vocabulary import UNIONS

CAT = thing("kind lives", kind={"const": "cat"}, lives=INTEGER)
DOG = thing("kind age", kind={"enum": ["dog", "puppy"]}, age=INTEGER)
SEARCH = thing("query", query=STRING, limit=INTEGER, offset=INTEGER)
FILTER = thing("field op", field=STRING, op=STRING, limit=INTEGER)


def index(union: JsonSchema, value: JsonValue, root: JsonSchema | None = None) -> int | None:
    part = Outline({**(root or {}), **union}).root
    read = union_of(part, next(keyword for keyword in UNIONS if keyword in union))
    meant = read.intended_branch(value)
    return None if meant is None else read.branches.index(meant)


def tag_of(union: JsonSchema) -> Tag | None:
    part = Outline(union).root
    return union_of(part, next(keyword for keyword in UNIONS if keyword in union)).tag


@pytest.mark.parametrize(
    ("value", "branch"),
    [
        ({"kind": "cat", "lives": "nine"}, 0),
        ({"kind": "dog", "lives": 9}, 1),
        ({"kind": "puppy"}, 1),
        ({"kind": "CAT "}, 0),
        ({"kind": "'dog'"}, 1),
        ({"kind": "cow", "lives": 9}, None),
        ({"kind": None, "lives": 9}, None),
        ({"kind": ["cat"], "lives": 9}, None),
        ({"lives": 9}, 0),
        ({"age": "old"}, 1),
        ({}, None),
        ({"legs": 4}, None),
    ],
)
def test_a_tag_decides_before_everything_else(value: JsonValue, branch: int | None):
    assert index(any_of(CAT, DOG), value) == branch


def test_a_tag_is_found_without_a_discriminator():
    tag = tag_of(any_of(CAT, DOG, NULL))
    assert tag is not None
    assert (tag.name, tag.allowed) == ("kind", ("cat", "dog", "puppy"))
    assert [tag.branch(value) for value in ("cat", "Puppy", "cow", [])] == [0, 1, None, None]


@pytest.mark.parametrize(
    "union",
    [any_of(CAT, CAT), any_of(CAT, SEARCH), any_of(CAT, NULL), any_of(INTEGER, STRING)],
)
def test_a_property_with_the_same_constants_in_two_branches_is_no_tag(union: JsonSchema):
    assert tag_of(union) is None


@pytest.mark.parametrize(
    ("mapping", "allowed"),
    [
        ({"meow": "#/$defs/Cat", "woof": "#/$defs/Dog"}, ("meow", "woof")),
        ({"meow": "Cat", "woof": "Dog"}, ("meow", "woof")),
        ({"meow": "#/$defs/Cat"}, ("meow", "Dog")),
        ({"meow": "#/$defs/Nobody"}, ("Cat", "Dog")),
        (None, ("Cat", "Dog")),
    ],
)
def test_a_discriminator_names_the_tag_and_its_values(mapping: JsonValue, allowed: tuple[str, ...]):
    written: JsonSchema = {
        "$defs": {"Cat": thing("lives", lives=INTEGER), "Dog": thing("age", age=INTEGER)},
        "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
        "discriminator": {"propertyName": "type", **({"mapping": mapping} if mapping else {})},
    }
    root = normalize(written)
    tag = tag_of(root)
    assert tag is not None
    assert (tag.name, tag.allowed) == ("type", allowed)
    assert [index(root, {"type": name}) for name in allowed] == [0, 1]
    assert index(root, {"type": "cow", "lives": 1}) is None
    assert index(root, {"lives": 1}) == 0


def test_a_constant_selects_and_excludes_where_not_every_branch_lists_one():
    success = thing("ok", ok={"const": True}, value=INTEGER)
    failure = thing("ok", ok={"const": False}, value=STRING)
    other = thing("value", value=INTEGER, ok={"type": "boolean"})
    assert index(any_of(success, failure, other), {"ok": False, "value": 1}) == 1
    assert index(any_of(success, failure), {"ok": "true", "value": 1}) == 0
    assert index(any_of(thing(a={"const": 1}, b=STRING), thing(a=INTEGER, c=STRING)), {"a": 2}) in (
        None,
        1,
    )


@pytest.mark.parametrize(
    ("value", "branch"),
    [
        ({"query": 1}, 0),
        ({"query": 1, "limit": 2, "offset": 3}, 0),
        ({"field": 1, "op": 2}, 1),
        ({"field": 1}, 1),
        ({"op": 1, "limit": 2, "extra": 3}, 1),
        ({"offset": 3}, 0),
        ({"unknown": 1}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("closed", [True, False])
def test_keys_decide_where_no_constant_does(value: JsonValue, branch: int | None, closed: bool):
    search = thing("query", closed=closed, query=STRING, limit=INTEGER, offset=INTEGER)
    filtered = thing("field op", closed=closed, field=STRING, op=STRING, limit=INTEGER)
    assert index(any_of(search, filtered, NULL), value) == branch


@pytest.mark.parametrize(
    ("value", "branch"),
    [
        (1, 0),
        (1.0, 0),
        ("1", None),
        (None, 3),
        ([], 1),
        (["x"], 1),
        ({}, 2),
        ({"unknown": 1}, 2),
        (True, None),
        (1.5, None),
    ],
)
def test_the_type_decides_where_nothing_else_can(value: JsonValue, branch: int | None):
    union = any_of(INTEGER, {"type": "array", "items": INTEGER}, SEARCH, NULL)
    assert index(union, value) == branch


@pytest.mark.parametrize(
    ("value", "branch"), [("auto", 0), ("AUTO", 0), ("high", 1), ("other", None), ({}, 2), (3, 3)]
)
def test_listed_values_decide_for_scalars(value: JsonValue, branch: int | None):
    union = any_of({"const": "auto"}, {"enum": ["low", "high"]}, {"type": "object"}, {"const": 3})
    assert index(union, value) == branch


def test_a_branch_that_is_a_union_is_returned_whole():
    pets: JsonSchema = {
        "$defs": {"Pet": {"oneOf": [CAT, DOG]}},
        "anyOf": [{"$ref": "#/$defs/Pet"}, NULL, SEARCH],
    }
    assert index(pets, {"kind": "dog"}, pets) == 0
    assert index(pets, {"query": "x"}, pets) == 2


def test_keywords_beside_a_reference_and_in_all_of_count_too():
    root: JsonSchema = {
        "$defs": {"Base": thing("id", closed=False, id=INTEGER)},
        "oneOf": [
            {"$ref": "#/$defs/Base", "required": ["left"], "properties": {"left": INTEGER}},
            {"allOf": [{"$ref": "#/$defs/Base"}, thing("right", closed=False, right=INTEGER)]},
        ],
    }
    assert index(root, {"id": "x", "left": 1}) == 0
    assert index(root, {"id": "x", "right": 1}) == 1


def test_thousands_of_branches_are_told_apart_at_once():
    union = any_of(*(thing("kind", kind={"const": f"k{n}"}, x=INTEGER) for n in range(2000)))
    read = union_of(Outline(union).root, "anyOf")
    with at_most(0.1):
        assert read.intended_branch({"kind": "k1999"}) is read.branches[1999]


def test_a_union_of_unions_is_read_in_time():
    loop: JsonSchema = {"$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}] * 50}}}
    wide: JsonSchema = {"allOf": [{"oneOf": [{"required": [f"{n}"]} for n in range(50)]}] * 50}
    with at_most(5):
        assert index({"anyOf": [{"$ref": "#/$defs/A"}, NULL]}, None, loop) is None
        assert index(any_of(NULL, wide), None) == 0


def test_a_tag_is_certain_where_every_branch_lists_its_own():
    union = union_of(Outline(any_of(CAT, DOG, NULL)).root, "anyOf")
    assert union.tag is not None
    assert union.tag.certain
    assert union.branch_by_tag({"kind": "puppy", "age": "x"}) is union.branches[1]
    for value in ({"kind": "Cat"}, {"kind": "cow"}, {"age": 1}, {"kind": []}, 1):
        assert union.branch_by_tag(value) is None


@pytest.mark.parametrize(
    "other",
    [
        {"properties": {"kind": {"const": "dog"}}},
        {"type": "object", "properties": {"kind": STRING}},
        {"type": ["object", "null"], "properties": {"kind": {"const": "dog"}}},
        {"type": "object", "allOf": [{"properties": {"kind": {"const": "dog"}}}]},
    ],
)
def test_a_tag_is_not_certain_where_a_branch_may_take_that_of_another(other: JsonSchema):
    schema = {**any_of(CAT, other), "discriminator": {"propertyName": "kind"}}
    union = union_of(Outline(schema).root, "anyOf")
    assert union.tag is not None
    assert not union.tag.certain
    assert union.branch_by_tag({"kind": "cat"}) is None


@pytest.mark.parametrize(
    ("union", "value", "branch"),
    [
        (any_of(thing("a", a={"const": 1}), thing("a", a={"const": True})), {"a": True}, 1),
        (any_of(thing("a", a={"const": 1}), thing("a", a={"const": True})), {"a": 1.0}, 0),
        (any_of(thing("a", a=STRING), thing(b=STRING)), {}, 1),
        (any_of(SEARCH, {"type": "object", "additionalProperties": INTEGER}), {"a": "x"}, 1),
        (any_of(SEARCH, {"type": "object", "additionalProperties": INTEGER}), {"query": 1}, 0),
        (any_of(thing("a", a=INTEGER), thing("a", a=STRING)), {"a": "x"}, 1),
        (any_of(thing("a", a=INTEGER), thing("a", a=STRING)), {"a": 1}, 0),
        (any_of(thing("a", a=INTEGER), thing("a", a=STRING)), {"a": None}, None),
        (any_of(array(INTEGER), array(SEARCH)), [{"query": 1}, 2, {}], 1),
        (any_of(array(INTEGER), array(SEARCH)), [1, {}, 2], 0),
        (any_of(array(INTEGER), array(SEARCH)), [], None),
        (any_of(False, CAT), {"kind": "cat"}, 1),
        (any_of(False, False), 1, None),
        (any_of({"$ref": "#/nowhere"}, {"$ref": "https://a.example"}, {"$ref": "#/anyOf/2"}),
         {"a": 1}, None),
    ],
)  # fmt: skip
def test_the_branch_is_found_by_constants_keys_and_types(
    union: JsonSchema, value: JsonValue, branch: int | None
):
    assert index(union, value) == branch

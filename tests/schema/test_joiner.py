"""Two values, each with its own side only, laid together place by place."""

from pyfunctools.schema.separation.division import divide
from pyfunctools.schema.separation.join import merged
from pyfunctools.schema.separation.predicates import is_human_by_default

SECRET = {"type": "string", "x-human": True}
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "pin": SECRET,
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"n": {"type": "integer"}, "token": SECRET},
                "required": ["n", "token"],
            },
        },
    },
    "required": ["name", "pin"],
}
DIVISION = divide(SCHEMA, is_human_by_default)


def test_objects_are_joined_by_key_and_arrays_by_index():
    model = {"name": "Ada", "rows": [{"n": 1}, {"n": 2}]}
    person = {"pin": "1", "rows": [{"token": "a"}, {"token": "b"}]}
    assert merged(DIVISION, model, person).unwrap() == {
        "name": "Ada",
        "pin": "1",
        "rows": [{"n": 1, "token": "a"}, {"n": 2, "token": "b"}],
    }


def test_what_the_model_writes_at_a_place_of_the_persons_is_dropped_before_joining():
    model = {"name": "Ada", "pin": "EVIL", "rows": [{"n": 1, "token": "EVIL"}]}
    person = {"pin": "1", "rows": [{"token": "a"}]}
    joined = merged(DIVISION, model, person).unwrap()
    assert joined == {"name": "Ada", "pin": "1", "rows": [{"n": 1, "token": "a"}]}


def test_arrays_of_different_lengths_and_missing_parts_are_issues_of_their_side():
    uneven = merged(DIVISION, {"name": "A", "rows": [{"n": 1}]}, {"pin": "1", "rows": []})
    assert not uneven
    missing = merged(DIVISION, {"name": "A"}, {})
    assert not missing
    assert [(str(issue.path), issue.side) for issue in missing.issues] == [("$input.pin", "human")]


def test_nothing_given_is_changed():
    model, person = {"name": "Ada", "pin": "EVIL"}, {"pin": "1"}
    merged(DIVISION, model, person)
    assert (model, person) == ({"name": "Ada", "pin": "EVIL"}, {"pin": "1"})

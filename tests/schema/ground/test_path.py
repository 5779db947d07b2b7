import json
import pickle
from copy import deepcopy

import pytest

from pyfunctools.schema.ground.path import Keys, Path, pointer_of, value_at


@pytest.mark.parametrize(
    ("keys", "text", "pointer"),
    [
        ((), "$input", ""),
        (("items", 0, "name"), "$input.items[0].name", "/items/0/name"),
        (("_a", "$b", "c9"), "$input._a.$b.c9", "/_a/$b/c9"),
        (("9a",), '$input["9a"]', "/9a"),
        (("a-b", "c d"), '$input["a-b"]["c d"]', "/a-b/c d"),
        (("",), '$input[""]', "/"),
        (('say "hi"\n',), '$input["say \\"hi\\"\\n"]', '/say "hi"\n'),
        (("a/b", "m~n"), '$input["a/b"]["m~n"]', "/a~1b/m~0n"),
        (("é",), '$input["\\u00e9"]', "/é"),
        (("\u202e",), '$input["\\u202e"]', "/\u202e"),
    ],
)
def test_a_path_is_spelled_in_one_way_and_is_a_pointer_too(keys: Keys, text: str, pointer: str):
    path = Path.of(keys)
    assert path == text
    assert path.keys == keys
    assert path.pointer == pointer == pointer_of(keys)


def test_a_name_that_could_be_read_as_other_steps_is_quoted():
    assert Path.of(("a.b",)) != Path.of(("a", "b"))
    assert Path.of(("a[0]",)) != Path.of(("a", 0))
    assert Path.of(("0",)) != Path.of((0,))


def test_a_path_is_a_text_to_everything_else():
    path = Path.of(("b", 1))
    assert json.dumps({"path": path}) == '{"path": "$input.b[1]"}'
    assert sorted([path, Path.of(("a",))]) == ["$input.a", "$input.b[1]"]
    assert {path: 1}["$input.b[1]"] == 1


def test_another_root_can_be_named():
    assert Path.of(("a",), root="$output") == "$output.a"


def test_copies_and_pickles_keep_the_steps():
    path = Path.of(("a", 0))
    for copy in (deepcopy(path), pickle.loads(pickle.dumps(path))):
        assert (copy, copy.keys, type(copy)) == (path, ("a", 0), Path)


def test_a_path_made_of_a_text_alone_has_no_steps():
    assert Path("$input").keys == ()


def test_a_place_is_there_or_not():
    value = {"a": [{"b": None}]}
    assert value_at(value, ("a", 0, "b")) == (None,)
    assert value_at(value, ()) == (value,)
    for keys in (("a", 1), ("a", "0"), ("a", 0, "b", "c")):
        assert value_at(value, keys) is None

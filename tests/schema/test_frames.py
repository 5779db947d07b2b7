from pyfunctools._json import JsonSchema
from pyfunctools.schema.outline.places import Places
from pyfunctools.schema.parsing.frames import Frame, Frames

SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/b"}}},
    "$defs": {"b": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
}


def test_elements_are_put_into_their_place():
    frame = Frame({}, "}")
    frame.key = "a"
    frame.put(1)
    assert frame.value == {"a": 1}
    items = Frame([], "]")
    items.put(1)
    items.put(None)
    assert items.value == [1, None]


def test_keys_lead_to_the_element_that_is_read():
    frames = Frames(None, ())
    frames.open += [Frame({}, "}", key="a"), Frame([], "]", key=2)]
    assert frames.keys() == ("a", 2)
    assert frames.keys(-1) == ("a",)
    assert frames.wanted() == frozenset()


def test_the_innermost_fitting_bracket_is_found():
    frames = Frames(None, ())
    frames.open += [Frame({}, "}"), Frame([], "]"), Frame({}, "}"), Frame([], "]")]
    assert frames.outer("}") == 2
    assert frames.outer("]") == 3
    assert Frames(None, ()).outer("}") is None


def test_the_schema_names_what_is_wanted_at_each_place():
    frames = Frames(Places(SCHEMA), [SCHEMA])
    assert frames.wanted() == {"object"}
    frames.open.append(Frame({}, "}", key="a"))
    assert frames.wanted() == {"array"}
    frames.open.append(Frame([], "]"))
    assert frames.wanted() == {"string", "null"}
    frames.open.pop()
    frames.open[0].key = "b"
    assert frames.wanted() == frozenset()

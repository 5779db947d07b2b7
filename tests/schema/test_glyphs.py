from pyfunctools.schema.parsing.glyphs import (
    CLOSERS,
    COLONS,
    COMMAS,
    HIDDEN,
    OPENING,
    QUOTES,
    SPACE,
)


def test_every_quote_that_begins_a_string_can_end_one():
    assert list(OPENING) == list(CLOSERS)
    for closers in CLOSERS.values():
        assert set(closers) <= set(QUOTES)
    assert CLOSERS['"'] == '"'


def test_the_characters_of_json_come_first_and_none_stands_in_two_roles():
    assert (COMMAS[0], COLONS[0], OPENING[0]) == (",", ":", '"')
    roles = [COMMAS, COLONS, QUOTES, HIDDEN, SPACE, "[]{}\\"]
    assert len(set("".join(roles))) == len("".join(roles))

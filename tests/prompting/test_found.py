"""A piece of JSON in a text knows where its objects stand."""

from pyfunctools.prompting.calls.found import Piece


def test_the_innermost_object_on_the_way_is_the_place() -> None:
    piece = Piece(
        text="", start=5, end=90, value=[], objects={(0,): (6, 40), (0, "function"): (20, 30)}
    )
    assert piece.place((0, "function", "arguments")) == (20, 30)
    assert piece.place((0, "arguments")) == (6, 40)
    assert piece.place((1, "arguments")) == (5, 90)
    assert piece.place(()) == (5, 90)

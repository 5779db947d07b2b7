"""What `check` advises, and what the terminal says of names and sources."""

import pytest

from pyfunctools import Controller, DefinitionError, UnknownFunctionError, function
from pyfunctools.cli.advice import findings, summed_up
from pyfunctools.cli.display import skipped_text
from pyfunctools.cli.source import open_source


class Cinema:
    """A cinema."""

    @function(name="find-films")
    def find(self, state: str, mode: str, seats: float, size: float, kind: str) -> str:
        """Find films.

        Args:
            state: One of now_playing, upcoming.
            mode: Either `fast` or `slow`.
            seats: The number of seats.
            size: The size in metres, one of the rooms.
            kind: Must be a number or a text.
        """
        return ""


class Plain:
    """Nothing in it is marked."""

    def add(self, a: int) -> int:
        """Add one."""
        return a + 1


def test_each_advice_has_the_line_to_write() -> None:
    found = [(where, text) for where, _, text in findings(Controller.from_object(Cinema()))]
    assert found == [
        (
            "find-films",
            'Models often write `_` for a dash in a name. Write `@function(name="find_films")`.',
        ),
        (
            "find-films $input.state",
            'The description lists the values. Write `state: Literal["now_playing", "upcoming"]`.',
        ),
        (
            "find-films $input.mode",
            'The description lists the values. Write `mode: Literal["fast", "slow"]`.',
        ),
        ("find-films $input.seats", "This is a whole number. Write `seats: int`."),
    ]


def test_all_takes_what_is_not_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.modules", {**__import__("sys").modules, "plain_methods": Plain})
    monkeypatch.setattr(Plain, "Plain", Plain, raising=False)
    with pytest.raises(DefinitionError, match="--all"):
        open_source("plain_methods:Plain")
    assert [each.name for each in open_source("plain_methods:Plain", undecorated=True)] == ["add"]


def test_many_parts_skipped_for_one_reason_are_a_count() -> None:
    hooks = {f"hook{n}": {"post": {"summary": "Tell"}} for n in range(257)}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/a": {"get": {"summary": "Get it"}}},
        "webhooks": hooks,
    }
    text = skipped_text(Controller.from_openapi(document, server="https://a.example"))
    assert text is not None
    assert text.plain.startswith("257 skipped: A webhook")
    assert "\n" not in text.plain


def test_an_unknown_name_lists_the_functions_if_they_are_few() -> None:
    few = Controller.from_object(Plain(), all=True)
    with pytest.raises(UnknownFunctionError, match=r"There is: add\."):
        few["other"]
    error = UnknownFunctionError("x", (), [f"f{n}" for n in range(11)])
    assert str(error) == "There is no function 'x'."


def test_of_many_findings_that_say_the_same_a_few_are_shown_and_the_rest_is_counted() -> None:
    many = [(f"f{n}", "odd", f"Odd. (at /paths/{n})") for n in range(2_000)]
    other = ("g", "advice", "Something else.")
    assert [*summed_up([*many[:3], other])] == [*many[:3], other]
    assert [*summed_up([*many, other])] == [*many[:3], ("and 1,997 more", "odd", "Odd."), other]

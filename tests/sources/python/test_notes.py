"""Notes about hints and docstrings of Python functions."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Annotated, Literal, cast

from pydantic import BaseModel, Field, SecretStr, WithJsonSchema
from typing_extensions import deprecated

from pyfunctools import Controller, Human, function, function_of
from pyfunctools.note import Note


class Tea(BaseModel):
    name: str = Field(description="The\u200b name")


def test_hidden_characters_of_a_docstring_are_noted() -> None:
    def buy(tea: Tea, grams: int) -> None:
        """Buy\u202e tea.

        Args:
            grams: How\U000e0041 much.
        """

    function = function_of(buy)
    assert function.description == "Buy tea."
    assert set(function.notes) == {
        Note(text="1 hidden character is left out of the description."),
        Note(
            text="1 hidden character is left out of `description`.",
            pointer="/parameters/properties/grams/description",
        ),
        Note(
            text="1 hidden character is left out of `description`.",
            pointer="/parameters/$defs/Tea/properties/name/description",
        ),
    }


def test_a_pattern_that_cannot_be_enforced_is_noted() -> None:
    def find(what: Annotated[str, WithJsonSchema({"type": "string", "pattern": "("})]) -> None:
        """Find something."""

    [note] = function_of(find).notes
    assert note.text == '`pattern` cannot be "(", and is left out.'


class Pot(BaseModel):
    size: Literal["small", "large"] = "middle"  # type: ignore[assignment]
    cups: int = True
    lid: str = None  # type: ignore[assignment]
    fill: Annotated[float, Field(gt=0)] = 1
    wait: timedelta = timedelta(days=-1)
    pin: Human[SecretStr] = SecretStr("1234")


class Tray(BaseModel):
    pots: list[Pot] = [Pot()]
    first: Pot = Field(default={"size": "tall"}, validate_default=False)


def test_a_default_inside_a_model_that_does_not_fit_its_hint_is_noted() -> None:
    def serve(tray: Tray, cups: int = True) -> None: ...

    assert {(note.pointer, note.text.partition(":")[0]) for note in function_of(serve).notes} == {
        (f"/parameters/{place}/default", "This default does not fit its hint as JSON")
        for place in (
            "properties/cups",
            "$defs/Pot/properties/size",
            "$defs/Pot/properties/cups",
            "$defs/Tray/properties/pots",
            "$defs/Tray/properties/first",
        )
    }


def test_a_plain_function_has_no_notes() -> None:
    def find(what: str, limit: int = 3, day: date | None = None) -> list[str]:
        """Find something."""
        return []

    assert function_of(find).notes == ()


class Login(BaseModel):
    user: str
    api_key: str
    token_count: int = 0


def texts(called: Callable[..., object]) -> list[str]:
    return [note.text for note in function_of(called).notes]


def test_a_hint_that_sounds_like_a_secret_is_noted_with_the_mark() -> None:
    def enter(
        password: str, pin: int, login: Login, code: Human[str], otp: str | None = None
    ) -> None: ...

    notes = function_of(enter).notes
    assert {note.text.split("`")[1]: note.pointer for note in notes} == {
        "password": "/parameters/properties/password",
        "pin": "/parameters/properties/pin",
        "otp": "/parameters/properties/otp",
        "api_key": "/parameters/$defs/Login/properties/api_key",
    }
    assert all("Human[...]" in note.text for note in notes)


def test_marked_secrets_and_other_words_are_not_noted() -> None:
    def enter(
        password: SecretStr, pin: Human[str], max_tokens: int, sort_key: Literal["a", "b"]
    ) -> None: ...

    assert texts(enter) == []


def test_a_docstring_of_a_parameter_that_does_not_exist_is_noted() -> None:
    def buy(tea: str, **rest: str) -> None:
        """Buy.

        Args:
            tea: What.
            grams: Which `**rest` may hold.
        """

    def sell(tea: str) -> None:
        """Sell.

        Args:
            tea: What.
            grams: How much.
        """

    assert texts(buy) == []
    assert texts(sell) == ["The docstring describes `grams`, which is no parameter."]


def test_a_mark_in_the_hint_of_the_output_is_noted() -> None:
    def plain() -> Human[str]: ...  # type: ignore[empty-body]
    def inner() -> list["Human[str]"]: ...  # type: ignore[empty-body]

    for called in (plain, inner):
        assert texts(called) == ["The mark in the hint of the returned value has no effect."]


def test_a_deprecated_method_says_so_as_an_operation_does() -> None:
    @deprecated("Use `new`.")
    def old() -> None:
        """Old thing."""

    @function(deprecated=True, description="Older.", title="Older thing")
    def older() -> None: ...

    assert [function_of(each).description for each in (old, older)] == [
        "Old thing.\n\n@deprecated",
        "Older.\n\n@deprecated",
    ]
    assert function_of(old).deprecated
    assert function_of(older).title == "Older thing"


def test_a_default_that_does_not_fit_its_hint_is_noted_and_still_used() -> None:
    def buy(
        grams: int = "x",  # type: ignore[assignment]
        many: Annotated[int, Field(ge=5)] = 1,
        day: date = date(2025, 1, 2),
        tea: str = None,  # type: ignore[assignment]  # noqa: RUF013
        pin: SecretStr = SecretStr("x"),  # noqa: B008
        kind: str = cast("str", object()),
    ) -> str:
        """Buy tea."""
        return repr((grams, many))

    controller = Controller.from_functions([buy])
    function = controller["buy"]
    assert [note.text.partition(" does not fit")[0] for note in function.notes] == [
        "The default of `grams`",
        "The default of `many`",
    ]
    assert "default" not in function.parameters["properties"]["grams"]  # type: ignore[index]
    assert controller.call("buy").value == "('x', 1)"

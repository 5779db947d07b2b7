"""The exceptions: fields, texts, copies."""

import copy
import pickle

import pytest

from pyfunctools import errors
from pyfunctools.errors import (
    ArgumentsError,
    DefinitionError,
    DocumentError,
    LifespanError,
    LoopError,
    PyfunctoolsError,
    Retry,
    SchemaError,
    UnknownFunctionError,
)
from pyfunctools.schema import Failure, Issue, Path

FAILURE = Failure(
    value={"n": "x"},
    issues=(Issue(path=Path.of(["n"]), expected="integer", value="x", message="No integer."),),
)

ALL = [
    (DefinitionError("Shop.buy", "No hint.", "Write one."), "Shop.buy: No hint. Write one."),
    (DefinitionError("Shop", "Nothing here."), "Shop: Nothing here."),
    (
        DocumentError("api.json", "Not JSON", pointer="/paths", remedy="Mend it."),
        "api.json: Not JSON (at /paths) Mend it.",
    ),
    (DocumentError("api.json", "Empty."), "api.json: Empty."),
    (SchemaError("No schema.", ""), "No schema. (at /)"),
    (SchemaError("No schema."), "No schema."),
    (ArgumentsError(FAILURE), FAILURE.feedback()),
    (UnknownFunctionError("buy"), "There is no function 'buy'."),
    (
        UnknownFunctionError("bye", ["buy"], ["buy", "pay"]),
        "There is no function 'bye'. Did you mean buy? There is also: pay.",
    ),
    (
        UnknownFunctionError("bye", ["buy", "by"]),
        "There is no function 'bye'. Did you mean buy or by?",
    ),
    (
        LifespanError("Shop", "startup", "OSError: no database."),
        "Shop: The startup of this application failed. OSError: no database.",
    ),
    (
        LoopError("buy"),
        "'buy' would wait for the event loop that runs in this thread: "
        "write `await` and the asynchronous form, such as `controller.acall(...)` instead of "
        "`controller.call(...)`, or `tools.arun(...)` instead of `tools.run(...)`.",
    ),
    (Retry("Give a date."), "Give a date."),
]


@pytest.mark.parametrize(("error", "text"), ALL, ids=lambda value: type(value).__name__)
def test_the_text_of_an_error_is_composed_from_its_fields(
    error: PyfunctoolsError, text: str
) -> None:
    assert str(error) == text


@pytest.mark.parametrize("error", [error for error, _ in ALL], ids=lambda e: type(e).__name__)
def test_an_error_survives_pickle_and_deepcopy(error: PyfunctoolsError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert vars(again) == vars(error)
        assert str(again) == str(error)


def test_every_error_has_one_base_and_is_in_the_docstring() -> None:
    found = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, Exception)
    ]
    assert len(found) == 13
    for error in found:
        assert issubclass(error, PyfunctoolsError)
        assert error.__name__ in (errors.__doc__ or "")
    assert issubclass(UnknownFunctionError, KeyError)

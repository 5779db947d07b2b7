"""`pydantic.Secret[T]` is a person's secret, as `SecretStr` is."""

import json
from datetime import date
from typing import Annotated, Any, NamedTuple

import pytest
from pydantic import BaseModel, Field, Secret, TypeAdapter

from pyfunctools import Controller, function_of

CANARY = "CANARY-hunter2"


class SecretDate(Secret[date]):
    def _display(self) -> str:
        return "****"


class Vault(BaseModel):
    code: Secret[str] = Secret(CANARY)
    n: int = 1


class Pair(NamedTuple):
    code: Secret[str]
    n: int


def _taking(hint: Any, *default: Any) -> Any:
    def f(x: int, secret: Any) -> str:
        return TypeAdapter(hint).dump_json(secret).decode()

    f.__annotations__["secret"] = hint
    f.__defaults__ = default or None
    return f


HINTS: dict[str, tuple[Any, Any]] = {
    "text": (Secret[str], CANARY),
    "with a bound": (Secret[Annotated[str, Field(min_length=3)]], CANARY),
    "optional": (Secret[str] | None, CANARY),
    "a union": (Secret[str] | int, CANARY),
    "a list": (list[Secret[str]], [CANARY]),
    "a map": (dict[str, Secret[str]], {"a": CANARY}),
    "a subclass": (SecretDate, "2025-01-31"),
    "of a model": (Secret[Vault], {"code": CANARY}),
    "in a model": (Vault, {"code": CANARY}),
    "in a named tuple": (Pair, [CANARY, 1]),
}


@pytest.mark.parametrize("name", HINTS)
def test_a_generic_secret_is_the_persons(name: str) -> None:
    hint, value = HINTS[name]
    controller = Controller.from_functions([_taking(hint)])
    function = controller["f"]
    assert function.separated is not None
    assert "x-human-secret" not in json.dumps(function.llm)
    whole = {"x": 1, "secret": value}
    llm, human = function.separated.split(whole)
    assert CANARY not in json.dumps(llm)
    assert not controller.call("f", whole).ok
    outcome = controller.call("f", llm, human=human)
    assert outcome.ok, outcome.text
    assert CANARY not in outcome.text + repr(outcome)


def test_the_default_of_a_generic_secret_is_not_shown() -> None:
    for called in (_taking(Secret[str], Secret(CANARY)), _taking(Vault)):
        made = function_of(called)
        assert CANARY not in json.dumps([made.parameters, made.llm])

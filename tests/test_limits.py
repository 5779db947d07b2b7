"""`Limits`: the defaults are those of the documentation."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from pyfunctools import Controller, DefinitionError, Limits, parse_calls
from pyfunctools.testing.replies import REPLIES

LISTED = {
    "1 MiB": 1 << 20,
    "10 MiB": 10 << 20,
    "64 MiB": 64 << 20,
    "2,000,000": 2_000_000,
    "32,768": 32_768,
    "30 s": 30.0,
    "none": None,
    "32,768 characters": 32_768,
}


def test_each_default_is_listed_in_security_md() -> None:
    text = (Path(__file__).parents[1] / "SECURITY.md").read_text()
    rows = re.findall(r"^\| `(\w+)`[^|]*\| ([^|]+) \|$", text, re.MULTILINE)
    written = {name: LISTED[value] if value in LISTED else int(value) for name, value in rows}
    assert written == {field.name: field.default for field in fields(Limits)}


@pytest.mark.parametrize("field", [field.name for field in fields(Limits)])
@pytest.mark.parametrize("value", ["1", None, -1, True, float("nan")])
def test_an_invalid_limit_is_refused_with_its_name(field: str, value: Any) -> None:
    if (field, value) == ("call", None):
        return  # no limit
    with pytest.raises(DefinitionError, match="is not a valid limit") as raised:
        Limits(**{field: value})
    assert raised.value.where == f"Limits({field})"
    assert "the default is" in (raised.value.remedy or "")


def test_only_the_deadline_may_be_a_fraction() -> None:
    assert Limits(deadline=0.5).deadline == 0.5
    with pytest.raises(DefinitionError):
        Limits(depth=0.5)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("limit", ["deadline", "call"])
def test_a_time_is_one_that_a_clock_can_wait_for(limit: str) -> None:
    for longest in (1e9, 10**9):
        assert getattr(Limits(**{limit: longest}), limit) == longest  # type: ignore[arg-type]
    for longer in (1e10, float("inf"), 10**400):
        with pytest.raises(DefinitionError, match="from 0 to 1e9"):
            Limits(**{limit: longer})  # type: ignore[arg-type]


@pytest.mark.parametrize("dialect", REPLIES)
def test_arguments_have_one_limit_for_all_vendors(dialect: str) -> None:
    def store(text: str) -> str:
        """Store it."""
        return "stored"

    controller = Controller.from_functions([store])
    for size, reason in ((Limits().text, None), (Limits().text + 1, "arguments")):
        written = json.dumps({"text": "x" * (size - len('{"text":""}'))}, separators=(",", ":"))
        response = REPLIES[dialect]("", [("call_0", "store", written)])
        (outcome,) = controller.tools(dialect).run(response).outcomes
        assert outcome.reason == reason
        assert reason is None or "at most 1048576 bytes" in outcome.issues[0].expected
        (call,) = parse_calls(response, controller.functions)
        assert bool(call.result) is (reason is None)

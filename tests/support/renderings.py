"""The law of renderings: an applied value is valid and restored, or a loss explains why not."""

import json
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from profile_rules import violations

from pyfunctools import Loss, Rendering
from pyfunctools.dialects.rendering import render
from pyfunctools.dialects.table import DIALECTS, Profile
from pyfunctools.schema import Failure, Validator
from pyfunctools.testing.fitting import FittingValues

PROFILES = {
    profile.name: (row.name, profile is row.strict)
    for row in DIALECTS.values()
    for profile in (row.profile, row.strict)
    if profile is not None
}
"""A dialect for each profile, and whether it is the strict one."""
STEP = re.compile(r'\[\]|\.\*|\.([^.\[\]]+)|\["((?:[^"\\]|\\.)*)"\]')


def thing(*required: str, **properties: object) -> dict[str, Any]:
    """Return the schema of a closed object."""
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def profile_of(name: str, rendering: Rendering) -> Profile:
    row = DIALECTS[name]
    return row.strict if rendering.strict and row.strict is not None else row.profile


def judged(schema: Any) -> Any:
    """Return a schema with `nullable` as JSON Schema writes it, for a validator."""
    if isinstance(schema, list):
        return [judged(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: judged(value) for key, value in schema.items() if key != "nullable"}
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") is True else made


def check_round_trip(schema: dict[str, Any], name: str, strict: bool, seed: int) -> int:
    """Check the law on some values, and return their number.

    1. A value that is valid for the schema is valid for the rendering after `apply`, or a loss
       explains why not.
    2. `restore` is the inverse, except for an optional value that accepts null itself.
    3. A value that is valid for the rendering is valid for the schema after `restore`, or a loss
       explains why not.
    """
    rendering = render(schema, name, strict=strict)
    assert list(violations(rendering.schema, profile_of(name, rendering))) == []
    sent = judged(rendering.schema)
    takes, right = Validator(sent), Validator(schema)
    losses = [loss for loss in rendering.losses if loss.how != "refused"]
    refers = "$ref" in json.dumps(schema)  # a loss in a definition has the path of its first use
    count = 0
    for value in fitting(schema, right, seed):
        count += 1
        applied = rendering.apply(value)
        refused = takes.validate(applied)
        assert refused or explained(refused, losses, refers=refers), (schema, value, applied)
        back = rendering.restore(applied)
        nulls = any(loss.keyword == "required" for loss in losses)
        assert back == value or nulls or not refused, (schema, value, applied, back)
    for value in fitting(sent, takes, seed):
        count += 1
        wrong = right.validate(rendering.restore(value))
        assert wrong or explained(wrong, losses, refers=refers), (schema, value, wrong)
    return count


def fitting(schema: dict[str, Any], validator: Validator, seed: int) -> Iterator[Any]:
    for n in range(3):
        try:
            value = FittingValues(schema, Random(seed + n)).value()
        except RecursionError:  # a schema without a finite value
            return
        if validator.is_valid(value):
            yield value


def explained(failure: Failure, losses: Sequence[Loss], *, refers: bool) -> bool:
    """Return whether each mistake has a loss at its place, above it or below it."""
    if refers and losses:
        return True
    return all(
        any(_meets(loss.path, issue.path.keys) for loss in losses) for issue in failure.issues
    )


def _meets(path: str, keys: Sequence[str | int]) -> bool:
    for step, key in zip(STEP.finditer(path.removeprefix("$input")), keys, strict=False):
        if step[0] == "[]":
            if isinstance(key, str):
                return False
        elif step[0] != ".*" and key != (step[1] or json.loads(f'"{step[2]}"')):
            return False
    return True

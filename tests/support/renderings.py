"""The law of renderings: an applied value is valid and restored, or a loss explains why not."""

import json
import re
from collections.abc import Iterator, Sequence, Set
from random import Random
from typing import Any

from endpoint_rules import RULES, refusals
from profile_rules import violations

from pyfunctools import Loss, Rendering
from pyfunctools.dialects.rendering import render
from pyfunctools.dialects.table import DIALECTS, Profile
from pyfunctools.schema import Failure, Validator
from pyfunctools.schema.ground.references import recursive_definitions
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
    if (name, rendering.strict) in RULES:
        assert refusals(rendering.schema, name, strict=rendering.strict) == [], rendering.schema
    sent = judged(rendering.schema)
    takes, right = Validator(sent), Validator(schema)
    losses = [loss for loss in rendering.losses if loss.how != "refused"]
    circular = bool(recursive_definitions(schema))  # no list names all of its places
    renamed = set(rendering._change.renamed())
    count = 0
    for value in fitting(schema, right, seed):
        count += 1
        applied = rendering.apply(value)
        refused = takes.validate(applied)
        assert refused or explained(refused, losses, circular, renamed), (schema, value, applied)
        back = rendering.restore(applied)
        nulls = any(loss.keyword == "required" for loss in losses)
        assert back == value or nulls or not refused, (schema, value, applied, back)
    for value in fitting(sent, takes, seed):
        count += 1
        received, text = rendering.partial(), json.dumps(value)
        for end in range(0, len(text), 1 + len(text) // 8):
            received.read(text[:end])
        assert received.read(text) == rendering.restore(json.loads(text)), (schema, text)
        wrong = right.validate(rendering.restore(value))
        assert wrong or explained(wrong, losses, circular), (schema, value, wrong)
    return count


def fitting(schema: dict[str, Any], validator: Validator, seed: int) -> Iterator[Any]:
    for n in range(3):
        random = Random(seed + n)
        try:
            value = FittingValues(schema, random).value()
        except RecursionError:  # a schema without a finite value
            return
        if validator.is_valid(value):
            yield value
        yield from filter(validator.is_valid, (neighbour(value, random) for _ in range(3)))


def neighbour(value: Any, random: Random) -> Any:
    """Return a value with null, something empty or something of another type in one place."""
    if isinstance(value, dict | list) and value and random.random() < 0.8:
        made = value.copy()
        place = random.choice(list(made) if isinstance(made, dict) else range(len(made)))
        made[place] = neighbour(made[place], random)
        return made
    return random.choice([None, None, [], {}, "", 0, [None], {"a": None}])


def explained(
    failure: Failure,
    losses: Sequence[Loss],
    circular: bool,
    renamed: Set[tuple[str, str]] = frozenset(),
) -> bool:
    """Return whether each mistake has a loss at its place, above it or below it.

    Losses have the function's names; `renamed` are pairs of these and of those in the mistakes.
    """
    return (circular and bool(losses)) or all(
        any(_meets(loss.path, issue.path.keys, renamed) for loss in losses)
        for issue in failure.issues
    )


def _meets(path: str, keys: Sequence[str | int], renamed: Set[tuple[str, str]]) -> bool:
    for step, key in zip(STEP.finditer(path.removeprefix("$input")), keys, strict=False):
        if step[0] == "[]":
            if isinstance(key, str):
                return False
        elif step[0] != ".*":
            name = step[1] or json.loads(f'"{step[2]}"')
            if key != name and (name, key) not in renamed:
                return False
    return True

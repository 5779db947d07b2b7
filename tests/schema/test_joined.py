from typing import Any

import pytest

from pyfunctools.schema.normalization.joined import Copied, Joined, Settled, is_copied


@pytest.mark.parametrize("kind", [Joined, Copied, Settled])
def test_each_kind_is_an_object_like_any_other(kind: type[dict[str, Any]]):
    assert kind(minimum=1) == {"minimum": 1}


@pytest.mark.parametrize(
    ("schema", "copied"),
    [
        (Copied(minimum=1), True),
        (Joined(allOf=[Copied(minimum=1), True]), True),
        (Joined(allOf=[Copied(minimum=1), {"maximum": 2}]), False),
        (Settled(minimum=1), False),
        ({"allOf": [Copied(minimum=1)]}, False),
        ({}, False),
    ],
)
def test_copied_is_what_says_nothing_of_its_own(schema: dict[str, Any], copied: bool):
    assert is_copied(schema) is copied

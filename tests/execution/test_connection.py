"""The settings of `from_openapi` are those the HTTP runner takes."""

import inspect
from typing import get_type_hints

from pyfunctools.execution.connection import Connection
from pyfunctools.execution.http import HttpRunner


def test_every_setting_is_one_of_the_runner_and_is_documented() -> None:
    taken = inspect.signature(HttpRunner).parameters
    settings = get_type_hints(Connection)
    assert set(settings) <= set(taken)
    for name in settings:
        assert f"`{name}`" in (Connection.__doc__ or "")

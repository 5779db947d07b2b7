"""The settings of `from_openapi`: those the HTTP runner takes, and what they may be."""

import inspect
from typing import Any, get_type_hints

import pytest

from pyfunctools import DefinitionError
from pyfunctools.execution.http.runner import HttpRunner
from pyfunctools.execution.request.connection import Connection, check_settings


def test_every_setting_is_one_of_the_runner_and_is_documented() -> None:
    taken = inspect.signature(HttpRunner).parameters
    settings = get_type_hints(Connection)
    assert set(settings) <= set(taken)
    for name in settings:
        assert f"`{name}`" in (Connection.__doc__ or "")


def checked(**settings: Any) -> None:
    check_settings(settings, Connection.__annotations__)
    HttpRunner(**settings)


@pytest.mark.parametrize(
    ("settings", "where", "remedy"),
    [
        ({"server": 3}, "server", "https://api.example.com/v1"),
        ({"auth": "SECRET-7f3a"}, "auth", "auth={scheme: credential}"),
        ({"auth": [("key", "SECRET-7f3a")]}, "auth", "auth={scheme: credential}"),
        ({"variables": ["x"]}, "variables", "variables={name: text}"),
        ({"headers": lambda a, b: {}}, "headers", "of no parameters"),
        ({"auth": {"key": lambda a, b: "SECRET-7f3a"}}, "auth['key']", "of no parameters"),
        ({"auth": {"key": lambda *, a: "SECRET-7f3a"}}, "auth['key']", "of no parameters"),
    ],
)
def test_a_wrong_setting_is_named_with_what_to_write_and_without_its_value(
    settings: dict[str, Any], where: str, remedy: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        checked(**settings)
    assert raised.value.where == where
    assert remedy in (raised.value.remedy or "")
    assert "SECRET-7f3a" not in str(raised.value)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"server": None, "variables": None, "headers": None, "auth": None},
        {"server": True, "variables": {"a": "b"}, "headers": {"a": "b"}, "auth": {"key": "b"}},
        {"headers": dict, "auth": {"one": str, "two": lambda context: "b", "three": len}},
        {"auth": {"key": lambda context, *more, **others: "b"}},
    ],
)
def test_what_a_setting_may_be_passes(settings: dict[str, Any]) -> None:
    checked(**settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"timeout": 3}, "'timeout'. Write `limits=Limits(deadline=seconds)`."),
        ({"base_url": "https://a.example"}, "'base_url'. Write `server=`."),
        ({"token": "SECRET-7f3a"}, "'token'. Write `auth={scheme: token}`"),
        ({"retry": 3}, "'retry'. The settings are auth, block_private_networks, client, "),
    ],
)
def test_a_setting_that_there_is_not_is_a_type_error_that_says_which_there_are(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(TypeError) as raised:
        checked(**settings)
    assert said in str(raised.value)
    assert "SECRET-7f3a" not in str(raised.value)

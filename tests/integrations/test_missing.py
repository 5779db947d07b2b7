"""Without its framework an integration names the package to install, and the rest works."""

import importlib
import sys
from types import ModuleType

import pytest

from pyfunctools import DefinitionError, MissingExtraError

EXTRAS = {
    "langchain": "langchain",
    "mcp": "mcp",
    "openai_agents": "openai-agents",
    "pydantic_ai": "pydantic-ai",
}


@pytest.mark.parametrize("name", EXTRAS)
def test_an_integration_names_its_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"pyfunctools.integrations.{name}", raising=False)
    framework = "agents" if name == "openai_agents" else name
    monkeypatch.setitem(sys.modules, framework, None)
    for each in [each for each in sys.modules if each.startswith(f"{framework}.")]:
        monkeypatch.setitem(sys.modules, each, None)
    with pytest.raises(
        MissingExtraError, match=rf"pip install 'pyfunctools-llm\[{EXTRAS[name]}\]'"
    ) as raised:
        importlib.import_module(f"pyfunctools.integrations.{name}")
    assert isinstance(raised.value, ImportError)
    assert raised.value.extra == EXTRAS[name]


def test_an_older_sdk_of_mcp_is_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in [each for each in sys.modules if each.startswith("pyfunctools.execution.mcp")]:
        monkeypatch.delitem(sys.modules, each)
    monkeypatch.setitem(sys.modules, "mcp", ModuleType("mcp"))  # one without `Client`, as before 2
    with pytest.raises(
        DefinitionError, match=r"version 2, is not installed.*'pyfunctools-llm\[mcp\]'"
    ):
        importlib.import_module("pyfunctools.execution.mcp")

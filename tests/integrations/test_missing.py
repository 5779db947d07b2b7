"""Without its framework an integration says what to install, and the rest works."""

import importlib
import sys

import pytest

from pyfunctools import DefinitionError

EXTRAS = {"pydantic_ai": "pydantic-ai", "langchain": "langchain", "openai_agents": "openai-agents"}


@pytest.mark.parametrize("name", EXTRAS)
def test_an_integration_names_its_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"pyfunctools.integrations.{name}", raising=False)
    framework = "agents" if name == "openai_agents" else name
    monkeypatch.setitem(sys.modules, framework, None)
    for each in [each for each in sys.modules if each.startswith(f"{framework}.")]:
        monkeypatch.setitem(sys.modules, each, None)
    with pytest.raises(DefinitionError, match=rf"pip install 'pyfunctools\[{EXTRAS[name]}\]'"):
        importlib.import_module(f"pyfunctools.integrations.{name}")

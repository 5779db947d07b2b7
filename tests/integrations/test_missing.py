"""Without its framework an integration names the package to install, and the rest works."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from pyfunctools import MissingExtraError

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


SHADOWS = {
    "agents.py": "from pyfunctools.integrations.openai_agents import tools",
    "fastapi.py": "from pyfunctools import Controller; Controller.from_fastapi(object())",
    "hypothesis.py": "from pyfunctools.testing import fuzz",
    "langchain.py": "from pyfunctools.integrations.langchain import tools",
    "mcp.py": "from pyfunctools.integrations.mcp import server",
    "pydantic_ai.py": "from pyfunctools.integrations.pydantic_ai import toolset",
}


@pytest.mark.parametrize("file", SHADOWS)
def test_a_program_named_like_a_package_or_an_older_version_is_named(
    file: str, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(f"{SHADOWS[file]}\n")
    done = subprocess.run(
        [sys.executable, file], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    said = done.stderr.splitlines()[-1]
    assert f"The module `{file[:-3]}` is {tmp_path / file}. If that file is yours, rename" in said
    assert "is not installed" not in said

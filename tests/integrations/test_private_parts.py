"""The private parts of other packages that the integrations use, and the versions they allow."""

import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]

PRIVATE = [
    ("mcp", "mcp.client.session", "ClientSession", "_stamp"),
    ("mcp", "mcp.client.session", "ClientSession", "_dispatcher"),
    ("mcp", "mcp.shared.jsonrpc_dispatcher", "JSONRPCDispatcher", "_closed"),
    ("mcp", "mcp.shared.jsonrpc_dispatcher", "JSONRPCDispatcher", "send_raw_request"),
    ("mcp", "mcp.server.session", "ServerSession", "_connection"),
    ("langchain", "langchain_core.tools", "BaseTool", "_to_args_and_kwargs"),
    ("mcp", "uvicorn.protocols.http.h11_impl", "H11Protocol", "connections"),
    ("mcp", "uvicorn.protocols.http.h11_impl", "H11Protocol", "cycle"),
    ("mcp", "uvicorn.protocols.http.h11_impl", "H11Protocol", "on_response_complete"),
]
"""The extra, and a class with the name of its part; a new version may change these."""


@pytest.mark.parametrize(("extra", "module", "name", "part"), PRIVATE)
def test_a_private_part_is_where_it_was(extra: str, module: str, name: str, part: str) -> None:
    owner = getattr(pytest.importorskip(module, exc_type=ImportError), name)
    source = Path(import_module(module).__file__ or "").read_text(encoding="utf-8")
    assert hasattr(owner, part) or f"self.{part}" in source
    assert extra in EXTRAS


def test_the_steps_of_langgraph_are_named_in_the_config() -> None:
    pytest.importorskip("langgraph", exc_type=ImportError)
    from langgraph._internal._constants import CONFIG_KEY_CHECKPOINT_NS

    assert CONFIG_KEY_CHECKPOINT_NS == "checkpoint_ns"


@pytest.mark.parametrize("extra", ["mcp", "langchain", "pydantic-ai", "openai-agents"])
def test_the_installed_version_is_one_that_the_extra_allows_and_the_next_is_not(extra: str) -> None:
    for each in map(Requirement, EXTRAS[extra]):
        installed = version(each.name)
        assert each.specifier.contains(installed)
        major = int(installed.partition(".")[0])
        assert not each.specifier.contains(f"{major + 1}.0"), each

"""Contexts, marks and tools of other libraries are refused with the remedy."""

from collections.abc import Callable
from dataclasses import make_dataclass
from typing import Annotated, Any, NamedTuple

import pytest
from pydantic import BaseModel, create_model
from typing_extensions import TypedDict

from pyfunctools import DefinitionError, function_of


def _with(hint: Any, default: Any = ...) -> Callable[..., None]:
    def f(x: int, ctx: Any) -> None: ...

    f.__annotations__["ctx"] = hint
    if default is not ...:
        f.__defaults__ = (default,)
    return f


CLASSES = [
    ("fastmcp", "Context"),
    ("mcp.server.mcpserver", "Context"),
    ("pydantic_ai", "RunContext"),
    ("agents", "RunContextWrapper"),
    ("agents.tool_context", "ToolContext"),
    ("langgraph.prebuilt", "ToolRuntime"),
    ("langchain_core.runnables", "RunnableConfig"),
    ("starlette.requests", "Request"),
    ("fastapi", "WebSocket"),
]


@pytest.mark.parametrize(("module", "name"), CLASSES)
def test_a_foreign_context_is_refused(module: str, name: str) -> None:
    cls = getattr(pytest.importorskip(module), name)
    hints: list[Any] = [cls, cls | None, Annotated[cls, "the context"], list[cls]]
    if getattr(cls, "__parameters__", ()):
        hints.append(cls[(int,) * len(cls.__parameters__)])
    for hint in hints:
        with pytest.raises(DefinitionError, match=r"f\(ctx\): Its hint has `\w+\.\w+`.*Context"):
            function_of(_with(hint))


@pytest.mark.parametrize("made", [BaseModel, NamedTuple, TypedDict, "dataclass"])
def test_a_foreign_context_inside_another_type_is_refused(made: Any) -> None:
    cls = pytest.importorskip("mcp.server.mcpserver").Context
    fields = {"user": str, "ctx": cls | None}
    if made is BaseModel:
        hint: Any = create_model("Held", user=(str, ...), ctx=(cls | None, None))
    else:
        hint = make_dataclass("Held", fields.items()) if made == "dataclass" else None
        hint = hint or made("Held", list(fields.items()) if made is NamedTuple else fields)
    with pytest.raises(DefinitionError, match=r"f\(ctx\): .*`mcp.Context`.*Context"):
        function_of(_with(hint))


def test_foreign_marks_are_refused() -> None:
    fastapi = pytest.importorskip("fastapi")
    with pytest.raises(DefinitionError, match=r"f\(ctx\): Its hint has `fastapi.Depends`"):
        function_of(_with(Annotated[str, fastapi.Depends(len)]))
    with pytest.raises(DefinitionError, match=r"f\(ctx\): Its default is a `fastapi.Depends`"):
        function_of(_with(str, fastapi.Depends(len)))
    prebuilt = pytest.importorskip("langgraph.prebuilt")
    with pytest.raises(DefinitionError, match=r"langchain_core\.InjectedToolArg"):
        function_of(_with(Annotated[dict[str, Any], prebuilt.InjectedState]))


def one(x: int) -> int:
    """One."""
    return x


def test_a_foreign_tool_names_its_function() -> None:
    tools = pytest.importorskip("langchain_core.tools")
    with pytest.raises(DefinitionError, match=r"^one: This is a tool.*`tool.func`\.$"):
        function_of(tools.tool(one))
    with pytest.raises(DefinitionError, match=r"^one: This is a tool.*`tool.function`\.$"):
        function_of(pytest.importorskip("pydantic_ai").Tool(one))  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match=r"^one: This is a tool.*`FunctionTool` was made of"):
        function_of(pytest.importorskip("agents").function_tool(one))
    with pytest.raises(DefinitionError, match=r"^one: This is a tool.*`tool.fn`\.$"):
        function_of(pytest.importorskip("fastmcp.tools").Tool.from_function(one))


def test_another_object_is_refused_in_short_words() -> None:
    class Large:
        def __repr__(self) -> str:
            return "x" * 10_000

    with pytest.raises(DefinitionError, match="This is not a function") as raised:
        function_of(Large())  # type: ignore[arg-type]
    assert len(str(raised.value)) < 600
    assert "but a `Large`" in str(raised.value)

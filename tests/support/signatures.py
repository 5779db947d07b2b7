"""Every public name with its signature: `python tests/support/signatures.py` writes the list.

A change of the public API changes `tests/public_face.txt`, which a reviewer sees.
"""

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import get_overloads

ROOT = Path(__file__).parents[2]
LISTED = ROOT / "tests" / "public_face.txt"
MODULES = ("pyfunctools", "pyfunctools.schema", "pyfunctools.testing")
INTEGRATIONS = ("langchain", "mcp", "openai_agents", "pydantic_ai")
"""Their files are read and not imported: what they integrate with need not be here."""


def listing() -> str:
    """Return the whole list."""
    return "\n".join([*_of_modules(), *_of_integrations()]) + "\n"


def _of_modules() -> Iterator[str]:
    for name in MODULES:
        yield f"# {name}"
        module = importlib.import_module(name)
        for exported in module.__all__:
            yield from _of_value(exported, getattr(module, exported))
        yield ""


def _of_integrations() -> Iterator[str]:
    for name in INTEGRATIONS:
        path = ROOT / "pyfunctools" / "integrations" / f"{name}.py"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        public = [each for each in tree.body if not getattr(each, "name", "_").startswith("_")]
        yield f"# pyfunctools.integrations.{name}"
        for node in public:
            if isinstance(node, ast.ClassDef):
                yield f"class {node.name}"
                yield from (f"    {line}" for line in _members(node))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield _signature(node)
        yield ""


def _of_value(name: str, value: object) -> Iterator[str]:
    if isinstance(value, type):
        ours = [base for base in value.__mro__ if base.__module__.startswith("pyfunctools")]
        bases = [base.__name__ for base in value.__bases__ if base not in (object, *ours)]
        yield f"class {name}({', '.join(bases)})" if bases else f"class {name}"
        lines = [line for each in ours for line in _members(_parsed(each))]
        made = [line for line in lines if line.startswith("def __init__")]
        lines = [line for line in lines if line not in made[1:]]  # without the `__init__` of a base
        yield from (f"    {line}" for line in dict.fromkeys(lines))
    elif inspect.isfunction(value):
        yield from map(_signature, map(_parsed, get_overloads(value) or [value]))
    else:
        yield f"{name}: a type alias"


def _parsed(value: object) -> ast.stmt:
    return ast.parse(dedent(inspect.getsource(value))).body[0]  # type: ignore[arg-type]


def _members(node: ast.stmt) -> Iterator[str]:
    """Yield the public fields and methods in a class body, and its `__init__`."""
    assert isinstance(node, ast.ClassDef)
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and not ast.unparse(member.target).startswith("_"):
            yield ast.unparse(member)
        elif isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and (
            member.name == "__init__" or not member.name.startswith("_")
        ):
            yield _signature(member)


def _signature(node: ast.stmt) -> str:
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    marks = [ast.unparse(mark) for mark in node.decorator_list]
    words = [f"@{mark}" for mark in marks if mark in ("property", "classmethod", "staticmethod")]
    words.append("async def" if isinstance(node, ast.AsyncFunctionDef) else "def")
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{' '.join(words)} {node.name}({ast.unparse(node.args)}){returns}"


if __name__ == "__main__":
    LISTED.write_text(listing(), encoding="utf-8")

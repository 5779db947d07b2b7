"""The house: every file has its test file, none grows too large, no word is unfinished."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "pyfunctools").rglob("*.py"))
BODIES = [path for path in SOURCES if path.name not in ("__init__.py", "__main__.py")]


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", BODIES, ids=ids)
def test_a_source_file_has_a_test_file_of_its_name(path: Path) -> None:
    folder = ROOT / "tests" / path.parent.relative_to(ROOT / "pyfunctools")
    assert (folder / f"test_{path.stem.lstrip('_')}.py").is_file()


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_no_file_has_over_400_lines_and_no_function_over_50(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 50, f"{node.name} is too long"


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_a_source_file_says_what_it_is_and_leaves_nothing_unfinished(path: Path) -> None:
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text))
    assert not re.search(r"\b(TODO|FIXME|XXX|NotImplementedError)\b", text)
    forbidden = r"pydantic\._internal|\beval\(|\bexec\(|import (pickle|marshal|shelve)\b"
    assert not re.search(forbidden, text)

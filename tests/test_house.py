"""Rules for all files: a folder of tests for each package, limits of size, no unfinished code."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "pyfunctools").rglob("*.py"))
OTHER_FOLDERS = {"laws", "support", "typing", "vectors"}
"""Folders of tests/ without a package."""

UNFINISHED = r"\b(?:TODO|FIXME|XXX|NotImplementedError)\b"
FORBIDDEN = r"pydantic\._internal|\beval\(|\bexec\(|import (?:pickle|marshal|shelve)\b"

FIRST_WORDS = r'^ *r?"""(?:Give|Say|Let|Take)s? .*'
"""Words that no docstring begins with: a function returns, reads, adds or writes."""

SHARED_NAMES = {"__init__", "mcp", "reader", "runner"}
"""Names of several files: the reader of a source, the runner of a kind of function, and the
protocol that is a source, an envelope and an integration."""


def relative_path(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def folders(of: Path) -> set[str]:
    return {path.name for path in of.iterdir() if path.is_dir() and any(path.glob("**/*.py"))}


def functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node


def test_each_package_has_its_folder_of_tests() -> None:
    assert folders(ROOT / "tests") - OTHER_FOLDERS == folders(ROOT / "pyfunctools")
    for room in ("schema", "execution", "sources"):
        assert folders(ROOT / "tests" / room) == folders(ROOT / "pyfunctools" / room)


def test_no_file_has_over_600_lines() -> None:
    lengths = {relative_path(path): len(path.read_text().splitlines()) for path in SOURCES}
    assert {path: length for path, length in lengths.items() if length > 600} == {}


def test_no_function_has_over_50_lines() -> None:
    lengths = {
        f"{relative_path(path)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path, node in functions()
    }
    assert {name: length for name, length in lengths.items() if length > 50} == {}


def test_each_file_has_a_docstring() -> None:
    assert [
        relative_path(path)
        for path in SOURCES
        if not ast.get_docstring(ast.parse(path.read_text()))
    ] == []


def test_no_file_has_unfinished_or_forbidden_code() -> None:
    pattern = re.compile(f"{UNFINISHED}|{FORBIDDEN}")
    found = {relative_path(path): pattern.findall(path.read_text()) for path in SOURCES}
    assert {path: words for path, words in found.items() if words} == {}


def test_no_docstring_begins_with_a_vague_verb() -> None:
    found = {
        relative_path(path): re.findall(FIRST_WORDS, path.read_text(), re.MULTILINE)
        for path in SOURCES
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_no_two_files_have_one_name() -> None:
    names = Counter(path.stem for path in SOURCES if path.stem not in SHARED_NAMES)
    assert [name for name, count in names.items() if count > 1] == []


def types(path: Path) -> Iterator[str]:
    """Yield the classes and type aliases that a file defines."""
    for node in ast.parse(path.read_text()).body:
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else ()
        )
        yield from (node.name,) if isinstance(node, ast.ClassDef) else ()
        yield from (name.id for name in targets if isinstance(name, ast.Name))


def test_no_two_classes_or_types_have_one_name() -> None:
    names = Counter(
        name for path in SOURCES for name in set(types(path)) if re.match("_?[A-Z].*[a-z]", name)
    )
    assert [name for name, count in names.items() if count > 1] == []

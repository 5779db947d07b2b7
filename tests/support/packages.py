"""Skips tests whose packages are not installed."""

import ast
import sys
from importlib.util import find_spec

import pytest

OURS = {"pyfunctools", "scripted"}


def required(*names: str) -> None:
    """Skip the test if one of the packages is not installed."""
    for name in names:
        if find_spec(name) is None:
            pytest.skip(f"could not import {name!r}")


def required_by(*sources: str) -> None:
    """Skip the test if a package that the code imports is not installed."""
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                modules = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module or ""]
            else:
                continue
            roots = {module.partition(".")[0] for module in modules}
            required(*sorted(roots - OURS - sys.stdlib_module_names))

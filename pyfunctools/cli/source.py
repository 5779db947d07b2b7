"""Opens what a person names on the command line: a document, or `module:object`."""

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from pyfunctools._json import JsonValue
from pyfunctools.controller import Controller
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.record.function import Function

_SOURCES = "Name an OpenAPI document's path, or `module:object` of Python (no `.py`)."
_OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def open_source(
    source: str, *, server: str | None = None, headers: Sequence[str] = ()
) -> Controller:
    """Return the controller of a document's path, or of `module:object` from the current folder.

    The object is a controller, a function, a FastAPI application or router, an instance, or a class
    that is made without arguments.

    Raises:
        PyfunctoolsError: the document cannot be read, or the object cannot become a controller.
    """
    if names_object(source):
        return _of_object(source, _imported(source))
    is_address = "://" in source
    if not is_address and not Path(source).exists():
        raise DefinitionError(source, "There is no such file.", _SOURCES)
    if source.endswith(".py"):
        raise DefinitionError(source, "This is Python, and no document.", _SOURCES)
    return Controller.from_openapi(
        source if is_address else Path(source),
        server=True if server == "document" else server,
        headers=dict(_header(line) for line in headers),
    )


def names_object(source: str) -> bool:
    """Return whether this is `module:object`, and no document's path."""
    return _OBJECT.fullmatch(source) is not None and not Path(source).exists()


def read_value(given: str | None) -> str | None:
    """Return the text of an option: itself, of a file (`@file`), or of standard input (`-`).

    Raises:
        PyfunctoolsError: the file cannot be read.
    """
    if given == "-":
        return sys.stdin.read()
    if given is not None and given.startswith("@"):
        try:
            return Path(given[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise DefinitionError(given[1:], f"This file cannot be read: {error}.") from error
    return given


def read_human(given: str | None) -> dict[str, JsonValue] | None:
    """Return the human's values from the text of `--human`: a JSON object.

    Raises:
        PyfunctoolsError: it is not one.
    """
    text = read_value(given)
    if text is None:
        return None
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DefinitionError("--human", "This is not JSON.", "Give a JSON object.") from error
    if not isinstance(value, dict):
        raise DefinitionError("--human", "This is not a JSON object.", 'Give {"name": value}.')
    return value


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip():
        raise DefinitionError("--header", "This is not `Name: value`.")
    return name.strip(), os.path.expandvars(value.strip())


def _imported(source: str) -> object:
    module_name, _, path = source.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        value: object = import_module(module_name)
    except Exception as error:  # importing runs somebody's code, which may raise anything
        said = f"{type(error).__name__}: {error}"
        remedy = _SOURCES if module_name.endswith(".py") else None
        raise DefinitionError(source, f"The module cannot be imported: {said}.", remedy) from error
    for name in path.split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            raise DefinitionError(source, f"There is no {name!r} in it.") from None
    return value


def _of_object(source: str, value: object) -> Controller:
    if isinstance(value, Controller):
        return value
    if isinstance(value, type):
        try:
            value = value()
        except PyfunctoolsError:
            raise
        except Exception as error:  # so may making one of somebody's classes
            said = f"{type(error).__name__}: {error}"
            raise DefinitionError(source, f"The class cannot be made: {said}.") from error
        return Controller.from_object(value)
    if isinstance(value, Function) or (callable(value) and hasattr(value, "__code__")):
        made: list[Callable[..., object] | Function] = [value]
        return Controller.from_functions(made, name=source)
    if "fastapi" in sys.modules:  # whose application it is has imported it
        from fastapi import APIRouter, FastAPI

        if isinstance(value, FastAPI | APIRouter):
            return Controller.from_fastapi(value)
    return Controller.from_object(value)

"""Opens the source on the command line (a document, or `module:object`) and reads options."""

import json
import os
import re
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from pyfunctools._json import JsonValue
from pyfunctools.cli.demo import TeaShop
from pyfunctools.controller import Controller
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.record.function import Function
from pyfunctools.route import Route
from pyfunctools.schema.ground.did_you_mean import near_names

_SOURCES = "Name an OpenAPI document's path, `-` for standard input, or `module:object` of Python."
_OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_KEY = re.compile(r"(?:[0-9A-Fa-f]{2}){32,}")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)


def open_source(
    source: str,
    *,
    server: str | None = None,
    headers: Sequence[str] | None = None,
    auth: Sequence[str] | None = None,
    undecorated: bool = False,
    runs: bool = False,
) -> Controller:
    """Return the controller of a document's path, or of `module:object` (current folder included).

    The object is a controller, a function, a FastAPI application or router, an instance, or a class
    that needs no arguments. `-` is a document on standard input, and `demo` the demo's shop. With
    `undecorated` every public method of the class counts. A document that `runs` needs a server.

    Raises:
        PyfunctoolsError: the document cannot be read, or the object cannot become a controller.
    """
    is_demo = source == "demo"
    if (is_demo or _OBJECT.fullmatch(source)) and not Path(source).exists():
        for option, value in (("--server", server), ("--header", headers), ("--auth", auth)):
            if value:
                raise DefinitionError(option, f"This is for documents, and {source} is Python.")
        return _of_object(source, TeaShop if is_demo else _imported(source), undecorated)
    if undecorated:
        raise DefinitionError("--all", f"This is for classes, and {source} is a document.")
    if "://" in source:
        remedy = f"Fetch it first: `curl -sSL {source} | pyfunctools list -`."
        raise DefinitionError(source, "This is a URL, and documents are not fetched.", remedy)
    if source != "-" and not Path(source).exists():
        raise DefinitionError(source, "There is no such file.", _SOURCES)
    if source.endswith(".py"):
        raise DefinitionError(source, "This is Python, not a document.", _SOURCES)
    controller = Controller.from_openapi(
        sys.stdin.buffer.read() if source == "-" else Path(source),
        server=True if server == "document" else server,
        headers=dict(_pair("--header", line, ":") for line in headers or ()),
        auth=dict(_pair("--auth", line, "=") for line in auth or ()) or None,
    )
    first = next((each.origin for each in controller), None)
    if runs and server is None and isinstance(first, Route):
        urls = ", ".join(each.url for each in first.servers) or "none"
        remedy = f"Give one, or `--server document` for the document's own ({urls})."
        raise DefinitionError("--server", "An operation of a document needs a base URL.", remedy)
    return controller


def read_value(given: str | None) -> str | None:
    """Return the text for an option: from a file (`@file`), from standard input (`-`), or as given.

    Raises:
        PyfunctoolsError: the file cannot be read.
    """
    if given is None or not (given == "-" or given.startswith("@")):
        return given
    with opened(given, given.removeprefix("@")) as file:
        return file.read().decode("utf-8-sig")


@contextmanager
def opened(where: str, path: str) -> Generator[BinaryIO]:
    """Open a file, or standard input for `-`, that `where` names in errors.

    Raises:
        PyfunctoolsError: the file cannot be opened or read.
    """
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:
            yield file
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DefinitionError(where, f"This cannot be read: {reason}.") from error


def read_human(given: str | None) -> dict[str, JsonValue] | None:
    """Return the person's values in `--human`, a JSON object.

    Raises:
        PyfunctoolsError: the text is not a JSON object, or its file cannot be read.
    """
    text, remedy = read_value(given), 'Give {"name": value}.'
    value = None if text is None else _json("--human", text, remedy)
    if not isinstance(value, dict | None):
        raise DefinitionError("--human", "This is not a JSON object.", remedy)
    return value


def read_context(given: str | None) -> object:
    """Return the context of `--context`: `module:object` (a class is called), JSON or `@file`.

    Raises:
        PyfunctoolsError: the object cannot be imported or made, the file cannot be read, or the
            text is not JSON.
    """
    if given is None:
        return None
    if _OBJECT.fullmatch(given):
        return _instance(given, _imported(given))
    remedy = "Give `module:object`, or JSON: `'\"kim\"'` is a text."
    return _json("--context", read_value(given) or "", remedy)


def read_keys(given: str | None) -> list[bytes] | None:
    """Return the keys in `--keys`, which are in hex; $VARIABLES are filled in.

    Raises:
        PyfunctoolsError: the file cannot be read, or it has a key of fewer than 32 bytes.
    """
    text = read_value(given)
    if text is None:
        return None
    words = _filled_in("--keys", text).split()
    if not words or not all(_KEY.fullmatch(word) for word in words):
        reason = "A key is 32 bytes or more in hex."
        raise DefinitionError("--keys", reason, "Make one: `openssl rand -hex 32`.")
    return [bytes.fromhex(word) for word in words]


def page_of(address: str) -> Callable[[str], str]:
    """Return a function of a ticket that returns the address of your page for it.

    Raises:
        DefinitionError: the address has no place for the ticket.
    """
    if "{ticket}" not in address:
        remedy = "Write `https://shop.example/answer?ticket={ticket}`."
        raise DefinitionError("--page-url", "There is no `{ticket}` in it.", remedy)
    return lambda ticket: address.replace("{ticket}", quote(ticket, safe=""))


def _json(option: str, text: str, remedy: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DefinitionError(option, "This is not JSON.", remedy) from error
    return value


def _pair(option: str, line: str, mark: str) -> tuple[str, str]:
    name, found, value = line.partition(mark)
    if not found or not name.strip():
        form = "Name: value" if mark == ":" else "scheme=value"
        raise DefinitionError(option, f"This is not `{form}`.")
    return name.strip(), _filled_in(option, value.strip())


def _filled_in(option: str, text: str) -> str:
    def value_of(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        value = os.environ.get(name)
        if value is None:
            reason = f"The variable ${name} is not set."
            raise DefinitionError(option, reason, f"Write `export {name}=...` first.")
        return value

    return _VARIABLE.sub(value_of, text)


def _imported(source: str) -> object:
    module_name, _, path = source.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        value: object = import_module(module_name)
    except Exception as error:  # importing runs the user's code, which may raise anything
        reason = f"The module cannot be imported: {type(error).__name__}: {error}."
        remedy = _SOURCES if module_name.endswith(".py") else None
        raise DefinitionError(source, reason, remedy) from error
    for name in path.split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            names = [each for each in dir(value) if not each.startswith("_")]
            close = " or ".join(repr(each) for each in near_names(name, names))
            remedy = f"Did you mean {close}?" if close else None
            raise DefinitionError(source, f"There is no {name!r} in it.", remedy) from None
    return value


def _of_object(source: str, value: object, undecorated: bool) -> Controller:
    if isinstance(value, Controller):
        return value
    if isinstance(value, Function) or (callable(value) and hasattr(value, "__code__")):
        functions: list[Callable[..., object] | Function] = [value]
        return Controller.from_functions(functions, name=source)
    if "fastapi" in sys.modules:  # a module with an application has imported FastAPI
        from fastapi import APIRouter, FastAPI

        if isinstance(value, FastAPI | APIRouter):
            return Controller.from_fastapi(value)
    return Controller.from_object(_instance(source, value), all=undecorated)


def _instance(source: str, value: object) -> object:
    """Return an instance of a class; any other value is returned itself."""
    if not isinstance(value, type):
        return value
    try:
        return value()
    except PyfunctoolsError:
        raise
    except Exception as error:  # the user's class may raise anything
        reason = f"The class cannot be called: {type(error).__name__}: {error}."
        remedy = "Name an instance instead: `shop = Shop(...)` in the module, `module:shop`."
        raise DefinitionError(source, reason, remedy) from error


def json_arguments(words: Iterable[str]) -> str:
    """Return `name=value` words as the JSON text of a model; each value is a text.

    Coercion converts it, and reads an object or an array from its JSON. A name that is repeated is
    an issue.

    Raises:
        DefinitionError: a word is not `name=value`.
    """
    members: list[str] = []
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            remedy = "Write `city=Oslo`, or pass JSON with `--args`."
            raise DefinitionError(repr(word), "This is not `name=value`.", remedy)
        members.append(f"{json.dumps(name)}: {json.dumps(text)}")
    return f"{{{', '.join(members)}}}"

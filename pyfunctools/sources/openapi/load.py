"""A document from wherever it is: a mapping, a path, text or bytes, as JSON or as YAML."""

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.sources.openapi.survey import plain, survey

_OPENAPI = re.compile(r"3\.[0-2](?:\.[0-9]+)?(?:-.+)?", re.ASCII)
_READ = "What is read are Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2."


def check_version(root: JsonObject, name: str) -> None:
    """Refuse a document that does not say which version it follows, or one that is not read here.

    YAML reads an unquoted `2.0` or `3.1` as a number; that is taken for what was meant.

    Raises:
        DocumentError: it is refused.
    """
    for keyword in ("openapi", "swagger"):
        if keyword in root:
            _check_known(root[keyword], keyword, name)
            return
    if "swaggerVersion" in root:
        raise DocumentError(name, f"This is Swagger {root['swaggerVersion']!r}.", remedy=_READ)
    keys = ", ".join(repr(key[:40]) for key in list(root)[:5])
    raise DocumentError(
        name,
        "This says neither `openapi` nor `swagger`"
        + (f": its keys are {keys}." if keys else ", and holds nothing."),
        remedy="Is it the right file?",
    )


def _check_known(value: JsonValue, keyword: str, name: str) -> None:
    pointer = f"/{keyword}"
    if isinstance(value, bool) or not isinstance(value, str | float):
        example = '"3.1.0"' if keyword == "openapi" else '"2.0"'
        raise DocumentError(
            name,
            f"`{keyword}` is {str(value)[:40]}, which is not a version.",
            pointer=pointer,
            remedy=f"Write the whole version as text: {example}.",
        )
    version = str(value).strip()
    if not (version == "2.0" if keyword == "swagger" else _OPENAPI.fullmatch(version)):
        reason = f"This follows version {version[:40]!r} of {keyword}."
        raise DocumentError(name, reason, pointer=pointer, remedy=_READ)


_ADDRESS = re.compile(r"\s*https?:", re.IGNORECASE)
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[^][{}"]+', re.DOTALL)
_NESTED_BY_C = 1000
"""What the JSON reader may nest: little enough for the stack of any thread."""

_IS_READ_DEEP = sys.version_info[:2] == (3, 13)
"""Whether the JSON reader recurses 10,000 times, which the stack of a small thread does not bear.

CPython up to 3.12 stops it after 1,500 at most, and from 3.14 on it looks at the stack itself.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A document that was read, and the references in it.

    `name` is what errors call it, `uri` its address where it came from a file (else empty), and
    `references` every text that stands under a `$ref` anywhere in it.
    """

    root: JsonObject
    name: str
    uri: str = ""
    references: frozenset[str] = frozenset()


def load(source: object, limits: Limits = DEFAULT_LIMITS) -> Loaded:
    """Return the document behind a mapping, a path, text or bytes.

    A `str` whose first character that is not blank is `{`, or that holds a newline, is text; any
    other is a path, and so is what has `__fspath__`. A mapping is not changed.

    Raises:
        DocumentError: there is nothing to read, it is neither JSON nor YAML, it is no object, or it
            is larger, deeper or has more nodes than `limits` allow.
    """
    if isinstance(source, str):
        if source.lstrip("\ufeff \t\r\n").startswith("{") or "\n" in source:
            return read(source, "the text", "", limits)
        if _ADDRESS.match(source):
            raise DocumentError(
                source.strip(),
                "This is an address, and nothing is fetched here.",
                remedy="Fetch it yourself, `httpx.get(url).text` say, and pass the text.",
            )
        return _file(source, limits)
    if isinstance(source, os.PathLike):
        return _file(os.fsdecode(source), limits)  # pyright: ignore[reportUnknownArgumentType]
    return read(source, "the bytes" if isinstance(source, bytes) else "the source", "", limits)


def read(source: object, name: str, uri: str, limits: Limits) -> Loaded:
    """Return the document that a resolver answered with; a `str` is text here, never a path.

    Raises:
        DocumentError: as `load` does.
    """
    if isinstance(source, Mapping):
        return _surveyed(plain(source, name, limits), name, uri, limits)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(source, str):
        return _read(_bounded(source, name, limits), name, uri, limits)
    if isinstance(source, bytes | bytearray):
        return _read(_decoded(bytes(source), name, limits), name, uri, limits)
    raise DocumentError(
        name,
        f"A {type(source).__name__} is not a document.",
        remedy="It has to be a mapping, or JSON or YAML as text or bytes; an application goes to "
        "`Controller.from_fastapi`.",
    )


def _file(path: str, limits: Limits) -> Loaded:
    try:
        with open(path, "rb") as file:
            content = file.read(limits.document + 1)
        uri = Path(path).resolve().as_uri()
    except IsADirectoryError:
        raise DocumentError(
            path, "This is a directory.", remedy="Name the document inside."
        ) from None
    except FileNotFoundError:
        raise DocumentError(
            path or "''",
            "There is no such file.",
            remedy="Text has to hold a newline or to start with `{`; anything else is a path.",
        ) from None
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise DocumentError(repr(path), f"This cannot be opened: {reason or error}.") from error
    return _read(_decoded(content, path, limits), path, uri, limits)


def _decoded(content: bytes, name: str, limits: Limits) -> str:
    if len(content) > limits.document:
        _too_large(name, limits)
    encoding = next((codec for mark, codec in _MARKS if content.startswith(mark)), "utf-8")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentError(
            name,
            f"Byte {error.start} is not {encoding.removesuffix('-sig').upper()}.",
            remedy="Save it as UTF-8.",
        ) from None


def _bounded(text: str, name: str, limits: Limits) -> str:
    if len(text) * 4 > limits.document and (
        len(text) > limits.document or len(text.encode(errors="replace")) > limits.document
    ):
        _too_large(name, limits)
    return text


def _too_large(name: str, limits: Limits) -> NoReturn:
    raise DocumentError(
        name,
        f"This is larger than {limits.document} bytes.",
        remedy="Raise `Limits(document=...)` if you trust it.",
    )


def _read(text: str, name: str, uri: str, limits: Limits) -> Loaded:
    text = text.removeprefix("\ufeff")
    start = text.lstrip(" \t\r\n")[:1]
    if not start:
        raise DocumentError(name, "This is empty.")
    value = (_json_or_yaml if start == "{" else _yaml)(text, name, limits)
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else f"the plain value {str(value)[:40]!r}"
        raise DocumentError(
            name,
            f"An OpenAPI document is an object, and this is {kind}.",
            remedy="Is it the right file?",
        )
    return _surveyed(value, name, uri, limits)


def _surveyed(root: JsonObject, name: str, uri: str, limits: Limits) -> Loaded:
    return Loaded(root=root, name=name, uri=uri, references=survey(root, name, limits))


def _json_or_yaml(text: str, name: str, limits: Limits) -> JsonValue:
    try:
        return _json(text, name, limits)
    except json.JSONDecodeError as error:
        refused = DocumentError(
            name, f"This is not JSON: {error.msg}, line {error.lineno} column {error.colno}."
        )
    if name.lower().endswith(".json"):
        raise refused
    try:  # an object in YAML's flow style starts with a brace as well
        return _yaml(text, name, limits)
    except DocumentError:
        raise refused from None


def _json(text: str, name: str, limits: Limits) -> JsonValue:
    def no_number(word: str) -> NoReturn:
        raise DocumentError(name, f"JSON has no number {word}.")

    def finite(digits: str) -> float:
        number = float(digits)
        if number in (float("inf"), float("-inf")):
            no_number(digits)
        return number

    try:
        if _IS_READ_DEEP and nested_deeper(text, _NESTED_BY_C):
            raise RecursionError
        return json.loads(text, parse_constant=no_number, parse_float=finite)
    except RecursionError:
        raise DocumentError(
            name, f"This is nested more than {limits.document_depth} deep."
        ) from None
    except json.JSONDecodeError:
        raise
    except ValueError as error:  # an integer of more digits than Python reads
        raise DocumentError(name, f"This is not JSON: {error}.") from None


def nested_deeper(text: str, limit: int) -> bool:
    """Return whether the brackets of a JSON text, outside its strings, are nested deeper than
    that.
    """
    if text.count("[") + text.count("{") <= limit:
        return False
    brackets = _BRACKETS.sub("", text).replace("[", "{").replace("]", "}")
    for _ in range(limit):
        shorter = brackets.replace("{}", "")  # one level less
        if len(shorter) == len(brackets):
            return brackets.count("{") > limit
        brackets = shorter
    return bool(brackets)


def _yaml(text: str, name: str, limits: Limits) -> JsonValue:
    try:
        from pyfunctools.sources.openapi.yaml12 import parse_yaml
    except ModuleNotFoundError:
        raise DocumentError(
            name,
            "This is not a JSON object, and YAML needs one more package.",
            remedy="Run `pip install 'pyfunctools[yaml]'`.",
        ) from None
    return parse_yaml(text, name, limits)

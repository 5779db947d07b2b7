"""Loading a document from a mapping, a path, text or bytes, as JSON or YAML, within limits."""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from gc import is_tracked
from itertools import accumulate
from json import dumps
from math import isfinite
from pathlib import Path
from typing import NoReturn, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError, MissingExtraError, missing_extra
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.schema.ground.json_values import MAX_SCHEMA_DEPTH
from pyfunctools.sources.hidden import may_have_hidden

_ParsedJson: TypeAlias = dict[str, "_ParsedJson"] | list["_ParsedJson"] | str | int | float | None
"""JSON as `json.loads` makes it: built-in classes only."""


def survey(root: JsonObject, name: str, limits: Limits) -> frozenset[str]:
    """Return the value of every `$ref` in a document, and check its size and depth.

    A part that is shared (a YAML alias) counts each time it is met.
    """
    references: set[str] = set()
    most = limits.document_nodes
    nodes = 1

    # Recursion is twice as fast as a work list, and goes no deeper than the limit.
    def visit(values: Iterable[_ParsedJson], levels: int) -> None:
        nonlocal nodes
        for value in values:
            if type(value) is dict:
                nodes += len(value)
                if "$ref" in value and isinstance(reference := value["$ref"], str):
                    references.add(reference)
                if not levels:
                    raise too_many_levels(name, limits)
                # The garbage collector does not track a dict without containers, which most are.
                # Such a dict need not be entered.
                if is_tracked(value):
                    visit(value.values(), levels - 1)
            elif type(value) is list:
                nodes += len(value)
                if not levels:
                    raise too_many_levels(name, limits)
                visit(value, levels - 1)
        if nodes > most:
            raise too_many_nodes(name, limits)

    try:
        visit([cast("_ParsedJson", root)], limits.document_depth)
    except RecursionError:
        raise too_many_levels(name, limits) from None
    return frozenset(references)


def too_many_nodes(name: str, limits: Limits) -> DocumentError:
    """Return the error for a document of too many nodes."""
    return DocumentError(
        name,
        f"This has more than {limits.document_nodes} nodes, aliases counted each time.",
        remedy="Raise `Limits(document_nodes=...)` if you trust it.",
    )


def too_many_levels(name: str, limits: Limits) -> DocumentError:
    """Return the error for a document that is nested too deep."""
    return DocumentError(name, f"This is nested more than {limits.document_depth} deep.")


def text_of_mapping(root: Mapping[str, object], name: str, limits: Limits) -> str:
    """Return the JSON text of a mapping, so that changes of the mapping do not reach its functions.

    Keys become text (`200` is `"200"`), other mappings objects, tuples arrays, and dates text
    again, as they stood in the YAML file.
    """
    survey(cast("JsonObject", root), name, limits)  # first, because a shared part is written often
    try:
        return dumps(root, allow_nan=False, default=_written, ensure_ascii=False)
    except RecursionError:
        raise too_many_levels(name, limits) from None
    except (TypeError, ValueError) as error:
        raise DocumentError(name, f"This cannot be written as JSON: {error}.") from None


def _written(value: object) -> object:
    if isinstance(value, Mapping):
        return {**cast("Mapping[object, object]", value)}
    if isinstance(value, date | time):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} is not a JSON value")


_VERSION = re.compile(r"openapi 3\.[0-2](?:\.[0-9]+)?(?:-.+)?|swagger 2\.0", re.ASCII)


def check_version(root: JsonObject, name: str) -> None:
    """Check that a document names a supported version.

    A number is accepted as well: YAML reads an unquoted `2.0` or `3.1` as one.
    """
    keyword = next((k for k in ("openapi", "swagger", "swaggerVersion") if k in root), None)
    if keyword is None:
        keys = ", ".join(repr(key[:40]) for key in list(root)[:5]) or "there are none"
        reason = f"Neither `openapi` nor `swagger` is among its keys: {keys}."
        raise DocumentError(name, reason, remedy="Is it the right file?")
    version = str(root[keyword]).strip()
    if not _VERSION.fullmatch(f"{keyword} {version}"):
        remedy = (
            'Write the whole version as text: `"openapi": "3.1.0"` (or 3.0 or 3.2), '
            'or `"swagger": "2.0"`. Convert a document of another version.'
        )
        reason = f"This follows version {version[:40]!r} of `{keyword}`."
        raise DocumentError(name, reason, pointer=f"/{keyword}", remedy=remedy)


_ADDRESS = re.compile(r"\s*https?:", re.IGNORECASE)
_MARKUP = re.compile(r"\s*<[!?A-Za-z]")
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[^][{}"]+', re.DOTALL)
_SAFE_NESTING = 1000
"""The deepest nesting for `json.loads` that is safe for the stack of any thread."""

_RECURSES_TOO_DEEP = sys.version_info[:2] == (3, 13)
"""Whether `json.loads` recurses up to 10,000 levels, which overflows the stack of a small thread.

CPython up to 3.12 stops it after 1,500 levels at most; from 3.14 on it checks the stack itself.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A parsed document, its name in error messages, and the value of every `$ref` in it.

    `uri` is its address if it came from a file or from a resolver, else empty. `may_have_hidden`
    is false if there is surely no hidden character in it; `is_checked` is true if each schema in it
    is surely JSON, without hidden characters and huge numbers, and not too deep for the engine.
    """

    root: JsonObject
    name: str
    uri: str = ""
    references: frozenset[str] = frozenset()
    may_have_hidden: bool = False
    is_checked: bool = False


def load(source: object, limits: Limits = DEFAULT_LIMITS) -> Loaded:
    """Return the document from a mapping, a path, text or bytes.

    A `str` is text if it contains a newline or its first character (blanks aside) is `{` or `<`;
    any other is a path. A mapping is not changed.

    Raises:
        DocumentError: the source is missing or empty, is neither JSON nor YAML, is not an object,
            or is larger, deeper or has more nodes than `limits` allow.
    """
    if isinstance(source, os.PathLike):
        return _file(os.fsdecode(source), limits)  # pyright: ignore[reportUnknownArgumentType]
    is_text = isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith(("{", "<"))
    if not isinstance(source, str) or is_text or "\n" in source:
        return load_content(source, "the document", "", limits)
    if _ADDRESS.match(source):
        remedy = "Fetch it first, `httpx.get(url).text` for example, and pass the text."
        reason = "This is a URL, and documents are not fetched."
        raise DocumentError(source.strip(), reason, remedy=remedy)
    remedy = "A text begins with `{` or has several lines; any other `str` is a path."
    return _file(source, limits, remedy)


def load_content(source: object, name: str, uri: str, limits: Limits) -> Loaded:
    """Return the document from a mapping, text or bytes; a `str` is never a path here."""
    if isinstance(source, Mapping):
        text = text_of_mapping(source, name, limits)  # pyright: ignore[reportUnknownArgumentType]
        return _parse(text, name, uri, limits)
    if isinstance(source, str):
        # UTF-8 needs at most 4 bytes a character: shorter text need not be encoded to be measured.
        if len(source) * 4 > limits.document:
            _check_size(source.encode(errors="replace"), name, limits)
        return _parse(source, name, uri, limits)
    if isinstance(source, bytes | bytearray):
        return _parse(_decode(bytes(source), name, limits), name, uri, limits)
    raise DocumentError(
        name,
        f"This must be a document, not `{type(source).__name__}`.",
        remedy="Pass a mapping, or JSON or YAML as text or bytes. Pass an application to "
        "`Controller.from_fastapi`.",
    )


def _file(path: str, limits: Limits, remedy: str | None = None) -> Loaded:
    try:
        with open(path, "rb") as file:
            content = file.read(limits.document + 1)
        uri = Path(path).resolve().as_uri()
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        reason = f"This cannot be opened: {reason or error}."
        raise DocumentError(repr(path), reason, remedy=remedy) from error
    return _parse(_decode(content, path, limits), path, uri, limits)


def _decode(content: bytes, name: str, limits: Limits) -> str:
    _check_size(content, name, limits)
    encoding = json.detect_encoding(content)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        reason = f"Byte {error.start} is not {encoding.removesuffix('-sig').upper()}."
        raise DocumentError(name, reason, remedy="Save it as UTF-8.") from None


def _check_size(content: bytes, name: str, limits: Limits) -> None:
    if len(content) > limits.document:
        reason = f"This is larger than {limits.document} bytes."
        raise DocumentError(name, reason, remedy="Raise `Limits(document=...)` if you trust it.")


def _parse(text: str, name: str, uri: str, limits: Limits) -> Loaded:
    text = text.removeprefix("\ufeff")
    start = text.lstrip(" \t\r\n")[:1]
    if not start:
        raise DocumentError(name, "This is empty.")
    if _MARKUP.match(text):
        remedy = "Save the document itself, JSON or YAML: a page that shows it has a link to it."
        raise DocumentError(name, "This is HTML or XML, not an OpenAPI document.", remedy=remedy)
    value = (_json_or_yaml if start == "{" else read_yaml)(text, name, limits)
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else f"the plain value {str(value)[:40]!r}"
        reason = f"An OpenAPI document is an object, and this is {kind}."
        raise DocumentError(name, reason, remedy="Is it the right file?")
    hidden, is_deep = may_have_hidden(text), limits.document_depth > MAX_SCHEMA_DEPTH
    return Loaded(
        root=value,
        name=name,
        uri=uri,
        references=survey(value, name, limits),
        may_have_hidden=hidden,
        is_checked=not (hidden or is_deep or _may_have_huge_number(text)),
    )


def _may_have_huge_number(text: str) -> bool:
    starts = range(0, len(text), _DIGITS)
    return any(text[at : at + 9].isalnum() and text[at : at + _DIGITS].isalnum() for at in starts)


_DIGITS = 1500
"""Half of the digits, also hexadecimal ones, of a number that is too large for a schema."""


def _json_or_yaml(text: str, name: str, limits: Limits) -> JsonValue:
    def no_number(word: str) -> NoReturn:
        raise DocumentError(name, f"JSON has no number {word}.")

    def finite(digits: str) -> float:
        return number if isfinite(number := float(digits)) else no_number(digits)

    try:
        if _RECURSES_TOO_DEEP and is_nested_deeper(text, _SAFE_NESTING):
            raise RecursionError
        return json.loads(text, parse_constant=no_number, parse_float=finite)
    except RecursionError:
        raise too_many_levels(name, limits) from None
    except json.JSONDecodeError as error:
        if not name.lower().endswith(".json"):
            # YAML's flow style starts with a brace as well.
            with suppress(DocumentError, MissingExtraError):
                return read_yaml(text, name, limits)
        reason = f"This is not JSON: {error.msg}, line {error.lineno} column {error.colno}."
        raise DocumentError(name, reason) from None
    except ValueError as error:  # an integer with more digits than Python parses
        raise DocumentError(name, f"This is not JSON: {error}.") from None


def is_nested_deeper(text: str, limit: int) -> bool:
    """Return whether the brackets outside the strings of a JSON text nest deeper than `limit`."""
    brackets = _BRACKETS.sub("", text)
    return max(accumulate(1 if each in "[{" else -1 for each in brackets), default=0) > limit


def read_yaml(text: str, name: str, limits: Limits) -> JsonValue:
    """Return the value of a YAML text, for which PyYAML is needed."""
    try:
        from pyfunctools.sources.openapi.yaml12 import parse_yaml
    except ImportError as error:
        package = "This is not a JSON object, and PyYAML"
        raise missing_extra(name, package, "yaml", "yaml", error) from None
    try:
        return parse_yaml(text, name, limits)
    except RecursionError:
        raise too_many_levels(name, limits) from None
    except OverflowError:
        raise too_many_nodes(name, limits) from None

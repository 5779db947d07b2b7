"""Descriptions from docstrings: of a callable, its parameters, a class and its fields.

A docstring may have any style: Google, NumPy, reST or Epydoc. Its text is split into blocks, and
each block is read on its own: one without items stays in the description as it is. A field is
described by a section of its class's docstring, by a docstring below it, or by `Doc` in its hint.
"""

import ast
import linecache
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from inspect import cleandoc
from textwrap import dedent
from types import MappingProxyType
from typing import (
    NamedTuple,
    NotRequired,
    Required,
    get_args,
    get_origin,
    get_type_hints,
)

from typing_extensions import Doc, is_typeddict

from pyfunctools.sources.python.hint_scope import Namespace, metadata_of

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Docs(NamedTuple):
    """The parts of a docstring: text, parameters, attributes, and the returned value."""

    text: str = ""
    parameters: Mapping[str, str] = _NOTHING
    attributes: Mapping[str, str] = _NOTHING
    returns: str = ""


@lru_cache(maxsize=1024)
def read_docstring(docstring: str) -> Docs:
    """Return the parts of a docstring of any style; never raises.

    `text` is the summary and the body, with notes and warnings. Exceptions, examples, types and
    cross-references are left out.
    """
    text = cleandoc(docstring)
    if not _may_have_sections(text):
        return Docs(text=text.strip("\n").rstrip())
    return read_sections(text.split("\n"))


def _may_have_sections(text: str) -> bool:
    """Return whether there is a colon or a ruled line below the first line, as in every section."""
    rest = text.partition("\n")[2]
    return ":" in rest or any(line and not line.strip("-= \t") for line in rest.split("\n"))


MAX_NAME = 500
"""The longest name before a colon; a section with a longer one stays in the description."""

_TITLES = {
    **dict.fromkeys(("args", "arguments", "parameters", "params"), "Args"),
    **dict.fromkeys(("keyword args", "keyword arguments", "keyword parameters"), "Args"),
    **dict.fromkeys(("other args", "other arguments", "other parameters"), "Args"),
    **dict.fromkeys(("attributes", "fields"), "Attributes"),
    **dict.fromkeys(("return", "returns"), "Returns"),
    **dict.fromkeys(("yield", "yields"), "Yields"),
    **dict.fromkeys(("raise", "raises", "exception", "exceptions", "warns"), ""),
    **dict.fromkeys(("example", "examples", "see also", "references"), ""),
}
"""Titles of sections in lower case, and their standard spelling; empty for ignored sections."""

_GOOGLE = re.compile(r"([A-Za-z][A-Za-z ]{1,30}):[ \t]*(\S.*)?")
_RULE = re.compile(r"[-=]{3,}[ \t]*")
_FIELD = re.compile(
    r"([:@])(param|parameter|arg|argument|key|keyword|attribute|ivar|cvar|var|type|vartype|rtype"
    r"|ytype|returns?|yields?|raises?|except|exception|example|see)\b([^:\n]*):(.*)",
    re.DOTALL,
)
_NAMED = frozenset(
    {"param", "parameter", "arg", "argument", "key", "keyword", "attribute", "ivar", "cvar", "var"}
)
_ATTRIBUTES = frozenset({"attribute", "ivar", "cvar", "var"})


class _Block(NamedTuple):
    """Lines that belong together: prose, or a section with a `style` and a `title`."""

    lines: list[str]
    style: str | None = None
    title: str = ""


def _blocks(lines: list[str]) -> Iterator[_Block]:
    block = _Block(lines=[])
    for index, line in enumerate(lines):
        if index and (start := _start(line, lines[index + 1 : index + 2])):
            yield block
            block = start
        elif _ends(block, line):
            yield block
            block = _Block(lines=[line])
        else:
            block.lines.append(line)
    yield block


def _start(line: str, following: list[str]) -> _Block | None:
    if not line or line[0].isspace():
        return None
    if match := _FIELD.match(line):
        return _Block(lines=[line], style="REST" if match[1] == ":" else "EPYDOC", title=match[2])
    if following and _RULE.fullmatch(following[0]):
        title = _TITLES.get(line.strip().lower())
        return _Block(lines=[line], style=None if title is None else "NUMPYDOC", title=title or "")
    if match := _GOOGLE.fullmatch(line):
        title = _TITLES.get(match[1].lower())
        if title is not None and (not match[2] or title in ("Returns", "Yields")):
            return _Block(lines=[line], style="GOOGLE", title=title)
    return None


def _ends(block: _Block, line: str) -> bool:
    """Return whether this line ends the block before it, without starting a section."""
    if block.style is None or not line or line[0].isspace():
        return False
    if block.style == "NUMPYDOC":
        return False  # names are indented as the title is
    return block.style == "GOOGLE" or line[0] in ":@" or not block.lines[-1].strip()


def read_sections(lines: list[str]) -> Docs:
    """Return the parts of a docstring; lines outside of sections are its text."""
    parameters: dict[str, str] = {}
    attributes: dict[str, str] = {}
    returns, prose = "", list[str]()
    for block in _blocks(lines):
        items = [*_items(block)] if block.title else []
        is_read = items and all(len(names) <= MAX_NAME for _, names, _ in items)
        if block.style is None or (block.title and not is_read):
            prose.append("\n".join(block.lines).strip("\n").rstrip())
            continue
        for word, names, text in items:
            if word in _RETURNING:
                returns = returns or text
            elif text and names and word in _NAMED:
                place = attributes if word in _ATTRIBUTES else parameters
                for name in names.split(","):
                    place.setdefault(name.strip("*\\` "), text)
    return Docs("\n\n".join(filter(None, prose)), parameters, attributes, returns)


def _items(block: _Block) -> Iterator[tuple[str, str, str]]:
    """Yield the word, the names and the text of each item of a section."""
    if (field := _FIELD.match("\n".join(block.lines))) is not None:
        text = _dedented(field[4].strip())
        is_type = field[2] in ("rtype", "ytype")
        yield field[2], "".join(field[3].split()[-1:]), _prose(text) if is_type else text
        return
    is_google = block.style == "GOOGLE"
    first = block.lines[0].partition(":")[2].strip() if is_google else ""
    body = cleandoc("\n".join(["", *([f"    {first}"] if first else ()), *block.lines[1:]]))
    if is_google and block.title in ("Returns", "Yields"):
        text = body.partition(":")[2] if _TYPED.match(body) else body
        yield "returns", "", _dedented(text.strip())
        return
    for head, text in _groups(body.partition("\n")[2] if not is_google else body):
        if block.title in ("Returns", "Yields"):
            yield "returns", "", text or _prose(head.rpartition(":")[2].strip())
            continue
        colon = ":" if ":" in head or not is_google else " - "
        if is_google and "):" in head and "(" in head.partition(":")[0]:
            colon = "):"  # a colon may be in the type
        name, _, rest = head.partition(colon)
        name = name.partition("(")[0].strip()
        yield _WORDS[block.title], name, "\n".join(filter(None, (rest.strip() * is_google, text)))


_RETURNING = frozenset({"return", "returns", "yield", "yields", "rtype", "ytype"})
_WORDS = {"Args": "param", "Attributes": "attribute"}
_TYPED = re.compile(r"\s*[^:\s]+:|[^:]*\]:")
"""The beginning of a returned value with its type: `dict: The text.`"""


def _dedented(text: str) -> str:
    """Return a text without the indentation of the lines after the first."""
    first, _, rest = text.partition("\n")
    return f"{first}\n{dedent(rest)}" if rest else first


def _groups(body: str) -> Iterator[tuple[str, str]]:
    """Yield each line without indentation, with the indented lines below it."""
    head, below = "", list[str]()
    for line in (*body.split("\n"), "-"):
        if line and not line[0].isspace():
            if head:
                yield head, cleandoc("\n".join(["", *below])).strip()
            head, below = line, []
        else:
            below.append(line)


def _prose(text: str) -> str:
    """Return the text in the position of a type if it is a sentence, else an empty text."""
    return text if " " in text and not set("[]|,") & set(text) else ""


_FOREIGN = frozenset({"builtins", "enum", "pydantic.main", "pydantic.root_model", "typing"})
_BELOW_A_FIELD = re.compile(r"""^[ \t]+\w+[ \t]*:[^\n]*\n[ \t]*[rRuU]?["']""", re.MULTILINE)


def class_docs(cls: type, names: Namespace) -> Docs:
    """Return the descriptions of a class and, as `attributes`, of its fields, inherited ones too.

    A `Doc` overrides a docstring below the field, which overrides a section of the class docstring.
    Generated docstrings of `dataclass` and `NamedTuple` are ignored. `names` is the namespace of
    the hints.
    """
    fields: dict[str, str] = {}
    for base in reversed(list(_bases(cls))):
        docs = own_docs(base)
        fields |= docs.parameters
        fields |= docs.attributes
        fields |= _below_fields(base)
    fields |= _doc_marks(cls, names)
    return Docs(text=own_docs(cls).text, attributes=fields)


def own_docs(cls: type) -> Docs:
    """Return the parts of a class's own docstring, which are empty for a built-in class."""
    text = vars(cls).get("__doc__")
    written = isinstance(text, str) and not text.startswith(f"{cls.__name__}(")
    if not written or cls.__module__ in _FOREIGN:
        return Docs()
    return read_docstring(text)


def doc_of(hint: object) -> str | None:
    """Return the text of the `Doc` in a hint, or a bare text in its `Annotated`, or `None`."""
    while get_origin(hint) in (Required, NotRequired):
        hint = get_args(hint)[0]
    marks = metadata_of(hint)
    docs = [mark.documentation for mark in marks if isinstance(mark, Doc)]
    texts = docs or [mark for mark in marks if isinstance(mark, str) and mark.strip()]
    return cleandoc(texts[-1]) if texts else None


def _bases(cls: type) -> Iterator[type]:
    if is_typeddict(cls):  # its bases are not in its `__mro__`
        yield cls
        for base in getattr(cls, "__orig_bases__", ()):
            if is_typeddict(base):
                yield from _bases(base)
    else:
        yield from (base for base in cls.__mro__ if base.__module__ not in _FOREIGN)


def _doc_marks(cls: type, names: Namespace) -> dict[str, str]:
    try:
        hints = get_type_hints(cls, localns=dict(names), include_extras=True)
    except Exception:  # a hint's text may raise anything; pydantic resolves it in its own way
        return {}
    return {name: text for name, hint in hints.items() if (text := doc_of(hint))}


def _below_fields(cls: type) -> Mapping[str, str]:
    """Return the docstrings below the fields, if the source is available."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if not isinstance(file, str):
        return {}
    return _attribute_docstrings("".join(linecache.getlines(file))).get(cls.__qualname__, {})


@lru_cache(maxsize=64)
def _attribute_docstrings(source: str) -> Mapping[str, Mapping[str, str]]:
    """Return the docstrings below fields for each class of a module, by its qualified name."""
    if not _BELOW_A_FIELD.search(source):
        return {}
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, Mapping[str, str]] = {}
    stack: list[tuple[str, ast.AST]] = [("", module)]
    while stack:
        prefix, node = stack.pop()
        if isinstance(node, ast.ClassDef):
            found[prefix + node.name] = dict(_below_fields_of(node))
            prefix = f"{prefix}{node.name}."
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            prefix = f"{prefix}{node.name}.<locals>."
        below = (inner for inner in ast.iter_child_nodes(node) if isinstance(inner, _HOLDERS))
        stack.extend((prefix, inner) for inner in below)
    return found


_HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case)
"""Nodes that may hold the definition of a class."""


def _below_fields_of(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            yield field.target.id, cleandoc(below.value.value)

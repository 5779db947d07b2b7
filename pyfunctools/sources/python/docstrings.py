"""Descriptions from docstrings: of a callable, its parameters, a class and its fields.

A docstring may have any style: Google, NumPy, reST or Epydoc. One pattern finds the sections, and
each section is read on its own: one without items stays in the description as it is. A field is
described by a section of its class's docstring, by a docstring below it, or by `Doc` in its hint.
"""

import ast
import linecache
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from inspect import cleandoc, getsource
from itertools import pairwise
from textwrap import dedent
from types import MappingProxyType
from typing import NamedTuple, NotRequired, Required, get_args, get_origin, get_type_hints

from typing_extensions import Doc, is_typeddict

from pyfunctools.sources.python.hint_scope import Namespace, metadata_of

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Docs(NamedTuple):
    """The parts of a docstring: text, parameters, attributes, and the returned value."""

    text: str = ""
    parameters: Mapping[str, str] = _NOTHING
    attributes: Mapping[str, str] = _NOTHING
    returns: str = ""


MAX_NAME = 500
"""The longest name before a colon; a section with a longer one stays in the description."""

_ARGUMENTS = ("args", "arguments", "parameters", "params")
_TITLES = {
    **{prefix + each: "param" for prefix in ("", "keyword ", "other ") for each in _ARGUMENTS},
    **dict.fromkeys(("attributes", "fields"), "attribute"),
    **dict.fromkeys(("return", "returns", "yield", "yields"), "returns"),
    **dict.fromkeys(("raise", "raises", "exception", "exceptions", "warns"), ""),
    **dict.fromkeys(("example", "examples", "see also", "references"), ""),
}
"""Titles of sections in lower case, each with the word of its items; those without are ignored."""

_RULE = r"[-=]{3,}[ \t]*$"
_TITLE = rf"(?:{'|'.join(_TITLES).replace(' ', '[ ]')})"
_WORD = (
    "param|parameter|arg|argument|key|keyword|attribute|ivar|cvar|var|type|vartype|rtype|ytype"
    "|returns?|yields?|raises?|except|exception|example|see"
)
_START = rf"[:@](?:{_WORD})\b[^:\n]*:|{_TITLE}:|.+\n{_RULE}"
"""The beginning of a section, in any style."""
_SECTION = re.compile(
    rf"""(?<=\n)(?:
        # reST and Epydoc: the lines up to another field, or to text below an empty line
        [:@](?P<field>{_WORD})\b(?P<names>[^:\n]*):
            (?P<text>.*(?:\n(?:[ \t].*|$|(?<!\n\n)(?![:@]|{_START}).+))*)
        # NumPy: the lines up to another section
        |(?P<ruled>{_TITLE}):?[ \t]*\n{_RULE}(?P<listed>(?:\n(?!{_START}).*)*)
        # Google: the lines with indentation, or a list directly below
        |(?P<google>{_TITLE}):[ \t]*(?P<first>.*)
            (?P<body>(?:\n[-*][ ].*(?:\n[ \t]+\S.*)*)+|(?:\n(?:[ \t].*|$))*)
    )""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_ATTRIBUTES = frozenset({"attribute", "ivar", "cvar", "var"})
_NAMED = _ATTRIBUTES | {"param", "parameter", "arg", "argument", "key", "keyword"}
_RETURNING = frozenset({"return", "returns", "yield", "yields", "rtype", "ytype"})
_COLON = re.compile(r":| --? ")
_TYPED = re.compile(r"\s*[^:\s]+:|[^:]*\]:")
"""The beginning of a returned value with its type: `dict: The text.`"""


@lru_cache(maxsize=1024)
def read_docstring(docstring: str) -> Docs:
    """Return the parts of a docstring of any style; never raises.

    `text` is the summary and the body, with notes and warnings. Exceptions, examples, types and
    cross-references are left out.
    """
    text = cleandoc(docstring)
    parameters: dict[str, str] = {}
    attributes: dict[str, str] = {}
    returns, prose, end = "", list[str](), 0
    for section in _SECTION.finditer(text):
        title = section["field"] or _TITLES[(section["google"] or section["ruled"]).lower()]
        items = [*_items(section, title)] if title else []
        is_inline = section["first"] and title != "returns"
        is_odd = any(_is_odd(*item) for item in items)
        is_empty = section["google"] and not (section["first"] + section["body"]).strip()
        if is_inline or is_odd or is_empty or (title and not items):
            continue  # it stays in the text
        prose.append(text[end : section.start()])
        end = section.end()
        for word, names, said in items:
            if word in _RETURNING:
                returns = returns or said
            elif said and names and word in _NAMED:
                place = attributes if word in _ATTRIBUTES else parameters
                for name in names.split(","):
                    place.setdefault(name.strip("-*\\` "), said)
    paragraphs = (each.strip("\n").rstrip() for each in (*prose, text[end:]))
    return Docs("\n\n".join(filter(None, paragraphs)), parameters, attributes, returns)


def _items(section: re.Match[str], word: str) -> Iterator[tuple[str, str, str]]:
    """Yield the word, the names and the text of each item of a section."""
    if section["field"]:
        text = _dedented(section["text"].strip())
        is_type = word in ("rtype", "ytype")
        yield word, "".join(section["names"].split()[-1:]), _prose(text) if is_type else text
        return
    is_google = section["google"] is not None
    first = f"\n    {section['first'].strip()}" if section["first"] else ""
    body = cleandoc(first + (section["body"] if is_google else section["listed"]))
    if is_google and word == "returns":
        yield word, "", _dedented((body.partition(":")[2] if _TYPED.match(body) else body).strip())
        return
    for group in re.split(r"\n(?=\S)", body):  # a line, and the indented lines below it
        head, _, below = group.partition("\n")
        if not head.strip():
            continue
        text = cleandoc("\n" + below).strip()
        if word == "returns":
            yield word, "", text or _prose(head.rpartition(":")[2].strip())
            continue
        colon = _COLON.search(head.removeprefix("- ")) if is_google else None
        sign = ":" if colon is None else colon[0]
        if is_google and "):" in head and "(" in head.partition(":")[0]:
            sign = "):"  # a colon may be in the type
        name, _, rest = head.partition(sign)
        name = re.split(r"[({]", name, maxsplit=1)[0].strip()
        yield word, name, "\n".join(filter(None, (rest.strip() * is_google, text)))


def _is_odd(word: str, names: str, said: str) -> bool:
    """Return whether an item has not been understood: a sentence has no name and no text."""
    is_sentence = any(" " in name.strip("-* ") for name in names.split(","))
    return len(names) > MAX_NAME or (word in _NAMED and not said and is_sentence)


def _dedented(text: str) -> str:
    """Return a text without the indentation of the lines after the first."""
    first, _, rest = text.partition("\n")
    return f"{first}\n{dedent(rest)}" if rest else first


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


@lru_cache(maxsize=64)
def _below_fields(cls: type) -> Mapping[str, str]:
    """Return the docstrings below the fields, if the source is available."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if not isinstance(file, str) or not _BELOW_A_FIELD.search("".join(linecache.getlines(file))):
        return {}
    try:
        found = ast.parse(dedent(getsource(cls))).body[0]
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return dict(_below_fields_of(found)) if isinstance(found, ast.ClassDef) else {}


def _below_fields_of(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for pair in pairwise(node.body):
        match pair:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, cleandoc(text)
            case _:
                pass

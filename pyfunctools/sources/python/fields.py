"""What a class says of itself and of its fields: docstrings, below a field too, and `Doc`."""

import ast
import linecache
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from inspect import cleandoc
from typing import NotRequired, Required, get_args, get_origin, get_type_hints

from typing_extensions import Doc, is_typeddict

from pyfunctools.sources.python.callable_signature import marks_of_hint
from pyfunctools.sources.python.docstring import Docs, read_docstring
from pyfunctools.sources.python.hint_scope import Names

_FOREIGN = frozenset({"builtins", "enum", "pydantic.main", "pydantic.root_model", "typing"})
_BELOW_A_FIELD = re.compile(r"""^[ \t]+\w+[ \t]*:[^\n]*\n[ \t]*[rRuU]?["']""", re.MULTILINE)


def class_docs(cls: type, names: Names) -> Docs:
    """Return what a class says: of itself, and as `attributes` of its fields, base classes' too.

    A `Doc` wins over a docstring below the field, and that over a section of the class docstring.
    A docstring that `dataclass` or `NamedTuple` wrote is none. `names` is what hints are read with.
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
    """Return what the class's own docstring says; that of a built-in class says nothing."""
    text = vars(cls).get("__doc__")
    written = isinstance(text, str) and not text.startswith(f"{cls.__name__}(")
    if not written or cls.__module__ in _FOREIGN:
        return Docs()
    return read_docstring(text)


def doc_of(hint: object) -> str | None:
    """Return the text of the `Doc` in a hint, or a bare text in its `Annotated`, or `None`."""
    while get_origin(hint) in (Required, NotRequired):
        hint = get_args(hint)[0]
    marks = marks_of_hint(hint)
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


def _doc_marks(cls: type, names: Names) -> dict[str, str]:
    try:
        hints = get_type_hints(cls, localns=dict(names), include_extras=True)
    except Exception:  # a hint's text may raise anything, and pydantic has read these its own way
        return {}
    return {name: said for name, hint in hints.items() if (said := doc_of(hint))}


def _below_fields(cls: type) -> Mapping[str, str]:
    """Return the docstrings that stand below the fields, where the source is there to read."""
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
            found[prefix + node.name] = dict(_described(node))
            prefix = f"{prefix}{node.name}."
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            prefix = f"{prefix}{node.name}.<locals>."
        stack.extend((prefix, inner) for inner in ast.iter_child_nodes(node) if _may_hold(inner))
    return found


def _may_hold(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case)


def _described(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            yield field.target.id, cleandoc(below.value.value)

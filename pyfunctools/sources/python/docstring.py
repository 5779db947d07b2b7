"""A docstring of any style, taken apart: Google, NumPy, reST or Epydoc."""

from collections.abc import Mapping
from functools import lru_cache
from inspect import cleandoc
from types import MappingProxyType
from typing import NamedTuple

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Docs(NamedTuple):
    """What a docstring says: of the whole, of each parameter, each attribute and the result."""

    text: str = ""
    parameters: Mapping[str, str] = _NOTHING
    attributes: Mapping[str, str] = _NOTHING
    returns: str = ""


@lru_cache(maxsize=1024)
def read_docstring(docstring: str) -> Docs:
    """Return what a docstring says, whatever its style; never raises.

    `text` is the summary and the body, with notes and warnings. What is raised, examples, types and
    cross-references are left out.
    """
    text = cleandoc(docstring)
    if not _may_have_sections(text):
        return Docs(text=text.strip("\n").rstrip())
    from pyfunctools.sources.python.docstring_sections import Found

    found = Found(text.split("\n"))
    return Docs(
        text=found.text,
        parameters=found.parameters,
        attributes=found.attributes,
        returns=found.returns,
    )


def _may_have_sections(text: str) -> bool:
    """Return whether below the first line stands what every section has: a colon or a rule."""
    rest = text.partition("\n")[2]
    return ":" in rest or any(line and not line.strip("-= \t") for line in rest.split("\n"))

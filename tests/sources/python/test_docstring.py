"""Docstrings of each style, and of no style."""

# ruff: noqa: E501 - a table reads best with a row on a line

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from clock import at_most
from hypothesis import given, settings
from hypothesis import strategies as st

import pyfunctools
from pyfunctools.record.traits import Traits
from pyfunctools.sources.python.decorators import function
from pyfunctools.sources.python.docstrings import (
    MAX_NAME,
    Docs,
    read_docstring,
)

GOOGLE = """Place an order.

It ships at once.

Args:
    items (list[Item]): What to buy,
        and how many of each.
    note (str, optional): A word for the driver: short.
    *rest: More items.
    **options: Anything else.

Returns:
    The order, with its number.

Raises:
    ValueError: Nothing was ordered.
"""

NUMPY = """Place an order.

It ships at once.

Parameters
----------
items : list of Item
    What to buy,
    and how many of each.
note : str, optional
    A word for the driver: short.
*rest
    More items.
**options
    Anything else.

Returns
-------
Order
    The order, with its number.

Raises
------
ValueError
    Nothing was ordered.
"""

REST = """Place an order.

It ships at once.

:param items: What to buy,
    and how many of each.
:param str note: A word for the driver: short.
:param *rest: More items.
:param **options: Anything else.
:type items: list[Item]
:returns: The order, with its number.
:rtype: Order
:raises ValueError: Nothing was ordered.
"""

EPYDOC = """Place an order.

It ships at once.

@param items: What to buy,
    and how many of each.
@type items: list
@param note: A word for the driver: short.
@param rest: More items.
@param options: Anything else.
@return: The order, with its number.
@rtype: Order
@raise ValueError: Nothing was ordered.
"""


@pytest.mark.parametrize(
    "text", [GOOGLE, NUMPY, REST, EPYDOC], ids=["google", "numpy", "rest", "epydoc"]
)
def test_all_four_styles_are_parsed(text: str) -> None:
    assert read_docstring(text) == Docs(
        text="Place an order.\n\nIt ships at once.",
        parameters={
            "items": "What to buy,\nand how many of each.",
            "note": "A word for the driver: short.",
            "rest": "More items.",
            "options": "Anything else.",
        },
        returns="The order, with its number.",
    )


# fmt: off
ODD = [
    ("", Docs()),
    ("   \n\n  ", Docs()),
    ("One line.", Docs(text="One line.")),
    ("One.\n    Two.\n\n        Three.", Docs(text="One.\nTwo.\n\n    Three.")),
    ("Returns: the price.", Docs(text="Returns: the price.")),
    ("At 10:30, see https://x.y/:z.", Docs(text="At 10:30, see https://x.y/:z.")),
    ("Do.\n\nSteps:\n  1. a\n  2. b", Docs(text="Do.\n\nSteps:\n  1. a\n  2. b")),
    ("Do.\nArgs:\n  x: foo\nReturns: The thing", Docs(text="Do.", parameters={"x": "foo"}, returns="The thing")),
    ("Do.\n\nArgs:\n    x: a\n    y\n", Docs(text="Do.", parameters={"x": "a"})),
    ("Do.\n\nargs:\n  x - a\n\n  `y` (int): b", Docs(text="Do.", parameters={"x": "a", "y": "b"})),
    ("Do.\n\nArgs:\nx: foo", Docs(text="Do.\n\nArgs:\nx: foo")),
    ("Do.\n\nArgs:\n\nReturns:\n    int: it", Docs(text="Do.\n\nArgs:", returns="it")),
    ("Do.\n\nArgs:\n    x: a\n\nNote:\n    Mind it.", Docs(text="Do.\n\nNote:\n    Mind it.", parameters={"x": "a"})),
    ("Do.\n\nArgs:\n    x: a\n\nThe end.", Docs(text="Do.\n\nThe end.", parameters={"x": "a"})),
    ("Do.\n\nArgs:\n    x: a\n        b\n\n        c", Docs(text="Do.", parameters={"x": "a\nb\n\nc"})),
    ("Do.\n\nReturns:\n    A dict: the map\n    of all.", Docs(text="Do.", returns="A dict: the map\nof all.")),
    ("Do.\n\nReturns:\n    dict[str, int]: the map", Docs(text="Do.", returns="the map")),
    ("Do.\n\nYields:\n    int: one more", Docs(text="Do.", returns="one more")),
    ("Do.\n\nKeyword Args:\n    x: a", Docs(text="Do.", parameters={"x": "a"})),
    ("Do.\n\nExample:\n    >>> do()\n    1", Docs(text="Do.")),
    ("A.\n\nAttributes:\n    x: a\n    y (int): b", Docs(text="A.", attributes={"x": "a", "y": "b"})),
    ("A.\n\nAttributes\n----------\nx : int\n    a", Docs(text="A.", attributes={"x": "a"})),
    ("A.\n\n:ivar x: a\n:cvar int y: b\n:var z: c", Docs(text="A.", attributes={"x": "a", "y": "b", "z": "c"})),
    ("A.\n\n@ivar x: a", Docs(text="A.", attributes={"x": "a"})),
    ("Do.\n\nParameters\n----------\nx, y : int\n    a", Docs(text="Do.", parameters={"x": "a", "y": "a"})),
    ("Do.\n\nParameters\n----------\nx : int\n\nNotes\n-----\nMind.", Docs(text="Do.\n\nNotes\n-----\nMind.")),
    ("Do.\n\nReturns\n-------\nThe thing itself.", Docs(text="Do.", returns="The thing itself.")),
    ("Do.\n\n:param int or str x: a", Docs(text="Do.", parameters={"x": "a"})),
    ("Do.\n\n:param x a", Docs(text="Do.\n\n:param x a")),
    ("Do.\n\n:param x: a\n:class:`X` does.\n\nEnd.", Docs(text="Do.\n\n:class:`X` does.\n\nEnd.", parameters={"x": "a"})),
    ("Do.\n\n:param x: a\n:param x: b", Docs(text="Do.", parameters={"x": "a"})),
    ("Do.\n\n:param x:", Docs(text="Do.")),
]
PIECES = [
    "Args:", "Returns:", "Yields:", "Attributes:", "Parameters", "Returns", "-----", ":param", "(",
    "@param", "x", "[", "(int)", ":", "::", "*", ":returns:", "@return:", ":type", "@ivar", "desc",
    "`", "\\", "optional", "deprecated:", ":raises:", "@raise:", ",", "?", "a:", " ", "    ", "\t",
    "\n", "\n\n", "y : int", " - ", "\0", "\u2028", "\r", ".. deprecated:: 1",
]
# fmt: on


@pytest.mark.parametrize(("text", "expected"), ODD)
def test_odd_docstrings(text: str, expected: Docs) -> None:
    assert read_docstring(text) == expected


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=25).map("".join))
def test_no_docstring_raises(text: str) -> None:
    assert isinstance(read_docstring(text), Docs)


@pytest.mark.parametrize(
    "text",
    [
        "S.\n\nArgs:\n    x(" + "(" * 100_000 + ": b",
        "S.\n\nArgs:\n    " + "a " * 50_000 + ": b",
        "S.\n\nArgs:\n    x: " + "a. Defaults to " * 7_000,
        "S.\n\nParameters\n-----\nx : int\n    " + "default 'a " * 10_000,
        "S.\n\nParameters\n-----\nx : " + " " * 100_000 + "a",
        "S.\n\n:param x: " + "defaults to " * 8_000,
        "S.\n\n@" + "param " * 16_000 + ":",
        "S.\n\n" + " " * 100_000 + "x",
        "S.\n\nArgs:\n" + "- x - a: b\n" * 10_000,
    ],
)
def test_a_huge_docstring_is_parsed_quickly(text: str) -> None:

    with at_most(1):
        read_docstring(text)


def test_our_own_docstrings_are_readable() -> None:
    read = dict(_own())
    assert len(read) > 50
    for where, (text, docs) in read.items():
        sections = set(
            re.findall(r"^(Args|Returns|Raises|Yields|Attributes):$", text, re.MULTILINE)
        )
        assert not re.search(
            r"^(Args|Returns|Raises|Yields|Attributes):", docs.text, re.MULTILINE
        ), where
        assert bool(docs.parameters) == ("Args" in sections), where
        assert docs.text, where
        assert text.split("\n", 1)[0] == docs.text.split("\n", 1)[0], where


def test_the_arguments_of_our_own_decorator_are_read() -> None:
    docs = read_docstring(function.__doc__ or "")
    assert docs.parameters["tags"] == "Tags for `controller.select(tags=...)`."
    assert docs.parameters.keys() == {"name", "description", *Traits.__annotations__}


def _own() -> Iterator[tuple[str, tuple[str, Docs]]]:
    for file in sorted(Path(pyfunctools.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                text = ast.get_docstring(node)
                if text and not node.name.startswith("_"):
                    yield f"{file}:{node.lineno}", (text, read_docstring(text))


@pytest.mark.parametrize(
    "title",
    ["Args", "ARGS", "arguments", "Parameters", "Params", "Keyword Args", "Other Parameters"],
)
def test_parameters_have_many_titles(title: str) -> None:
    assert read_docstring(f"Do.\n\n{title}:\n    x: a").parameters == {"x": "a"}


@pytest.mark.parametrize(
    "title", ["Raises", "Exceptions", "Example", "Examples", "See Also", "References", "Warns"]
)
def test_sections_without_use_to_a_model_are_left_out(title: str) -> None:
    found = read_docstring(f"Do.\n\n{title}\n-----\nx : int\n    a")
    assert (found.text, found.parameters, found.returns) == ("Do.", {}, "")


@pytest.mark.parametrize("title", ["Note", "Arg", "Keyword  Args", "Returning", "Args and more"])
def test_other_titles_are_prose(title: str) -> None:
    found = read_docstring(f"Do.\n\n{title}:\n    x: a")
    assert found.text == f"Do.\n\n{title}:\n    x: a"


def test_items_may_be_a_list_directly_below_their_title() -> None:
    text = "Do.\n\nArgs:\n- x (int): a\n  b\n- `y`: c\n\nReturns:\n- int: d\n\n- Prose."
    found = read_docstring(text)
    assert found.parameters == {"x": "a\nb", "y": "c"}
    assert (found.text, found.returns) == ("Do.\n\n- Prose.", "- int: d")


def test_the_text_of_an_item_may_be_behind_dashes() -> None:
    found = read_docstring("Do.\n\nArgs:\n    x {int} -- a: b\n    y (str) - c\n    z: d - e")
    assert found.parameters == {"x": "a: b", "y": "c", "z": "d - e"}


@pytest.mark.parametrize(
    "section",
    [
        "Args:\n    x the first\n    y: b",
        "Args:\n- only prose\n- and more",
        "Returns:\n\nA text.",
        "Raises:",
    ],
)
def test_a_section_that_is_not_understood_stays_in_the_description(section: str) -> None:
    found = read_docstring(f"Do.\n\n{section}")
    assert (found.text, found.parameters) == (f"Do.\n\n{section}", {})


def test_a_text_too_long_for_a_name_stays_in_the_description() -> None:
    line = f"    {'x' * (MAX_NAME + 1)}: a"
    assert read_docstring(f"Do.\n\nArgs:\n{line}").text == f"Do.\n\nArgs:\n{line}"

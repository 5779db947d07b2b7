"""Descriptions of classes and of their fields."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Generic, NamedTuple, NotRequired, TypeVar

import pytest
from pydantic import BaseModel, Field
from typing_extensions import Doc, TypedDict

from pyfunctools.sources.python.docstrings import Docs, class_docs, doc_of, own_docs
from pyfunctools.sources.python.hints import input_schema, output_core, output_schema, read_hints

T = TypeVar("T")


def read_schema(hints: dict[str, object]) -> Any:
    return input_schema(read_hints(hints, {}).core, {})[0]


class Model(BaseModel):
    """A model.

    Attributes:
        section: By section.
        both: By section.
        doc: By section.
    """

    section: int
    below: int = 1
    """By the text below it."""
    both: int = 2
    """By the text below it."""
    doc: Annotated[int, Doc("By doc.")] = 3
    """By the text below it."""
    field: int = Field(4, description="By field.")
    """By the text below it."""


class Derived(Model):
    extra: int
    """One more."""


@dataclass
class Data:
    """A dataclass.

    :ivar section: By section.
    """

    section: int
    below: int
    """By the text below it."""


@dataclass
class Undocumented:
    size: int


class Keys(TypedDict):
    """A typed dict.

    Attributes
    ----------
    section : int
        By section.
    """

    section: int
    below: NotRequired[int]
    """By the text below it."""
    doc: NotRequired[Annotated[int, Doc("By doc.")]]


class MoreKeys(Keys):
    extra: int
    """One more."""


class Tuple(NamedTuple):
    """A named tuple.

    Attributes:
        section: By section.
    """

    section: int
    below: int
    """By the text below it."""


class Bare(NamedTuple):
    size: int


class Box(BaseModel, Generic[T]):
    """A box."""

    item: T
    """What is in it."""


class Colour(Enum):
    """A colour."""

    RED = 1


@pytest.mark.parametrize(
    ("cls", "text", "fields"),
    [
        (
            Model,
            "A model.",
            {
                "section": "By section.",
                "below": "By the text below it.",
                "both": "By the text below it.",
                "doc": "By doc.",
                "field": "By the text below it.",
            },
        ),
        (Data, "A dataclass.", {"section": "By section.", "below": "By the text below it."}),
        (Undocumented, "", {}),
        (
            Keys,
            "A typed dict.",
            {"section": "By section.", "below": "By the text below it.", "doc": "By doc."},
        ),
        (Tuple, "A named tuple.", {"section": "By section.", "below": "By the text below it."}),
        (Bare, "", {}),
        (Box[int], "", {"item": "What is in it."}),
        (Colour, "A colour.", {}),
        (int, "", {}),
        (type("Made", (), {}), "", {}),
    ],
    ids=str,
)
def test_the_docs_of_a_class(cls: type, text: str, fields: dict[str, str]) -> None:
    docs = class_docs(cls, {})
    assert (docs.attributes, docs.parameters) == (fields, {})
    assert docs.text == text or (cls is Box[int] and docs.text == "A box.")


def test_fields_of_base_classes_are_described() -> None:
    assert class_docs(Derived, {}).attributes == {
        **class_docs(Model, {}).attributes,
        "extra": "One more.",
    }
    assert class_docs(MoreKeys, {}).attributes == {
        **class_docs(Keys, {}).attributes,
        "extra": "One more.",
    }


def test_a_local_class_is_found_in_its_function() -> None:
    @dataclass
    class Local:
        size: int
        """How big."""

    def inner() -> type:
        class Local(BaseModel):
            size: int
            """How big inside."""

        return Local

    assert class_docs(Local, {}).attributes == {"size": "How big."}
    assert class_docs(inner(), {}).attributes == {"size": "How big inside."}


def test_a_class_without_source_has_its_docstring_only() -> None:
    module: dict[str, Any] = {"BaseModel": BaseModel, "__name__": "nowhere"}
    exec('class Model(BaseModel):\n    """Text."""\n    size: int\n    """Below."""\n', module)  # noqa: S102
    assert class_docs(module["Model"], {}) == Docs(text="Text.")


def test_the_field_s_description_wins_in_the_schema() -> None:
    schema: Any = read_schema({"x": Model})
    properties = schema["$defs"]["Model"]["properties"]
    assert properties["field"]["description"] == "By field."
    assert properties["doc"]["description"] == "By doc."
    assert schema["$defs"]["Model"]["description"] == "A model."


def test_aliased_fields_are_described() -> None:
    class Aliased(BaseModel):
        user_id: int = Field(alias="userId")
        """Whose."""
        out: int = Field(serialization_alias="Out", default=1)
        """What."""

    read: Any = read_schema({"x": Aliased})
    written: Any = output_schema(output_core(Aliased, {})[0], {})
    assert read["$defs"]["Aliased"]["properties"]["userId"]["description"] == "Whose."
    assert written["$defs"]["Aliased"]["properties"]["Out"]["description"] == "What."


def test_a_doc_may_have_many_lines() -> None:
    assert doc_of(Annotated[int, Doc("One.\n        Two.")]) == "One.\nTwo."
    assert doc_of(int) is None


@pytest.mark.parametrize("text", [None, 5, "Broken(", ""])
def test_a_generated_or_invalid_docstring_is_ignored(text: object) -> None:
    broken = type("Broken", (), {"__doc__": text})
    assert own_docs(broken) == Docs()

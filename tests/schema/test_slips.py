"""Keywords that were probably meant by words that are none."""

import pytest

from pyfunctools.schema.normalization.oddities import keyword_meant


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("propertys", "properties"),
        ("requried", "required"),
        ("min_length", "minLength"),
        ("minlength", "minLength"),
        ("anyof", "anyOf"),
        ("tpye", "type"),
        ("item", "items"),
        ("ref", "$ref"),
        ("additional_properties", "additionalProperties"),
        ("min", "minimum"),
        ("writeonly", "writeOnly"),
    ],
)
def test_a_misspelled_keyword_is_told_from_a_remark(word: str, meant: str) -> None:
    assert keyword_meant(word) == meant


REMARKS = """
    properties required $ref x-propertys note notes label hint order unit options tags name
    enumNames enumDescriptions markdownDescription errorMessage propertyOrder propertyOrdering
    isNullable requiredIf multiple placeholder help widget comment $comment title schema anchor
    optional strict style explode in example deprecated source version
"""


def test_a_keyword_and_a_remark_are_no_slips() -> None:
    assert {word: meant for word in REMARKS.split() if (meant := keyword_meant(word))} == {}


def test_any_word_may_be_asked_for() -> None:
    for word in ("", "\u202e", "x" * 100_000, "プロパティ"):
        assert keyword_meant(word) is None

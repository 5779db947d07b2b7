from typing import Any

import pytest

from pyfunctools.schema.normalization.bundle import bundle
from pyfunctools.schema.normalization.check_input import (
    admit,
    is_bundled,
    is_early,
    is_oldest,
    needs_bundling,
)

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(
    ("schema", "needed"),
    [
        ({"$ref": "#/$defs/A", "$defs": {"A": {}}}, False),
        ({"properties": {"id": {}, "x": {"$ref": "#/$defs/a~1b"}}}, False),
        ({"$schema": DRAFT_2020, "type": "string"}, False),
        ({"$ref": "#/$defs/a b"}, True),
        ({"$ref": "#"}, True),
        ({"items": {"$defs": {}}}, True),
        ({"definitions": {}}, True),
        ({"$schema": DRAFT_7}, True),
        ({"$schema": DRAFT_2020, "enum": []}, True),
    ],
)
def test_the_common_schema_needs_no_bundling(schema: dict[str, Any], needed: bool):
    assert needs_bundling(schema, admit(schema)) is needed


def test_a_bundled_schema_says_so():
    assert not is_bundled(admit({"$anchor": "a"}))
    assert is_bundled(admit(bundle({"$anchor": "a"})))


@pytest.mark.parametrize(
    ("draft", "early", "oldest"),
    [
        ("http://json-schema.org/draft-03/schema#", True, True),
        ("http://json-schema.org/draft-04/schema", True, True),
        ("https://json-schema.org/draft-06/schema#", True, False),
        (DRAFT_7, True, False),
        ("https://json-schema.org/draft/2019-09/schema", False, False),
        (DRAFT_2020, False, False),
        ("draft-07", False, False),
        (7, False, False),
    ],
)
def test_the_drafts_up_to_7_are_told_by_their_names(draft: object, early: bool, oldest: bool):
    schema: dict[str, Any] = {"$schema": draft}
    assert is_early(schema) is early
    assert is_oldest(schema) is oldest


def test_a_schema_that_names_no_draft_is_none_of_them():
    assert not is_early({})
    assert not is_oldest({})

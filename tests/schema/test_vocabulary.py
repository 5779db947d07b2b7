"""One table of keywords: nothing else in the package lists them."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pyfunctools.schema import normalize, validate, vocabulary
from pyfunctools.schema.vocabulary import KEYWORDS, ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

PACKAGE = Path(__file__).parents[2] / "pyfunctools"

REASONS = {
    "cli/advice.py": "keywords that describe a value to a model",
    "controller/tool_list.py": "keywords that decide whether strict mode is worth its cost",
    "dialects": "keywords that vendors support",
    "schema/feedback/plain_words.py": "kinds of question",
    "schema/normalization/spelling.py": "the functions that translate older spellings",
    "schema/vocabulary.py": "the vocabulary itself",
    "sources/hidden.py": "keywords with texts that are no names",
    "sources/openapi/swagger.py": "fields of a Swagger parameter",
    "sources/python/core_schema.py": "pydantic's kinds of core schema",
}
"""Where else keywords may be listed, and why."""


NAMED = [
    set(value)
    for name, value in vars(vocabulary).items()
    if name.isupper() and isinstance(value, tuple | frozenset) and KEYWORDS.keys() & value
]
"""The sets of keywords that have a name in the vocabulary."""


def literals(path: Path) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the place and the constants of each set, list, tuple and object in a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            held: list[ast.expr | None] = [*node.elts]
        elif isinstance(node, ast.Dict):
            held = node.keys
        else:
            continue
        words = [each.value if isinstance(each, ast.Constant) else None for each in held]
        is_schema = isinstance(node, ast.Dict) and {"type", "additionalProperties"} & {*words}
        if not is_schema:
            yield f"{path.relative_to(PACKAGE)}:{node.lineno}", words


LITERALS = [each for path in sorted(PACKAGE.rglob("*.py")) for each in literals(path)]


def test_no_three_keywords_are_listed_outside_the_vocabulary_without_a_reason() -> None:
    found = [place for place, words in LITERALS if len(KEYWORDS.keys() & words) >= 3]
    assert [each for each in found if not each.startswith(tuple(REASONS))] == []
    assert [place for place in REASONS if not any(f.startswith(place) for f in found)] == []


def test_a_set_of_keywords_that_has_a_name_is_not_listed_again() -> None:
    again = [place for place, words in LITERALS if len(words) > 1 and set(words) in NAMED]
    assert [place for place in again if not place.startswith(tuple(REASONS))] == []


@pytest.mark.parametrize("keyword", sorted(name for name, row in KEYWORDS.items() if row.dated))
def test_no_normalized_schema_has_a_keyword_of_another_draft(keyword: str) -> None:
    value = {"definitions": {"a": True}, "dependencies": {"a": ["b"]}}.get(keyword, True)
    result = normalize({keyword: value})
    assert keyword not in result


@pytest.mark.parametrize("keyword", sorted(ONE_SCHEMA | SCHEMA_LIST | SCHEMA_MAP))
def test_a_keyword_that_holds_schemas_is_validated_as_one(keyword: str) -> None:
    """An invalid schema below the keyword makes the whole schema invalid."""
    draft = {"items": "2019-09/schema", "dependencies": "draft-07/schema"}.get(keyword)
    wrong = {"type": "no type"}
    held = {"a": wrong} if keyword in SCHEMA_MAP else [wrong] if keyword in SCHEMA_LIST else wrong
    named = {} if draft is None else {"$schema": f"https://json-schema.org/draft/{draft}"}
    if keyword in ("dependencies", "additionalItems", "definitions"):
        named = {"$schema": "http://json-schema.org/draft-07/schema#"}
    with pytest.raises(Exception, match="no type"):
        validate({**named, keyword: held}, None)

"""One table of keywords: nothing else in the package lists them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pyfunctools.schema import normalize, validate
from pyfunctools.schema.vocabulary import KEYWORDS, ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

PACKAGE = Path(__file__).parents[2] / "pyfunctools"

REASONS = {
    "cli/advice.py": "what tells a model something about a value",
    "controller/tool_list.py": "what makes a vendor's strict mode worth its cost",
    "dialects": "what vendors take, which is data of theirs",
    "schema/feedback/plain_words.py": "kinds of question, which are no keywords",
    "schema/normalization/spelling.py": "the functions that translate older spellings",
    "schema/vocabulary.py": "the vocabulary itself",
    "sources/openapi/document_definitions.py": "what makes a schema sent another than received",
    "sources/openapi/swagger.py": "fields of a Swagger parameter, not keywords of its schema",
}
"""Where keywords may be listed besides, and why."""


def tables(path: Path) -> Iterator[str]:
    """Yield each literal that lists three keywords or more, but for schemas that are written."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            held: list[ast.expr | None] = [*node.elts]
        elif isinstance(node, ast.Dict):
            held = node.keys
        else:
            continue
        words = [each.value for each in held if isinstance(each, ast.Constant)]
        known = [word for word in words if isinstance(word, str) and word in KEYWORDS]
        is_schema = isinstance(node, ast.Dict) and not KEYWORDS.keys().isdisjoint(words)
        is_schema &= "type" in known or "additionalProperties" in known
        if len(known) >= 3 and not is_schema:
            yield f"{path.relative_to(PACKAGE)}:{node.lineno}"


def test_no_keywords_are_listed_outside_the_vocabulary() -> None:
    found = [each for path in sorted(PACKAGE.rglob("*.py")) for each in tables(path)]
    assert [each for each in found if not each.startswith(tuple(REASONS))] == []
    assert [place for place in REASONS if not any(f.startswith(place) for f in found)] == []


@pytest.mark.parametrize("keyword", sorted(name for name, row in KEYWORDS.items() if row.dated))
def test_no_normalized_schema_has_a_keyword_of_another_draft(keyword: str) -> None:
    value = {"definitions": {"a": True}, "dependencies": {"a": ["b"]}}.get(keyword, True)
    result = normalize({keyword: value})
    assert keyword not in result


@pytest.mark.parametrize("keyword", sorted(ONE_SCHEMA | SCHEMA_LIST | SCHEMA_MAP))
def test_what_holds_schemas_is_judged_as_such(keyword: str) -> None:
    """A schema that is none, put where the keyword holds one, makes the whole none."""
    draft = {"items": "2019-09/schema", "dependencies": "draft-07/schema"}.get(keyword)
    wrong = {"type": "no type"}
    held = {"a": wrong} if keyword in SCHEMA_MAP else [wrong] if keyword in SCHEMA_LIST else wrong
    named = {} if draft is None else {"$schema": f"https://json-schema.org/draft/{draft}"}
    if keyword in ("dependencies", "additionalItems", "definitions"):
        named = {"$schema": "http://json-schema.org/draft-07/schema#"}
    with pytest.raises(Exception, match="no type"):
        validate({**named, keyword: held}, None)

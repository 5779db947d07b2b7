"""A schema as one line that a model can act on, such as `integer, at least 1`."""

from collections.abc import Iterable, Iterator, Sequence

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import plural, shortened
from pyfunctools.schema.ground.json_values import LINE, escape_invisible, preview
from pyfunctools.schema.outline.json_types import EXAMPLES, implied_types, listed_values
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.vocabulary import BOUNDS, UNIONS, VALUE_LISTS

LENGTH = 200
"""Characters of the longest line."""

ANYTHING = "any value"
"""The line of a schema that allows every value, or that cannot be put into a line."""
_INSIDE = (80, 30)
"""Characters of the longest text inside another, at the top and further down."""
_NESTING = 3
"""How deep schemas are described."""
_VALUES = 12
"""How many allowed values are listed."""
_BRANCHES = 24
"""How many branches of a union or parts of an `allOf` are described."""
_NAMES = 6
"""How many properties of an object are listed."""


def expected(part: Part) -> str:
    """Return a description of the valid values of a part, at most `LENGTH` characters long.

    `integer, at least 1`, `one of "a", "b"`, `string or null`, `array of integer`,
    `object with "name", "price"`.
    """
    return part.cached(_line)


def _line(part: Part) -> str:
    return shortened(escape_invisible(_text(part, 0)), LENGTH)


def expected_of_union(part: Part, keyword: str) -> str:
    """Return the line for the branches of `anyOf` or `oneOf`, without the keywords beside it."""
    return shortened(escape_invisible(_union(part, keyword, 0)), LENGTH)


def _text(part: Part | None, depth: int) -> str:
    part = None if part is None else part.resolved
    if part is None or part.schema is True:
        return ANYTHING
    if part.schema is False:
        return "nothing"
    texts = dict.fromkeys(text for text in _conditions(part, depth) if text)
    # "string" adds nothing to "string (format: date)".
    needed = [text for text in texts if not any(other.startswith(f"{text} ") for other in texts)]
    return ", ".join(needed) or ANYTHING


def _conditions(part: Part, depth: int) -> Iterator[str]:
    """Yield the conditions of the line, some of them empty."""
    if (values := listed_values(part.rules)) is not None:
        yield one_of(values)
    else:
        yield either(_type(name, part, depth) for name in _type_names(part))
    below = [*part.branches("allOf"), *([] if part.target is None else [part.target])]
    for inner in below[:_BRANCHES] if depth < _NESTING else ():
        text = _text(inner, depth + 1)
        yield "" if text == ANYTHING else text
    for keyword in UNIONS:
        if keyword in part.rules:
            yield _union(part, keyword, depth)
    for keyword in (*BOUNDS, "uniqueItems", "not"):
        if keyword in part.rules:
            yield rule_text(part, keyword, part.rules[keyword], depth)


def rule_text(part: Part, keyword: str, operand: JsonValue, depth: int = 0) -> str:
    """Return one rule of a part in words; "" if it has no words, or allows every value."""
    if keyword in BOUNDS:
        return _bound(keyword, operand)
    if keyword in VALUE_LISTS:
        return one_of(listed_values(part.rules) or ())
    if keyword in ("format", "pattern"):
        return _string({keyword: operand})
    if keyword == "type":
        return either(_type_names(part))
    if keyword in ("contentEncoding", "contentMediaType"):
        return f"{preview(operand)} text"
    if keyword == "uniqueItems":
        return "no item twice" if operand is not False else ""
    inner = part.below(keyword) if depth < _NESTING else None
    if keyword == "contains":
        return f"array with {_how_many(part.rules)} of this kind: {_text(inner, depth + 1)}"
    return "" if keyword != "not" or inner is None else f"not {_text(inner, depth + 1)}"


def _how_many(rules: JsonSchema) -> str:
    least, most = rules.get("minContains", 1), rules.get("maxContains")
    least = least if isinstance(least, int) else 1
    if not isinstance(most, int):
        return f"at least {least} {plural('item', least)}"
    if least == most:
        return f"exactly {most} {plural('item', most)}"
    before = f"at least {least} and " if least else ""
    return f"{before}at most {most} {plural('item', most)}"


def _type_names(part: Part) -> list[str]:
    names = [escape_invisible(name) for name in implied_types(part.rules)]
    return sorted(names, key=lambda name: name == "null")


def _type(name: str, part: Part, depth: int) -> str:
    if name == "string":
        return _string(part.rules)
    if name == "array":
        return _array(part, depth)
    return _object(part, depth) if name == "object" else name


def _string(schema: JsonSchema) -> str:
    notes: list[str] = []
    if isinstance(form := schema.get("format"), str):
        example = f" such as {EXAMPLES[form]}" if form in EXAMPLES else ""
        notes.append(f"format: {shortened(form, 80)}{example}")
    if isinstance(pattern := schema.get("pattern"), str):
        notes.append(f"pattern: {shortened(pattern, 80)}")
    contents = (schema.get("contentMediaType"), schema.get("contentEncoding"))
    notes += [f"content: {shortened(each, 80)}" for each in contents if isinstance(each, str)]
    return f"string ({', '.join(notes)})" if notes else "string"


def _array(part: Part, depth: int) -> str:
    if depth >= _NESTING:
        return "array"
    first, rest = part.items
    is_closed = rest is not None and rest.schema is False
    if first:
        texts = [_nested("", inner, depth) or "any" for inner in first[:_NAMES]]
        more = len(first) > _NAMES or not is_closed
        return f"array [{', '.join([*texts, *(['…'] if more else [])])}]"
    if rest is None or not isinstance(rest.schema, dict):
        return "empty array" if is_closed else "array"
    return "array" + _nested(" of ", rest, depth)


def _object(part: Part, depth: int) -> str:
    if part.required:
        return f"object with {listing(part.required)}"
    if part.declared:
        return "object" if depth else f"object with optional {listing(list(part.declared))}"
    values = part.rest
    if values is not None and values.schema is False and "patternProperties" not in part.rules:
        return "an empty object: {}"
    if values is None or values.schema is False or depth >= _NESTING:
        return "object"
    return "object" + _nested(" whose values are ", values, depth)


def _nested(before: str, part: Part, depth: int) -> str:
    """Return `before` and the text of a part one level down; "" if that allows any value.

    A text that is too long is cut to its first word.
    """
    text = _text(part, depth + 1)
    if len(text) > _INSIDE[depth > 0]:
        text = text.split(" ", 1)[0] if text.startswith(("array", "object")) else ANYTHING
    if text == ANYTHING:
        return ""
    return before + (f"({text})" if ", " in text or " or " in text else text)


def _union(part: Part, keyword: str, depth: int) -> str:
    if depth >= _NESTING:
        return ""
    union = union_of(part, keyword)
    tag = union.tag
    texts: dict[str, None] = {}
    for index, branch in enumerate(union.branches[:_BRANCHES]):
        if tag is None or index not in tag.branches.values():
            texts.setdefault(_text(branch, depth + 1))
        else:
            texts.setdefault(f"object whose {preview(tag.name)} is {one_of(tag.allowed)}")
    texts.pop("nothing", None)
    if ANYTHING in texts:
        return ANYTHING
    if "null" in texts:  # it reads better at the end
        texts["null"] = texts.pop("null")
    if len(union.branches) > _BRANCHES:
        texts["…"] = None
    return either(texts) or "nothing"


def either(texts: Iterable[str]) -> str:
    """Return the texts joined by "or", after a comma where one of them contains a comma."""
    texts = list(texts)
    return (", or " if any(", " in text for text in texts) else " or ").join(texts)


def _bound(keyword: str, limit: JsonValue) -> str:
    """Return a bound in words, such as `at least 1 item` for `minItems`; "" if it is no bound."""
    words, unit = BOUNDS.get(keyword, ("", ""))
    if not words or not isinstance(limit, int | float) or isinstance(limit, bool):
        return ""
    if not unit:
        return words + preview(limit)
    is_trivial = limit == 0 and keyword.startswith("min")  # no array has fewer than 0 items
    return "" if is_trivial else f"{words}{preview(limit)} {plural(unit, limit)}"


def one_of(values: Sequence[JsonValue]) -> str:
    """Return the allowed values: `one of "a", "b"`; after the first dozen only their number."""
    if len(values) == 1:
        return preview(values[0])
    if not values:
        return "nothing"
    return "one of " + listing(values, _VALUES, 40)


def listing(values: Sequence[JsonValue], limit: int = _NAMES, size: int = LINE) -> str:
    """Return the first values, each cut to `size` characters, and how many more there are."""
    listed = ", ".join([preview(value, size) for value in values[:limit]])
    return listed if len(values) <= limit else f"{listed}, … ({len(values) - limit} more)"

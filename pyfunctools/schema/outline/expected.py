"""A schema as one line a model can act on."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import shortened
from pyfunctools.schema.ground.preview import escape_invisible, preview
from pyfunctools.schema.outline.clock import EXAMPLES
from pyfunctools.schema.outline.json_types import types_shown
from pyfunctools.schema.outline.outline import Outline, Part
from pyfunctools.schema.outline.unions import Tag, union_of
from pyfunctools.schema.vocabulary import BOUNDS, KEYWORDS, UNIONS

LENGTH = 200
"""How long the line may be."""

ANYTHING = "any value"
"""What a schema asks for that asks for nothing, or for what cannot be told."""
_INSIDE = (80, 30)
"""How long a text may be that stands inside another, at the top and further down."""
_NESTING = 3
"""How far arrays in arrays and unions in unions are spelled out."""
_VALUES = 12
"""How many allowed values are listed."""
_BRANCHES = 24
"""How many branches of a union, or parts of an `allOf`, are read."""
_NAMES = 6
"""How many properties of an object are named."""


def object_line(outline: Outline) -> str | None:
    """Return the object to send where arguments are none, as a line; `None` if none is wanted.

    `a JSON object with "city", and if needed "days"`; `an empty JSON object: {}`.
    """
    part = outline.root.resolved
    if part is None or types_shown(part.rules) != ["object"]:
        return None
    whole, names = part.rules, list(part.declared)
    if not names:
        return (
            "an empty JSON object: {}"
            if whole.get("additionalProperties") is False
            else "a JSON object"
        )
    needed = [preview(name) for name in names if name in part.required]
    others = [preview(name) for name in names if name not in part.required]
    line = "a JSON object"
    if needed:
        line += f" with {_some(needed, len(needed), _NAMES)}"
    if others:
        optional = _some(others, len(others), _NAMES)
        line += f", and if needed {optional}" if needed else f", if needed with {optional}"
    return shortened(escape_invisible(line), LENGTH)


def expected(part: Part) -> str:
    """Return one line, of at most about 200 characters, that says what a part asks for.

    `integer, at least 1`, `one of "a", "b"`, `string or null`, `array of integer`,
    `object with "name", "price"`.
    """
    return part.read(_line)


def _line(part: Part) -> str:
    return shortened(escape_invisible(_text(part, 0)), LENGTH)


def expected_of_union(part: Part, keyword: str) -> str:
    """Return the line of the branches of `anyOf` or `oneOf`, without what stands beside."""
    return shortened(escape_invisible(_union(part, keyword, 0)), LENGTH)


def _text(part: Part | None, depth: int) -> str:
    part = None if part is None else part.resolved
    if part is None or part.schema is True:
        return ANYTHING
    if part.schema is False:
        return "nothing"
    parts = dict.fromkeys(piece for piece in _pieces(part, depth) if piece)
    told = [p for p in parts if not any(q.startswith(f"{p} ") for q in parts)]
    return ", ".join(told) or ANYTHING


def _pieces(part: Part, depth: int) -> Iterator[str]:
    """Yield the pieces of the line, which a comma joins."""
    below = [*part.listed("allOf"), *([] if part.target is None else [part.target])]
    if "const" in part.rules:
        yield preview(part.rules["const"])
    elif isinstance(values := part.rules.get("enum"), list):
        yield one_of(values)
    else:
        yield _types(part, depth)
    for inner in below[:_BRANCHES] if depth < _NESTING else ():
        text = _text(inner, depth + 1)
        yield "" if text == ANYTHING else text
    for keyword in UNIONS:
        if keyword in part.rules:
            yield _union(part, keyword, depth)
    yield from bounds_of(part.rules)
    if isinstance(part.rules.get("not"), dict) and depth < _NESTING:
        yield f"not {_text(part.below('not'), depth + 1)}"


def _types(part: Part, depth: int) -> str:
    names = [escape_invisible(name) for name in types_shown(part.rules)]
    words = [_type(name, part, depth) for name in names if name != "null"]
    return either([*words, "null"] if "null" in names else words)


def _type(name: str, part: Part, depth: int) -> str:
    if name == "string":
        return _string(part.rules)
    if name == "array":
        return _array(part, depth)
    return _object(part, depth) if name == "object" else name


def _array(part: Part, depth: int) -> str:
    if depth >= _NESTING:
        return "array"
    first, rest = part.items
    is_closed = rest is not None and rest.schema is False
    if first:
        texts = [_of(_text(inner, depth + 1), depth, "") or "any" for inner in first[:_NAMES]]
        more = len(first) > _NAMES or not is_closed
        return f"array [{', '.join([*texts, *(['…'] if more else [])])}]"
    if rest is None or not isinstance(rest.schema, dict):
        return "empty array" if is_closed else "array"
    return "array" + _of(_text(rest, depth + 1), depth, " of ")


def _object(part: Part, depth: int) -> str:
    if part.required:
        return f"object with {_some(map(preview, part.required), len(part.required), _NAMES)}"
    values = part.rest
    if part.declared or values is None or values.schema is False or depth >= _NESTING:
        return "object"
    return "object" + _of(_text(values, depth + 1), depth, " whose values are ")


def _union(part: Part, keyword: str, depth: int) -> str:
    if depth >= _NESTING:
        return ""
    union = union_of(part, keyword)
    texts: dict[str, None] = {}
    for index, branch in enumerate(union.branches[:_BRANCHES]):
        if union.tag is None or index not in union.tag.branches.values():
            texts.setdefault(_text(branch, depth + 1))
        else:
            texts.setdefault(_tagged(union.tag))
    texts.pop("nothing", None)
    if ANYTHING in texts:
        return ANYTHING
    if "null" in texts:  # it reads better at the end
        texts["null"] = texts.pop("null")
    if len(union.branches) > _BRANCHES:
        texts["…"] = None
    return either(texts) or "nothing"


def either(texts: Iterable[str]) -> str:
    """Return the texts joined by "or", after a comma where one of them holds commas."""
    texts = list(texts)
    return (", or " if any(", " in text for text in texts) else " or ").join(texts)


def bounds_of(schema: JsonSchema) -> Iterator[str]:
    """Yield each bound that a schema sets on a number, a length or a count, in words."""
    for keyword in BOUNDS:
        if keyword in schema and (words := bound(keyword, schema[keyword])):
            yield words
    if schema.get("uniqueItems") is True:
        yield "no item twice"


def bound(keyword: str, limit: JsonValue) -> str:
    """Return one bound in words, as `at least 1 item` for `minItems`; empty for other keywords."""
    row = KEYWORDS.get(keyword)
    if (
        row is None
        or row.words is None
        or not isinstance(limit, int | float)
        or isinstance(limit, bool)
    ):
        return ""
    is_trivial = limit == 0 and row.form == "a count" and row.merged == "greater"
    return "" if is_trivial else _bound(keyword, limit)


def one_of(values: Sequence[JsonValue]) -> str:
    """Return the allowed values: `one of "a", "b"`, with the number of those that are left out."""
    if len(values) == 1:
        return preview(values[0])
    if not values:
        return "nothing"
    return "one of " + _some(
        (preview(value, 40) for value in values[:_VALUES]), len(values), _VALUES
    )


def counted(unit: str, count: float) -> str:
    """Return the unit with a space before it, in the plural where there is not exactly one."""
    if not unit:
        return ""
    if count == 1:
        return f" {unit}"
    return f" {unit[:-1]}ies" if unit.endswith("y") else f" {unit}s"


@lru_cache(maxsize=1024, typed=True)
def _bound(keyword: str, limit: float) -> str:
    before, unit = BOUNDS[keyword]
    return before + preview(limit) + counted(unit, limit)


def _string(schema: JsonSchema) -> str:
    notes = [
        f"{keyword}: {shortened(text, 80)}" + _such_as(text if keyword == "format" else "")
        for keyword in ("format", "pattern")
        if isinstance(text := schema.get(keyword), str)
    ]
    return f"string ({', '.join(notes)})" if notes else "string"


def _such_as(form: str) -> str:
    return f" such as {EXAMPLES[form]}" if form in EXAMPLES else ""


def _tagged(tag: Tag) -> str:
    return f"object whose {preview(tag.name)} is {one_of(tag.allowed)}"


def _of(text: str, depth: int, before: str) -> str:
    """Return `before` and the text, or nothing where that says nothing or is too long for here."""
    if len(text) > _INSIDE[depth > 0]:
        text = text.split(" ", 1)[0] if text.startswith(("array", "object")) else ANYTHING
    if text == ANYTHING:
        return ""
    return before + (f"({text})" if ", " in text or " or " in text else text)


def _some(texts: Iterable[str], count: int, limit: int) -> str:
    listed = [text for text, _ in zip(texts, range(limit), strict=False)]
    return ", ".join([*listed, *([f"… ({count - limit} more)"] if count > limit else [])])

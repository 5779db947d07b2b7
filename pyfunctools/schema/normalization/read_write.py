"""`readOnly` and `writeOnly`: what is never sent, and what never comes back."""

from collections.abc import Iterator

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import MAX_HOPS, lookup, prune
from pyfunctools.schema.ground.walk import Place, opened, subschemas
from pyfunctools.schema.vocabulary import BY_NAME, HOLDING, MENTIONS

_ASKING = HOLDING | BY_NAME | {"required"}


def writable(schema: JsonSchema) -> JsonSchema:
    """Return a normalized schema without the properties that are `readOnly`: what may be sent.

    They are left out everywhere, in `$defs` too, and nothing requires them any more (OpenAPI 3.0,
    4.7.24). A property is what its schema says it is, or what the schema it refers to says. Gives
    the schema itself where nothing is `readOnly`.
    """
    return _without(schema, "readOnly")


def readable(schema: JsonSchema) -> JsonSchema:
    """Return a normalized schema without the properties that are `writeOnly`: what comes back.

    As `writable` is, but for `writeOnly`.
    """
    return _without(schema, "writeOnly")


def _without(root: JsonSchema, mark: str) -> JsonSchema:
    if not any(isinstance(s, dict) and s.get(mark) is True for _, s in subschemas(root)):
        return root
    whole: dict[str, JsonValue] = {}
    todo: list[tuple[Place, frozenset[str]]] = [(Place(whole, "", root), frozenset())]
    while todo:
        place, outside = todo.pop()
        schema = place.inner
        if not isinstance(schema, dict):
            continue
        hidden = outside
        if not _ASKING.isdisjoint(schema):
            hidden |= frozenset(_hidden(root, schema, mark))
        copy, places = opened(_relieved(schema, hidden) if hidden else schema)
        place.put(copy)
        todo.extend(
            (inner, hidden if inner.keyword in HOLDING else frozenset())
            for inner in places
            if inner.keyword not in MENTIONS  # with less asked there, the schema would refuse more
        )
    result = whole[""]
    return prune(result) if isinstance(result, dict) else root


def _hidden(root: JsonSchema, schema: JsonSchema, mark: str) -> Iterator[str]:
    """Yield the marked properties of a schema and of what holds together with it."""
    seen: set[str] = set()
    stack: list[JsonValue] = [schema]
    while stack:
        part = stack.pop()
        if not isinstance(part, dict):
            continue
        properties = part.get("properties")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            if _is_marked(root, inner, mark):
                yield name
        if isinstance(branches := part.get("allOf"), list):
            stack.extend(branches)
        reference = part.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            seen.add(reference)
            stack.append(_at(root, reference))


def _is_marked(root: JsonSchema, schema: JsonValue, mark: str) -> bool:
    """Return whether a schema is marked, what it refers to, or all it may be but `null`."""
    if _leads_to_mark(root, schema, mark):
        return True
    if not isinstance(schema, dict):
        return False
    for keyword in ("anyOf", "oneOf"):
        union = schema.get(keyword)
        branches = [b for b in union if b != {"type": "null"}] if isinstance(union, list) else []
        if branches and all(_leads_to_mark(root, branch, mark) for branch in branches):
            return True
    return False


def _leads_to_mark(root: JsonSchema, schema: JsonValue, mark: str) -> bool:
    for _ in range(MAX_HOPS):
        if not isinstance(schema, dict):
            return False
        if schema.get(mark) is True:
            return True
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return False
        schema = _at(root, reference)
    return False


def _at(root: JsonSchema, reference: str) -> JsonValue:
    try:
        return lookup(root, reference)
    except LookupError:
        return None


def _relieved(schema: JsonSchema, hidden: frozenset[str]) -> JsonSchema:
    """Return a schema without these properties, and without what asks for them."""
    relieved = dict(schema)
    for keyword in BY_NAME:
        named = relieved.get(keyword)
        if isinstance(named, dict):
            relieved[keyword] = {name: v for name, v in named.items() if name not in hidden}
    dependent = relieved.get("dependentRequired")
    if isinstance(dependent, dict):
        relieved["dependentRequired"] = {
            name: [other for other in needed if other not in hidden]
            for name, needed in dependent.items()
            if isinstance(needed, list)
        }
    required = relieved.get("required")
    if isinstance(required, list):
        relieved["required"] = [name for name in required if name not in hidden]
        if not relieved["required"]:
            del relieved["required"]
    return relieved

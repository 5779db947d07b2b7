"""`SearchTexts`: what the source of a function says about it, for a search."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from pyfunctools._json import JsonObject, JsonValue, items_of, members_of, text_of


class SearchTexts(NamedTuple):
    """The texts about one function that its record does not have; many are joined by spaces."""

    name: str = ""
    path: str = ""
    method: str = ""
    tags: str = ""
    parameters: str = ""
    descriptions: str = ""
    values: str = ""


Follow: TypeAlias = Callable[[JsonValue], JsonValue]
"""Returns a schema, or the schema that its `$ref` refers to."""

_MOST: Final = 50
"""The most values of one `enum`, and the most parts of `allOf`, that are read."""


def property_texts(properties: Iterable[tuple[str, JsonObject]], follow: Follow) -> dict[str, str]:
    """Return the fields `parameters`, `descriptions` and `values` for properties."""
    names, descriptions, values = list[str](), dict[str, None](), dict[str, None]()
    for name, schema in properties:
        names.append(name)
        for each in (schema, members_of(follow(schema))):
            descriptions[text_of(each.get("description"))] = None
            items = members_of(follow(each.get("items")))
            allowed = items_of(each.get("enum")) or items_of(items.get("enum"))
            values.update(dict.fromkeys(filter(None, map(text_of, allowed[:_MOST]))))
    return {
        "parameters": " ".join(names),
        "descriptions": " ".join(descriptions),
        "values": " ".join(values),
    }


def properties_of(schema: JsonValue, follow: Follow) -> Iterator[tuple[str, JsonObject]]:
    """Yield the properties of a schema, and of the parts of its `allOf`."""
    queue = [members_of(follow(schema))]
    for schema in queue:
        for name, inner in members_of(schema.get("properties")).items():
            yield name, members_of(inner)
        if len(queue) < _MOST:
            parts = items_of(schema.get("allOf"))[:_MOST]
            queue += [members_of(follow(part)) for part in parts]

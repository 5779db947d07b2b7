"""Notes on fields that sound like secrets, and that nobody marked: the model writes them."""

import re
from collections.abc import Iterator
from typing import Literal

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools._text import visible
from pyfunctools.note import Note
from pyfunctools.schema.ground.path import Path, pointer_of
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.separation.predicates import sounds_secret
from pyfunctools.schema.vocabulary import VALUE_LISTS

_PAGING = re.compile(r"page|next|prev|continu|sync|cursor|pagin|start|resume", re.IGNORECASE)
_CREDENTIALS = frozenset({"auth", "authorization"})
_PARAMETERS = frozenset({"query", "header", "cookie"})


def secret_notes(llm: JsonSchema, source: Literal["python", "document"]) -> Iterator[Note]:
    """Yield a note for each property that sounds like a secret, and that the model writes.

    A parameter of an operation may be a credential that the document does not declare as one.
    """
    for keys, schema in subschemas(llm):
        if len(keys) < 2 or keys[-2] != "properties" or not isinstance(schema, dict):
            continue
        name, names = str(keys[-1]), [str(key) for key in keys[1::2]]
        is_parameter = source == "document" and len(keys) == 4 and names[0] in _PARAMETERS
        is_named = sounds_secret(name) or (is_parameter and name.lower() in _CREDENTIALS)
        if not is_named or not _may_be_secret(name, schema):
            continue
        shown, what = (
            visible(name),
            "a secret, and the model writes it. If a person gives it, mark it",
        )
        if is_parameter:
            place = visible(str(Path.of(tuple(names))))
            quoted = repr(place) if '"' in place else f'"{place}"'
            what = (
                "a credential, and the model is asked for it. Give it yourself: "
                f"`controller.configured(fixed={{{quoted}: ...}})`"
            )
        elif source == "document":
            what += (
                " with `x-human: true` in the document, or by `is_human=`; if you do, pass "
                "`configured(fixed={...})`"
            )
        else:
            what += f": `{shown}: Human[...]`"
        text = f"`{shown}` sounds like {what}."
        yield Note(text=text, pointer=f"/parameters{pointer_of(keys)}")


def _may_be_secret(name: str, schema: JsonSchema) -> bool:
    if schema.keys() & {*VALUE_LISTS, "$ref"} or schema.get("x-human") is False:
        return False
    if "token" in name.lower() and _PAGING.search(name):
        return False
    kinds: list[JsonValue] = [schema.get("type")]
    kinds += (members_of(branch).get("type") for branch in items_of(schema.get("anyOf")))
    flat = [each for kind in kinds for each in (items_of(kind) or [kind])]
    # A number of tokens or keys is no secret.
    is_number = "integer" in flat and not any(word in name.lower() for word in ("token", "key"))
    return "string" in flat or is_number

"""Functions as typed Python stubs, one line each: what a model reads of functions it has found.

```python
from typing import Any, NotRequired, TypedDict
class Address(TypedDict): city: str; zip: NotRequired[str]
def ship(*, order: int, to: Address) -> Any: 'Ship an order.'; ...
```

A stub has the model's side only: nothing that a person or the program gives. All texts are written
by `repr`, and all names are checked, so nothing of a source can leave its place.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from keyword import iskeyword
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of, text_of
from pyfunctools.record.function import Function, contract_of, short_description
from pyfunctools.schema.ground.references import defined_name
from pyfunctools.schema.vocabulary import VALUE_LISTS

_IMPORTED: Final = ("Any", "Literal", "NotRequired", "Required", "TypedDict", "Unpack")
_RESERVED: Final = frozenset({*_IMPORTED, "None", "bool", "dict", "float", "int", "list", "str"})
_SCALARS: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}
_LOOSER: Final = {
    "integer": "float | Decimal | str",
    "number": "float | Decimal | str",
    "boolean": "bool | str",
    "object": "Mapping[str, Any] | str",
    "null": "None",
}
"""What a value may be written as to be repaired; anything else is `Any`."""
_MOST_VALUES: Final = 20
"""The most values of an `enum` that are written."""
_LONGEST_SENTENCE: Final = 100
_WORD: Final = re.compile(r"[^\W_]+")


def spelled_names(names: Iterable[str], taken: Container[str] = ()) -> dict[str, str]:
    """Return names by their spelling in Python: `_` for what no name may have, each only once.

    A name that is `taken` gets a trailing `_`.
    """
    spelled = dict[str, str]()
    listed = list(names)
    exact = {name for name in listed if _spelled(name) == name and name not in taken}
    for name in listed:
        spelling = _spelled(name)
        spelling += "_" if spelling in taken else ""
        while spelling in spelled or (spelling in exact and spelling != name):
            spelling += "_"
        spelled[spelling] = name
    return spelled


def _spelled(name: str) -> str:
    spelling = re.sub(r"\W", "_", name)
    if not spelling.isidentifier() or not spelling.isascii():
        spelling = "_" + re.sub(r"\W", "_", name, flags=re.ASCII)
    return spelling + "_" if iskeyword(spelling) or spelling in _RESERVED else spelling


def signatures_of(
    functions: Sequence[Function],
    *,
    spelled: Mapping[str, str] | None = None,
    outputs: bool = False,
    depth: int = 8,
    brief: bool = False,
) -> str:
    """Return the stubs of functions: the imports, the types, then a line for each function.

    `spelled` are the names of more functions by their spelling, of which these are some. With
    `outputs` they are awaited, and the type of the result is written, if it is known. Objects below
    `depth` are `dict[str, Any]`. With `brief` what a model can do without is left out: the imports,
    results, and the bodies of the stubs.
    """
    names = spelled_names(each.name for each in functions) if spelled is None else spelled
    spelling = {name: each for each, name in names.items()}
    types = _Types(names)
    lines = [_stub(each, spelling[each.name], types, depth, outputs, brief) for each in functions]
    whole = "\n".join([*types.lines, *lines])
    used = [word for word in _IMPORTED if re.search(rf"\b{word}\b", whole)]
    head = [f"from typing import {', '.join(used)}"] if used and not brief else []
    return "\n".join([*head, whole])


def loose_signatures(functions: Mapping[str, Function]) -> str:
    """Return stubs by spelling for a type checker: what we repair is right in them.

    They have the names of the arguments and whether they are required, and of types only what no
    repair mends. A result may be anything.
    """
    lines = ["from collections.abc import Mapping", "from decimal import Decimal"]
    lines.append("from typing import Any")
    for name, function in functions.items():
        schema = contract_of(function).llm
        parameters = ", ".join(_Types((), loose=True).parameters(schema, name, 0))
        lines.append(f"async def {name}({parameters}) -> Any: ...")
    return "\n".join(lines)


def _stub(
    function: Function, name: str, types: "_Types", depth: int, outputs: bool, brief: bool
) -> str:
    contract = contract_of(function)
    parameters = types.parameters(contract.llm, name, depth)
    said = short_description(function, _LONGEST_SENTENCE)
    head = f"{'async ' if outputs else ''}def {name}({', '.join(parameters)})"
    if brief:
        return f"{head}: {said!r}" if said else f"{head}: ..."
    returned = "Any"
    if outputs and contract.output is not None:
        returned = types.result(contract.output, name, depth)
    body = f"{said!r}; ..." if said else "..."  # a body that type checkers take as a stub's
    return f"{head} -> {returned}: {body}"


class _Types:
    """Writes types; equal named ones are written once, in `lines`."""

    def __init__(self, taken: Iterable[str], *, loose: bool = False) -> None:
        self.lines: list[str] = []
        self._taken = {*taken, *_RESERVED}
        self._named = dict[str, str]()
        self._loose = loose
        self._enter({})

    def _enter(self, root: JsonSchema) -> None:
        """Begin with a schema, which has definitions of its own."""
        self._definitions = members_of(root.get("$defs"))
        self._open = set[str]()
        """The definitions that are being written."""
        self._done = dict[str, str]()

    def _name_for(self, wanted: str) -> str:
        """Return a free name for a type, and keep it."""
        words = _WORD.findall(re.sub(r"\W", "_", wanted, flags=re.ASCII))
        name = "".join(word[:1].upper() + word[1:] for word in words)[:40] or "T"
        name = name if name.isidentifier() and not iskeyword(name) else f"T{name}"
        free, number = name, 2
        while free in self._taken:
            free, number = f"{name}{number}", number + 1
        self._taken.add(free)
        return free

    def _typed_dict(self, fields: Sequence[tuple[str, str]], wanted: str, *, total: bool) -> str:
        """Return the name of an object's type, written before or now."""
        same = "; ".join(map(": ".join, fields))
        partial = "" if total else ", total=False"
        if same + partial in self._named:
            return self._named[same + partial]
        name = self._named[same + partial] = self._name_for(wanted)
        plain = all(_is_field(key) for key, _ in fields)
        if plain:
            self.lines.append(f"class {name}(TypedDict{partial}): {same or '...'}")
        else:
            members = ", ".join(f"{key!r}: {text}" for key, text in fields)
            self.lines.append(f"{name} = TypedDict({name!r}, {{{members}}}{partial})")
        return name

    def parameters(self, schema: JsonSchema, name: str, depth: int) -> list[str]:
        """Return the parameters of a function; names that Python does not allow are in a type."""
        self._enter(schema)
        required = frozenset(items_of(schema.get("required")))
        properties = members_of(schema.get("properties"))
        if not all(map(_is_field, properties)):
            if self._loose:
                return ["**arguments: Any"]
            text = self._one("object", schema, f"{name}_arguments", max(depth, 1))
            return [f"**arguments: Unpack[{text}]"]
        written = [
            f"{key}: {self._text(inner, key, depth)}"
            f"{'' if key in required else ' | None = ...' if self._loose else ' = ...'}"
            for key, inner in properties.items()
        ]
        more = schema.get("additionalProperties", True) is not False
        return [*(["*", *written] if written else []), *(["**more: Any"] if more else [])]

    def result(self, schema: JsonSchema, name: str, depth: int) -> str:
        """Return the type of what a function returns."""
        self._enter(schema)
        return self._text(schema, name, depth)

    def _text(self, schema: JsonValue, wanted: str, depth: int) -> str:
        """Return the type of a schema; objects are written as a named type first."""
        if not isinstance(schema, dict):
            return "Any"
        if isinstance(reference := schema.get("$ref"), str):
            return self._referred(defined_name(reference) or "", depth)
        if "const" in schema:
            return self._literal([schema["const"]], schema)
        if values := items_of(schema.get("enum")):
            return self._literal(values, schema)
        branches = items_of(schema.get("anyOf")) or items_of(schema.get("oneOf"))
        if branches and not members_of(schema.get("properties")):
            return _union(self._text(each, wanted, depth) for each in branches)
        kinds = schema.get("type")
        listed = [kinds] if isinstance(kinds, str) else items_of(kinds)
        if not listed:
            listed = ["object"] if "properties" in schema else []
        return _union(self._one(text_of(each), schema, wanted, depth) for each in listed)

    def _one(self, kind: str, schema: JsonSchema, wanted: str, depth: int) -> str:
        if self._loose:
            return _LOOSER.get(kind, "Any")
        if kind == "array":
            items = schema.get("items")
            one = wanted[:-1] if wanted.endswith("s") and len(wanted) > 3 else wanted
            inner = self._text(items, one, depth) if items is not None else "Any"
            return f"list[{inner}]"
        if kind != "object":
            return _SCALARS.get(kind, "Any")
        properties = members_of(schema.get("properties"))
        others = schema.get("additionalProperties")
        if not properties or depth < 1:
            inner = self._text(others, wanted, depth - 1) if isinstance(others, dict) else "Any"
            return f"dict[str, {inner if not properties else 'Any'}]"
        required = frozenset(items_of(schema.get("required")))
        few = 2 * sum(key in required for key in properties) < len(properties)
        word = "Required" if few else "NotRequired"
        fields = [
            (key, f"{word}[{text}]" if (key in required) is few else text)
            for key, inner in properties.items()
            for text in [self._text(inner, key, depth - 1)]
        ]
        return self._typed_dict(fields, wanted, total=not few)

    def _referred(self, definition: str, depth: int) -> str:
        """Return the type of a definition; inside itself it is written without its fields."""
        if definition in self._done:
            return self._done[definition]
        schema = self._definitions.get(definition)
        if definition in self._open or (depth < 1 and not self._loose):
            return "dict[str, Any]" if "properties" in members_of(schema) else "Any"
        self._open.add(definition)
        text = self._done[definition] = self._text(schema, definition, depth)
        self._open.remove(definition)
        return text

    def _literal(self, values: Sequence[JsonValue], schema: JsonSchema) -> str:
        simple = [each for each in values if each is None or isinstance(each, str | bool | int)]
        if len(simple) < len(values) or len(values) > _MOST_VALUES or self._loose:
            rest = {key: each for key, each in schema.items() if key not in VALUE_LISTS}
            return self._text(rest, "", 1) if "type" in rest else "Any"
        return f"Literal[{', '.join(dict.fromkeys(map(repr, simple)))}]"


def _is_field(key: str) -> bool:
    return key.isascii() and key.isidentifier() and not iskeyword(key) and key[:2] != "__"


def _union(types: Iterable[str]) -> str:
    texts = list(dict.fromkeys(types))
    if not texts or "Any" in texts:
        return "Any"
    return " | ".join(texts)

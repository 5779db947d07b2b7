"""One place that a person fills in, by its schema: its kind, its options, its texts."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Final, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import visible
from pyfunctools.record.question import Kind
from pyfunctools.schema import Path
from pyfunctools.schema.feedback.plain_words import humanized
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import defined_name, prune
from pyfunctools.schema.outline.json_types import ALL_TYPES, listed_values
from pyfunctools.schema.outline.outline import Part, Place
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.separation.predicates import is_file, is_secret_of_human
from pyfunctools.schema.separation.side_values import ABSENT, Given
from pyfunctools.schema.vocabulary import UNIONS

Pick: TypeAlias = Callable[[Part, list[Part]], list[Part]]
"""Returns the branches of a union that apply."""

NULL: Final = frozenset({"null"})
_ARRAY: Final = frozenset({"array"})
_OBJECT: Final = frozenset({"object"})
_SCALARS: Final[Mapping[frozenset[str], Kind]] = {
    frozenset({"boolean"}): "boolean",
    frozenset({"integer"}): "integer",
    frozenset({"number", "integer"}): "number",
}
_FORMATS: Final[Mapping[str, Kind]] = {"date": "date", "time": "time", "date-time": "datetime"}


class FormEntry:
    """A place with all `parts` that apply there, including the branches of decided unions.

    A union is decided if it has one branch beside null, or if the model's value fits one branch.
    `undecided` are the parts with other unions.
    """

    def __init__(self, place: Place, parts: Iterable[Part], pick: Pick | None = None) -> None:
        self.place = place
        self._secret: dict[Keys, bool] = {}
        found, self.undecided = dict.fromkeys(parts), list[Part]()
        queue = list(found)
        for part in queue:  # grows while it is read
            branches = _branches(part)
            if len(branches) > 1:
                branches = [] if pick is None else pick(part, branches)
                self.undecided += [part] if len(branches) != 1 else []
            for branch in branches:
                queue += [each for each in branch.parts if each not in found]
                found |= dict.fromkeys(queue)
        self.parts = tuple(found)

    @classmethod
    def beside(cls, place: Place, value: JsonValue) -> "FormEntry":
        """Return the entry where the model gave `value`; all branches apply if no branch fits."""

        entry = entry_of(place)
        if not entry.undecided:
            return entry

        def pick(part: Part, branches: list[Part]) -> list[Part]:
            branch = _intended_branch((part,), value)
            return branches if branch is None else [branch]

        return cls(place, place.parts, pick)

    def with_branch(self, branch: Part) -> "FormEntry":
        """Return the entry with the parts of a branch that the person chose."""
        chosen = FormEntry(self.place, ())
        chosen.parts = (*self.parts, *branch.parts)
        return chosen

    def intended_branch(self, value: JsonValue) -> Part | None:
        """Return the branch for which a value was intended, in the first union that has one."""
        return _intended_branch(self.parts, value)

    def inside(self, key: str | int) -> Place:
        """Return the place of a property or an item."""
        roots = tuple(inner for part in self.parts for inner in part.parts_of(key))
        return self.place.outline.place_of(roots)

    def fields(self, others: Iterable[str] = ()) -> list[tuple[str, Place, bool]]:
        """Return the name, place and requiredness of each property, the required ones first.

        A name may be required and not declared. `others` are names that the model gave; undeclared
        ones count as required.
        """
        extra = [(name, self.inside(name), True) for name in others if name not in self._names]
        return [*self._fields, *extra]

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for name, _, _ in self._fields)

    @cached_property
    def _fields(self) -> list[tuple[str, Place, bool]]:
        required = dict.fromkeys(name for part in self.parts for name in part.required)
        names = dict.fromkeys(name for part in self.parts for name in part.declared) | required
        ordered = sorted(names, key=lambda name: name not in required)
        fields = [(name, self.inside(name), name in required) for name in ordered]
        return [each for each in fields if each[1].types]  # no value fits a name that is forbidden

    def rules(self, keyword: str) -> list[JsonValue]:
        """Return the values of a keyword in all parts."""
        return [part.rules[keyword] for part in self.parts if keyword in part.rules]

    def text(self, keyword: str) -> str:
        """Return the first paragraph of the first text under a keyword."""
        return first_paragraph(self.parts, keyword)

    @cached_property
    def types(self) -> frozenset[str]:
        """The types that all parts allow."""
        return ALL_TYPES.intersection(*(part.types for part in self.parts))

    @property
    def is_list(self) -> bool:
        """True if only arrays, or null, are allowed."""
        return self.types - NULL == _ARRAY

    @cached_property
    def declares(self) -> list[Part]:
        """The parts that declare properties."""
        return [part for part in self.parts if part.declared]

    @cached_property
    def branches(self) -> dict[str, Part]:
        """The branches of the first undecided union by their titles, if all are objects."""
        found: dict[str, Part] = {}
        for branch in _branches(self.undecided[0]) if self.undecided else ():
            if branch.types != _OBJECT or not any(part.declared for part in branch.parts):
                return {}
            name = _branch_title(branch)
            found[name if name not in found else f"{name} {len(found) + 1}"] = branch
        return found

    @property
    def items(self) -> "FormEntry | None":
        """The entry of every item, if only arrays are allowed, and all items are alike."""
        if not self.is_list or any(part.items[0] for part in self.parts):
            return None
        return entry_of(self.inside(0))

    @cached_property
    def has_objects(self) -> bool:
        """True for a list of objects, for which the person is asked one by one."""
        items = self.items
        return items is not None and bool(items.declares or items.branches)

    @cached_property
    def listed(self) -> list[JsonValue] | None:
        """The values of `enum` or `const`, or those of all branches of the undecided union."""
        listed = _listed(self.parts)
        if listed is not None:
            return listed
        branches = _branches(self.undecided[0]) if self.undecided else []
        of_branches = [listed_values(branch.rules) for branch in branches]
        values = [value for each in of_branches for value in each or ()]
        return None if None in of_branches else values or None

    def is_secret(self, keys: Keys) -> bool:
        """True if the value here is secret."""
        if keys not in self._secret:
            path = Path.of(keys)
            self._secret[keys] = any(is_secret_of_human(path, part.rules) for part in self.parts)
        return self._secret[keys]

    @cached_property
    def is_file(self) -> bool:
        """True if bytes are wanted; a text with a format such as `uri` is the address of a file."""
        path = Path.of(())
        return any(
            (part.rules.get("x-human-widget") == "file" or is_file(path, part.rules))
            and part.rules.get("format") in (None, "binary", "byte")
            for part in self.parts
        )

    @cached_property
    def kind(self) -> tuple[Kind, tuple[JsonValue, ...]]:
        """The kind of question that asks for the value, and its options."""
        if self.listed is not None:
            return "choice", tuple(value for value in self.listed if value is not None)
        types = self.place.types - NULL
        if self.is_file:
            return "file", ()
        if types == _ARRAY and not any(part.items[0] for part in self.parts):
            items = entry_of(self.inside(0))
            if items.listed is not None:
                return "choices", tuple(items.listed)
            return ("file" if items.is_file else "json"), ()
        if types & (_ARRAY | _OBJECT):
            return "json", ()
        rules = [part.rules for part in self.parts]
        formats = [each.get("format") or each.get("x-human-widget") for each in rules]
        dated: list[Kind] = [kind for name, kind in _FORMATS.items() if name in formats]
        if types in _SCALARS:
            return _SCALARS[types], ()
        return (dated[0] if dated else "text"), ()

    @cached_property
    def schema(self) -> JsonSchema | bool:
        """The place's schema, with the definitions that it refers to: do not change it."""
        definitions = self.place.outline.root.rules.get("$defs")
        schemas = [part.schema for part in self.place.roots]
        schema = schemas[0] if len(schemas) == 1 else {"allOf": schemas} if schemas else True
        if isinstance(schema, bool) or definitions is None:
            return schema
        return prune({**schema, "$defs": definitions})


def entry_of(place: Place) -> FormEntry:
    """Return the entry of a place for which the model gave nothing."""
    return place.cached(_entry_of)


def _entry_of(place: Place) -> FormEntry:
    return FormEntry(place, place.parts)


def only_value(place: Place) -> Given:
    """Return the only value that is allowed at a place, `ABSENT` if several are allowed."""
    listed = _listed(place.parts)
    return listed[0] if listed is not None and len(listed) == 1 else ABSENT


def first_paragraph(parts: Iterable[Part], keyword: str) -> str:
    """Return the first paragraph of the first text that the parts have under a keyword."""
    for part in parts:
        text = part.rules.get(keyword)
        if isinstance(text, str) and text.strip():
            return visible(" ".join(text.strip().partition("\n\n")[0].split()))
    return ""


def _listed(parts: Iterable[Part]) -> list[JsonValue] | None:
    """Return the shortest list of values in `enum` or `const`."""
    found = [values for part in parts if (values := listed_values(part.rules)) is not None]
    return min(found, key=len) if found else None


def _branches(part: Part) -> list[Part]:
    """Return the branches of a part's unions, without those that allow only null."""
    return [each for keyword in UNIONS for each in part.branches(keyword) if each.types != NULL]


def _intended_branch(parts: Iterable[Part], value: JsonValue) -> Part | None:
    unions = (union_of(part, word) for part in parts for word in UNIONS if word in part.rules)
    return next((branch for each in unions if (branch := each.intended_branch(value))), None)


def _branch_title(branch: Part) -> str:
    """Return the title of a branch, else the name of its definition or its tag."""
    reference = branch.rules.get("$ref")
    name = defined_name(reference) if isinstance(reference, str) else None
    declared = (inner for part in branch.parts for inner in part.declared.values())
    tags = [each for inner in declared if isinstance(each := inner.rules.get("const"), str)]
    return first_paragraph(branch.parts, "title") or humanized(name or next(iter(tags), "kind"))

"""A schema that is being rewritten for a profile, and the losses of the rewrite."""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools.dialects.change import Change
from pyfunctools.dialects.simplify import as_object
from pyfunctools.dialects.table import Profile
from pyfunctools.schema.ground.references import resolve

How = Literal["told", "loosened", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A keyword that a rendering does not express, its path, and how it was handled.

    `how` is one of:

    - `told`: the description contains it, usually as `@keyword value`.
    - `loosened`: it is left out, and only local validation enforces it.
    - `refused`: a strict mode cannot express it, so the function is rendered without that mode.

    In `path`, `$input.items[].name`, `[]` is any item and `.*` any undeclared property.
    """

    path: str
    keyword: str
    how: How


Rewritten = tuple[dict[str, JsonValue], Change]
"""A schema rewritten for a profile, and the change of its values."""

_MOST_NESTED: Final = 100
"""The most references that are written in their places inside others."""
_LONGEST_NOTE: Final = 160
"""The most characters of a keyword's value that are written into a description."""
_NOT_IN_DESCRIPTIONS: Final = frozenset({"$defs", "properties", "deprecated", "contentSchema"})
"""Keywords that are useless in a line of a description."""


class RewriteContext(ABC):
    """The state that all subschemas of one rendering share.

    `made` are those of the `definitions` that are already rewritten. `reshapes` is true if values
    may change. `unions` are the unions whose values change: path, original branches, and change.
    `circular` has the `id` of each required property that must be optional: it leads back to its
    own definition. `inside` has the `id` of each definition that is being written in the place of a
    reference.
    """

    def __init__(self, root: JsonSchema, profile: Profile, *, reshapes: bool) -> None:
        self.root = root
        self.definitions = members_of(root.get("$defs"))
        self.profile = profile
        self.reshapes = reshapes
        self.made: dict[str, Rewritten] = {}
        self.circular: set[int] = set()
        self.inside: list[int] = []
        self.losses: list[Loss] = []
        self.unions: list[tuple[str, Sequence[JsonSchema], Change]] = []
        self._nested = 0

    @abstractmethod
    def rewrite(self, schema: JsonSchema | bool, path: str) -> Rewritten:
        """Return the subschema at a path rewritten."""

    @property
    def rewritten_definitions(self) -> dict[str, JsonValue]:
        """The definitions that are already rewritten."""
        return {name: made for name, (made, _) in self.made.items()}

    def enter(self, schema: JsonValue) -> JsonSchema:
        """Return a schema, or the target of its reference, to be written in its place.

        The result is `{}` inside the same target, where it would be written without end, and after
        `_MOST_NESTED` references inside others.
        """
        target = as_object(resolve(self.root, as_object(schema)))
        if target is schema:
            return target
        self._nested += bool(self.inside)
        if id(target) in self.inside or self._nested > _MOST_NESTED:
            return {}
        self.inside.append(id(target))
        return target

    def lose(self, path: str, keyword: str, how: How | None = None) -> None:
        """Record a keyword that is not expressed; without `how`, a strict mode refuses it."""
        how = how or ("refused" if self.profile.closed else "loosened")
        self.losses.append(Loss(path=path, keyword=keyword, how=how))


class Subschema:
    """One schema: the `original`, and the copy (`schema`) that is rewritten in place.

    `notes` are lines to add to its description. `profile` has the rules that the result must keep,
    and `rewrite` is the function that rewrites an inner schema at a path.
    """

    __slots__ = ("context", "notes", "original", "path", "profile", "rewrite", "schema")

    def __init__(self, context: RewriteContext, original: JsonSchema, path: str) -> None:
        self.context, self.profile, self.rewrite = context, context.profile, context.rewrite
        self.original, self.schema, self.path = original, dict(original), path
        self.notes: list[str] = []

    def lose(self, keyword: str, how: How | None = None) -> None:
        """Record a keyword of this schema that the rendering does not express."""
        self.context.lose(self.path, keyword, how)

    def describe(self, keyword: str, value: JsonValue = None, how: How | None = None) -> None:
        """Remove a keyword and write it into the description instead, if it is short enough.

        With `loosened` it is not written.
        """
        value = self.schema.pop(keyword, value)
        text = json.dumps(value, ensure_ascii=False)
        is_useful = how != "loosened" and keyword not in _NOT_IN_DESCRIPTIONS
        short = is_useful and len(text) <= _LONGEST_NOTE
        if short:
            self.notes.append(f"@{keyword} {value if isinstance(value, str) else text}")
        self.lose(keyword, how or ("told" if short else "loosened"))

    def take_description(self) -> dict[str, JsonValue]:
        """Return the description with the notes as a keyword, `{}` if empty; clear the notes."""
        notes, self.notes = self.notes, []
        return described(self.schema.get("description"), *notes)

    def take_keywords(self, made: JsonSchema) -> None:
        """Add the keywords of a rewritten schema for the same value; both descriptions stay."""
        text = described(self.schema.get("description"), made.get("description"))
        self.schema = {**made, **self.schema, **text}

    def describe_unsupported(self) -> None:
        """Move every keyword that the profile does not accept into the description."""
        schema, profile = self.schema, self.profile
        name = schema.get("format")
        if isinstance(name, str) and profile.formats is not None and name not in profile.formats:
            self.describe("format")
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and not profile.takes_pattern(pattern):
            self.describe("pattern")
        least = schema.get("minItems")
        if isinstance(least, int) and least > (profile.most_min_items or least):
            self.describe("minItems")
        for keyword in [each for each in schema if each not in profile.keywords]:
            self.describe(keyword)
        schema |= self.take_description()


def described(*texts: JsonValue) -> dict[str, JsonValue]:
    """Return texts as the keyword `description`, `{}` if there is none."""
    lines = [text for text in texts if isinstance(text, str) and text]
    return {"description": "\n".join(lines)} if lines else {}

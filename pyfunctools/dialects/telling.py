"""What a rendering cannot say: told in a description, left out, or refused, and noted as a loss."""

import json
from dataclasses import dataclass
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.dialects.change import Change
from pyfunctools.dialects.loss import How, Loss
from pyfunctools.dialects.table import Profile

Rewritten = tuple[dict[str, JsonValue], Change]
"""A schema as the profile takes it, and what happens to its values."""

_TOLD: Final = 160
"""Characters of a value that is told in a description."""
_SILENT: Final = frozenset({"$defs", "properties", "deprecated", "contentSchema"})
"""Keywords that say nothing in a line of a description."""


@dataclass(slots=True)
class Rewrite:
    """A schema on its way: what it was, what it is becoming, and where it stands.

    `told` are lines for its description.
    """

    was: JsonSchema
    made: dict[str, JsonValue]
    path: str
    told: list[str]


class Telling:
    """Notes what a profile has no keyword for, and tells it in the description."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self.losses: list[Loss] = []

    def bounds(self, node: Rewrite) -> None:
        """Put into the description what the profile does not say, and write it."""
        made, profile = node.made, self._profile
        name = made.get("format")
        if isinstance(name, str) and profile.formats is not None and name not in profile.formats:
            self.tell(node, "format")
        pattern = made.get("pattern")
        if isinstance(pattern, str) and not profile.takes_pattern(pattern):
            self.tell(node, "pattern")
        least = made.get("minItems")
        if isinstance(least, int) and least > (profile.most_min_items or least):
            self.tell(node, "minItems")
        for keyword in [each for each in made if each not in profile.keywords]:
            self.tell(node, keyword)
        text = self.described(node)
        if text:
            made["description"] = text

    def tell(
        self, node: Rewrite, keyword: str, value: JsonValue = None, how: How | None = None
    ) -> None:
        """Leave a keyword out and say it in the description, if it is short enough."""
        value = node.made.pop(keyword, value)
        text = json.dumps(value, ensure_ascii=False)
        short = len(text) <= _TOLD and keyword not in _SILENT
        if short:
            node.told.append(f"@{keyword} {value if isinstance(value, str) else text}")
        self.lose(node, keyword, how or ("told" if short else "loosened"))

    def described(self, node: Rewrite) -> str:
        """Return the description of a schema with what is told, each thing once."""
        told, node.told = node.told, []
        written = node.made.get("description")
        return "\n".join([*([written] if isinstance(written, str) and written else []), *told])

    def lose(self, node: Rewrite, keyword: str, how: How) -> None:
        """Note that a keyword of this schema is not said."""
        self.lose_at(node.path, keyword, how)

    def lose_at(self, path: str, keyword: str, how: How) -> None:
        """Note that a keyword is not said at a place."""
        self.losses.append(Loss(path=path, keyword=keyword, how=how))

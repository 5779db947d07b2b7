"""`Loss`: a keyword that a vendor's schemas cannot express, and how it was handled."""

from dataclasses import dataclass
from typing import Literal

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

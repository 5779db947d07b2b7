"""`Loss`: what a vendor's schemas cannot say, and what became of it."""

from dataclasses import dataclass
from typing import Literal

How = Literal["told", "loosened", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A keyword that a rendering cannot say at a place, and what became of it.

    `told`: it stands in the description, as `@keyword value`. `loosened`: it is left out, and only
    our own check holds it. `refused`: a strict mode cannot say it, so the function is rendered
    without that mode. `path` is `$input.items[].name`, `[]` being any item and `.*` any other key.
    """

    path: str
    keyword: str
    how: How

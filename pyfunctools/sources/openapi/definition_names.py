"""What the definitions of a document are called in `$defs`."""

import re
from collections import Counter
from hashlib import blake2b
from urllib.parse import unquote, urlsplit

from pyfunctools.schema.ground.references import steps_of
from pyfunctools.sources.openapi.document import Document, Place, Resource

_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]", re.ASCII)
_STEP = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_HOMES = (["components", "schemas"], ["definitions"], ["schemas"])
_LENGTH = 64


class DefinedNames:
    """One name for each place that a reference leads to, of `[A-Za-z0-9._-]` and not too long.

    A schema of the document's own keeps its name, but for characters that will not do. Any other
    place is called by the steps that lead to it. What that does not tell apart ends in a hash.
    """

    def __init__(self, document: Document) -> None:
        self._main = document.main
        self._folder = document.main.uri.rpartition("/")[0] + "/"
        home = ["definitions"] if "swagger" in document.root else ["components", "schemas"]
        self._home = home
        place = document.main.at("/" + "/".join(home))
        schemas = place.value if place is not None else None
        self._own = Counter(map(_sound, schemas if isinstance(schemas, dict) else ()))
        self._exact = frozenset(name for name in self._own if _is_in(name, schemas))
        self._names: dict[tuple[Resource, str], str] = {}
        self._taken: set[str] = set()

    def of(self, place: Place) -> str:
        """Return the name of a place."""
        key = place.resource, place.pointer
        name = self._names.get(key)
        if name is None:
            name = self._new(place)
            if name in self._taken:
                name = _hashed(name, place)
            self._names[key] = name
            self._taken.add(name)
        return name

    def _new(self, place: Place) -> str:
        steps = [str(step) for step in steps_of("#" + place.pointer) or ()]
        if place.resource is self._main and steps[:-1] == self._home:
            name = _sound(steps[-1])
            alone = name == steps[-1] or (self._own[name] == 1 and name not in self._exact)
            return name if alone and len(name) <= _LENGTH else _hashed(name, place)
        if place.resource is self._main:
            steps = steps[len(self._home) :] if steps[: len(self._home)] == self._home else steps
        else:
            steps = [*self._folders(place.resource.uri), *_without_home(steps)]
        name = _sound(".".join(steps)) or "root"
        clear = len(name) <= _LENGTH and name not in self._own and all(map(_STEP.fullmatch, steps))
        return name if clear else _hashed(".".join(map(_sound, steps[-3:])), place)

    def _folders(self, uri: str) -> list[str]:
        inside = uri.startswith(self._folder) if self._main.uri else "://" not in uri
        path = uri.removeprefix(self._folder) if inside else urlsplit(uri).path.rpartition("/")[2]
        steps = unquote(path).rpartition(".")[0] or unquote(path)
        return _without_home(steps.split("/"))


def _without_home(steps: list[str]) -> list[str]:
    for home in _HOMES:
        if steps[: len(home)] == home and len(steps) > len(home):
            return steps[len(home) :]
    return steps


def _sound(text: str) -> str:
    return _OUTSIDE.sub("_", text)


def _hashed(name: str, place: Place) -> str:
    where = f"{place.resource.uri}#{place.pointer}".encode(errors="surrogatepass")
    return f"{name[-(_LENGTH - 9) :]}_{blake2b(where, digest_size=4).hexdigest()}"


def _is_in(name: str, schemas: object) -> bool:
    return isinstance(schemas, dict) and name in schemas

"""The names of the definitions of a document, which depend only on their places."""

import re
from collections import Counter
from hashlib import blake2b
from urllib.parse import unquote, urlsplit

from pyfunctools.schema.ground.references import steps_of
from pyfunctools.sources.openapi.document import Document, DocumentPlace, Resource

_INVALID = re.compile(r"[^A-Za-z0-9._-]", re.ASCII)
_CLEAR_STEP = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_HOMES = (["components", "schemas"], ["definitions"], ["schemas"])
_LENGTH = 64


class DefinitionNames:
    """Names for the targets of references: at most 64 characters of `[A-Za-z0-9._-]`.

    A named schema of the document keeps its name, invalid characters replaced. Any other target is
    named by the steps to it: `paths.teas.get` for example. A name that is taken gets a hash.
    """

    def __init__(self, document: Document) -> None:
        self._main = document.main
        self._folder = document.main.uri.rpartition("/")[0] + "/"
        home = "/definitions" if "swagger" in document.root else "/components/schemas"
        self.home = document.main.at(home) or DocumentPlace({}, home, document.main)
        schemas = self.home.fields
        self._own = Counter(map(_cleaned, schemas))
        self._exact = frozenset(name for name in self._own if name in schemas)
        self._names: dict[tuple[Resource, str], str] = {}
        self._taken: set[str] = set()

    def of(self, place: DocumentPlace) -> str:
        """Return the name of a place."""
        if place.key not in self._names:
            name = self._new(place)
            name = _hashed(name, place) if name in self._taken else name
            self._names[place.key] = name
            self._taken.add(name)
        return self._names[place.key]

    def _new(self, place: DocumentPlace) -> str:
        steps = [str(step) for step in steps_of("#" + place.pointer) or ()]
        is_main = place.resource is self._main
        if is_main and place.pointer.rpartition("/")[0] == self.home.pointer:
            name = _cleaned(steps[-1])
            alone = name == steps[-1] or (self._own[name] == 1 and name not in self._exact)
            return name if alone and len(name) <= _LENGTH else _hashed(name, place)
        if not is_main:
            steps = [*self._file_steps(place.resource.uri), *_without_home(steps)]
        elif place.pointer.startswith(f"{self.home.pointer}/"):
            steps = steps[self.home.pointer.count("/") :]
        name = _cleaned(".".join(steps)) or "root"
        is_clear = all(map(_CLEAR_STEP.fullmatch, steps)) and name not in self._own
        if is_clear and len(name) <= _LENGTH:
            return name
        return _hashed(".".join(map(_cleaned, steps[-3:])), place)

    def _file_steps(self, uri: str) -> list[str]:
        inside = uri.startswith(self._folder) if self._main.uri else "://" not in uri
        path = uri.removeprefix(self._folder) if inside else urlsplit(uri).path.rpartition("/")[2]
        steps = unquote(path).rpartition(".")[0] or unquote(path)
        return _without_home(steps.split("/"))


def _without_home(steps: list[str]) -> list[str]:
    for home in _HOMES:
        if steps[: len(home)] == home and len(steps) > len(home):
            return steps[len(home) :]
    return steps


def _cleaned(text: str) -> str:
    return _INVALID.sub("_", text)


def _hashed(name: str, place: DocumentPlace) -> str:
    where = f"{place.resource.uri}#{place.pointer}".encode(errors="surrogatepass")
    return f"{name[-(_LENGTH - 9) :]}_{blake2b(where, digest_size=4).hexdigest()}"

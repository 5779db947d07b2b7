"""A document and what it refers to: places in it, references followed, files of a directory."""

from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._text import shortened
from pyfunctools.errors import DocumentError
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.references import MAX_HOPS, find_target, steps_of
from pyfunctools.schema.ground.walk import children
from pyfunctools.schema.normalization.targets import sole_reference
from pyfunctools.sources.openapi.load import Loaded, load_content

DocumentResolver: TypeAlias = Callable[[str], JsonObject | str | bytes]
"""What gives another document, as an object or as text, for its address."""

_SCHEMAS = ("/components/schemas", "/definitions")


class Resource:
    """One document, or one schema in it that has an address of its own (`$id`).

    `uri` is what relative references in it are resolved against. `outer` is the document around an
    embedded schema.
    """

    __slots__ = ("_names", "outer", "root", "uri")

    def __init__(self, root: JsonObject, uri: str = "", outer: "Resource | None" = None) -> None:
        self.root = root
        self.uri = uri
        self.outer = outer
        self._names: dict[str, DocumentPlace] | None = None

    def at(self, pointer: str) -> "DocumentPlace | None":
        """Return the place at a JSON Pointer (RFC 6901, 6), `None` where nothing or null stands."""
        value = find_target(self.root, "#" + pointer)
        if "%" in pointer:
            pointer = pointer_of(steps_of("#" + pointer) or ())
        return None if value is None else DocumentPlace(value, pointer, self)

    def named(self, name: str) -> "DocumentPlace | None":
        """Return the schema with this `$anchor` (written `#name`) or this `$id` (an address)."""
        if self._names is None:
            self._names = dict(self._named())
        return self._names.get(name)

    def _named(self) -> Iterator[tuple[str, "DocumentPlace"]]:
        stack: list[tuple[JsonValue, str]] = [(self.root, "")]
        while stack:
            value, pointer = stack.pop()
            if isinstance(value, dict):
                for keyword in ("$anchor", "$dynamicAnchor"):
                    if isinstance(anchor := value.get(keyword), str):
                        yield "#" + anchor, DocumentPlace(value, pointer, self)
                address = address_of(value, self.uri)
                if address is not None:
                    is_this = value is self.root
                    inner = self if is_this else Resource(value, address, self)
                    yield address, DocumentPlace(value, "", inner)
                stack.extend((v, pointer + pointer_of((k,))) for k, v in value.items())
            elif isinstance(value, list):
                stack.extend((v, f"{pointer}/{i}") for i, v in enumerate(value))


class DocumentPlace(NamedTuple):
    """A value, and where it stands, so that what it refers to can be found."""

    value: JsonValue
    pointer: str
    resource: Resource

    @property
    def fields(self) -> JsonObject:
        """The members of an object; any other value has none."""
        return self.value if isinstance(self.value, dict) else {}

    def below(self, value: JsonValue, *keys: str | int) -> "DocumentPlace":
        """Return a value that stands below this one."""
        if len(keys) == 1 and "/" not in (key := str(keys[0])) and "~" not in key:
            return DocumentPlace(value, f"{self.pointer}/{key}", self.resource)
        return DocumentPlace(value, self.pointer + pointer_of(keys), self.resource)


def address_of(schema: JsonObject, base: str) -> str | None:
    """Return the absolute address a schema gives itself with `$id`, or `None`."""
    identifier = schema.get("$id")
    if not isinstance(identifier, str) or identifier.startswith("#"):
        return None
    return _joined(base, identifier)


class Document:
    """A document with everything it refers to.

    Every place that a reference leads to is looked up once. What lies in other documents is asked
    of `resolver` when it is first needed; without one, nothing outside is ever read.
    """

    def __init__(
        self,
        loaded: Loaded,
        resolver: DocumentResolver | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.name = loaded.name
        self.root = loaded.root
        self.limits = limits
        self.main = Resource(loaded.root, loaded.uri)
        self._resolver = resolver
        # `$self` (3.2) is one more address of the document. Relative references are still looked
        # for beside the file it came from, which is where they are if they are anywhere.
        own = loaded.root.get("$self")
        self._self = (_joined(loaded.uri, own) if isinstance(own, str) else None) or loaded.uri
        self._resources = {loaded.uri: self.main, self._self: self.main}
        self._targets: dict[tuple[Resource, str], DocumentPlace] = {}
        self._ends: dict[tuple[Resource, str], DocumentPlace] = {}
        self._unreached: dict[str, str] = {}

    def target(self, reference: str, resource: Resource) -> DocumentPlace:
        """Return the place that a reference in this resource names.

        Raises:
            DocumentError: nothing is there, or it is in a document that cannot be had.
        """
        place = self._targets.get((resource, reference))
        if place is None:
            place = self._targets[resource, reference] = self._find(reference, resource)
        return place

    def end(self, reference: str, resource: Resource) -> DocumentPlace:
        """Return the place where a reference leads in the end: not a mere reference itself.

        Raises:
            DocumentError: it leads nowhere, or in a circle.
        """
        place = self._ends.get((resource, reference))
        if place is None:
            place = self._ends[resource, reference] = self._chase(reference, resource)
        return place

    def follow(self, place: DocumentPlace) -> DocumentPlace:
        """Return the place itself, or where the `$ref` in it leads in the end.

        Raises:
            DocumentError: it leads nowhere, or in a circle.
        """
        value = place.value
        if isinstance(value, dict) and isinstance(reference := value.get("$ref"), str):
            return self.end(reference, place.resource)
        return place

    def schema_named(self, name: str) -> DocumentPlace | None:
        """Return the schema that the document defines under this name, or `None`."""
        for schemas in _SCHEMAS:
            home = self.main.at(schemas)
            if home is not None and isinstance(home.value, dict) and name in home.value:
                return home.below(home.value[name], name)
        return None

    def scope(self, schema: JsonObject, resource: Resource) -> Resource:
        """Return the base of the references in a schema: itself if it has an `$id`."""
        if "$id" not in schema or schema is resource.root:
            return resource
        address = address_of(schema, resource.uri)
        named = None if address is None else resource.named(address)
        if named is None or named.value is not schema:
            return resource
        return named.resource

    def is_local(self, reference: str) -> bool:
        """Return whether a reference in the main document stays inside it."""
        return reference.startswith("#") or any(
            _joined(base, reference) in self._resources for base in (self.main.uri, self._self)
        )

    def _chase(self, reference: str, resource: Resource) -> DocumentPlace:
        seen: set[tuple[Resource, str]] = set()
        place = self.target(reference, resource)
        while isinstance(place.value, dict):
            following = place.value.get("$ref")
            if not isinstance(following, str):
                break
            if (place.resource, place.pointer) in seen or len(seen) >= MAX_HOPS:
                raise self._refused(f"The reference {_shown(reference)} leads in a circle.")
            seen.add((place.resource, place.pointer))
            place = self.target(following, place.resource)
        return place

    def _find(self, reference: str, resource: Resource) -> DocumentPlace:
        if reference.startswith("#"):
            place = _within(reference, resource)
        else:
            place = self._elsewhere(reference, resource)
        if place is None:
            raise self._refused(f"The reference {_shown(reference)} leads nowhere.")
        return place

    def _elsewhere(self, reference: str, resource: Resource) -> DocumentPlace | None:
        address = _joined(resource.uri, reference)
        if address is None:
            raise self._refused(f"The reference {_shown(reference)} is not an address.")
        known = self._resources.get(address)
        if known is None and resource is self.main:
            known = self._resources.get(_joined(self._self, reference) or address)
        if known is None:
            embedded = resource.named(address) or self.main.named(address)
            if embedded is not None:
                known = self._resources[address] = embedded.resource
        if known is None:
            # A bare name for a schema, which Swagger 1.2 wrote and some writers never unlearned.
            named = self.schema_named(reference)
            if named is not None:
                return named
            known = self._resources[address] = self._fetched(address, reference)
        return _within("#" + reference.partition("#")[2], known)

    def _fetched(self, address: str, reference: str) -> Resource:
        if self._resolver is None:
            raise DocumentError(
                self.name,
                f"The reference {_shown(reference)} leads to another document.",
                remedy="Pass a `resolver`; `files_under(directory)` reads files in a directory.",
            )
        if address in self._unreached:  # it is asked for an address once
            raise self._refused(self._unreached[address])
        try:
            answer = self._resolver(address)
        except DocumentError:
            raise
        except Exception as error:  # a resolver of the caller's may raise anything
            reason = (
                f"The resolver gave nothing for {_shown(address)}: {type(error).__name__}: {error}."
            )
            self._unreached[address] = reason
            raise self._refused(reason) from error
        loaded = load_content(answer, address, address, self.limits)
        return Resource(loaded.root, address)

    def _refused(self, reason: str) -> DocumentError:
        return DocumentError(self.name, reason)


def _within(reference: str, resource: Resource) -> DocumentPlace | None:
    scope: Resource | None = resource
    while scope is not None:
        pointed = reference in ("", "#") or reference.startswith("#/")
        place = scope.at(reference[1:]) if pointed else scope.named(reference)
        if place is not None:
            return place
        scope = scope.outer
    return None


def _joined(base: str, reference: str) -> str | None:
    """Return the address of a reference without its fragment, or `None`."""
    try:
        address = urldefrag(urljoin(base, reference)).url
    except ValueError:
        return None
    # A base without a scheme leaves dot segments as they are.
    return normpath(address) if address.startswith(".") else address or None


def _shown(reference: str) -> str:
    return repr(shortened(reference, 200))


def files_under(root: str | PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> DocumentResolver:
    """Return a resolver that reads files below a directory, and nothing else.

    Where the document came from a file, its references are relative to that file; else they are
    relative to `root`. Links are followed first: what they lead to has to be below `root` as well.

    Raises:
        DocumentError: `root` is not a directory.
    """
    home = Path(root).resolve()
    if not home.is_dir():
        raise DocumentError(str(root), "This is not a directory to read references from.")

    def resolver(uri: str) -> bytes:
        parts = urlsplit(uri)
        if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
            raise DocumentError(uri, "This is not a file, and only files are read.")
        try:
            path = (home / unquote(parts.path)).resolve()
            if not path.is_relative_to(home):
                raise DocumentError(uri, f"This file is outside {home}.")
            with path.open("rb") as file:
                return file.read(limits.document + 1)  # one more shows that it is too large
        except (OSError, ValueError, RuntimeError) as error:
            raise DocumentError(uri, f"This file cannot be read: {error}.") from error

    return resolver


_Key: TypeAlias = tuple[Resource, str]
"""A reference, and what it is resolved in."""


class Reach:
    """The references that the schemas of one document lead to.

    As a rule every reference in a document leads somewhere inside it. Then nothing can be wrong
    with any operation, and none is looked into.
    """

    def __init__(self, document: Document, references: Iterable[str]) -> None:
        self._document = document
        self._sound: set[_Key] = set()
        self._broken: dict[_Key, str] = {}
        self.all_well = all(map(self._leads_inside, references))

    def problem(self, place: DocumentPlace) -> str | None:
        """Return why the schema at this place cannot be built, or `None` where it can."""
        if self.all_well:
            return None
        # Each reference that is open, with those of its target that are still to be looked at.
        path: list[tuple[_Key, Iterator[_Key]]] = []
        passed: set[_Key] = set()
        todo = self._references(place)
        while True:
            for key in todo:
                if key in self._sound or key in passed:
                    continue
                reason = self._broken.get(key)
                if reason is None:
                    target = self._target(key)
                    if isinstance(target, DocumentPlace):
                        passed.add(key)
                        path.append((key, todo))
                        todo = self._references(target)
                        break
                    reason = target
                self._broken.update((broken, reason) for broken, _ in path)
                self._broken[key] = reason
                return reason
            else:
                if not path:
                    self._sound |= passed
                    return None
                _, todo = path.pop()

    def _leads_inside(self, reference: str) -> bool:
        value: JsonValue = self._document.root
        for step in reference.split("/"):
            if step != "#":
                value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, dict) and "$ref" not in value and "allOf" not in value:
            return True  # so simple, nearly always
        if not self._document.is_local(reference):
            return False
        return isinstance(self._target((self._document.main, reference)), DocumentPlace)

    def _target(self, key: _Key) -> DocumentPlace | str:
        """Return the target of a reference, or the reason why there is none."""
        resource, reference = key
        try:
            place = target = self._document.target(reference, resource)
            for _ in range(MAX_HOPS):
                if not isinstance(place.value, dict | bool):
                    return f"The reference {reference[:200]!r} does not lead to a schema."
                following = _next(place.value)
                if following is None:
                    return target
                place = self._document.target(following, place.resource)
        except DocumentError as error:
            return error.reason
        return f"The reference {reference[:200]!r} leads in a circle."

    def _references(self, place: DocumentPlace) -> Iterator[_Key]:
        stack: list[tuple[JsonSchema | bool, Resource]] = []
        if isinstance(place.value, dict | bool):
            stack.append((place.value, place.resource))
        while stack:
            schema, resource = stack.pop()
            if isinstance(schema, bool):
                continue
            resource = self._document.scope(schema, resource)
            reference = schema.get("$ref")
            if isinstance(reference, str):
                yield resource, reference
            stack.extend((inner, resource) for _, inner in children(schema))


def _next(schema: JsonSchema | bool) -> str | None:
    if isinstance(schema, bool):
        return None
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return reference
    return sole_reference(schema) if "allOf" in schema else None

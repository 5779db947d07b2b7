"""A document: its places, its references, and the other documents that it refers to."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from os import PathLike
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from pyfunctools._json import JsonObject, JsonValue, members_of, text_of
from pyfunctools._text import shortened
from pyfunctools.errors import DocumentError
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.references import MAX_HOPS, find_target, steps_of
from pyfunctools.schema.normalization.targets import sole_reference
from pyfunctools.schema.vocabulary import ANCHORS
from pyfunctools.sources.openapi.load import Loaded, load_content

DocumentResolver: TypeAlias = Callable[[str], JsonObject | str | bytes]
"""Returns another document, as an object, text or bytes, for its address."""

_SCHEMAS = ("/components/schemas", "/definitions")
_EXAMPLES = "/components/examples/"


class Resource:
    """One document, or one schema in a document that has its own address (`$id`).

    `uri` is the base of its relative references, `outer` the document around an embedded schema.
    """

    __slots__ = ("_names", "outer", "root", "uri")

    def __init__(self, root: JsonObject, uri: str = "", outer: "Resource | None" = None) -> None:
        self.root = root
        self.uri = uri
        self.outer = outer
        self._names: dict[str, DocumentPlace] | None = None

    def at(self, pointer: str) -> "DocumentPlace | None":
        """Return the place at a JSON Pointer (RFC 6901, 6), `None` if it is missing or null."""
        value = find_target(self.root, "#" + pointer)
        if "%" in pointer:
            pointer = pointer_of(steps_of("#" + pointer) or ())
        return None if value is None else DocumentPlace(value, pointer, self)

    def named(self, name: str) -> "DocumentPlace | None":
        """Return the schema with this `$anchor` (written `#name`) or this `$id` (an address)."""
        if self._names is None:
            self._names = dict(self._named_schemas())
        return self._names.get(name)

    def _named_schemas(self) -> Iterator[tuple[str, "DocumentPlace"]]:
        stack: list[tuple[JsonValue, str]] = [(self.root, "")]
        while stack:
            value, pointer = stack.pop()
            if isinstance(value, dict):
                for keyword in ANCHORS:
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
    """A value with its place, from which its references are resolved."""

    value: JsonValue
    pointer: str
    resource: Resource

    @property
    def fields(self) -> JsonObject:
        """The members of an object, or `{}` for any other value."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def key(self) -> "tuple[Resource, str]":
        """The place without its value, which is hashable."""
        return self.resource, self.pointer

    def below(self, value: JsonValue, *keys: str | int) -> "DocumentPlace":
        """Return the place of a value at these keys below this place."""
        if len(keys) == 1 and "/" not in (key := str(keys[0])) and "~" not in key:
            return DocumentPlace(value, f"{self.pointer}/{key}", self.resource)  # much faster
        return DocumentPlace(value, self.pointer + pointer_of(keys), self.resource)


def address_of(schema: JsonObject, base: str) -> str | None:
    """Return the absolute address of a schema's `$id`, or `None` without one."""
    identifier = schema.get("$id")
    if not isinstance(identifier, str) or identifier.startswith("#"):
        return None
    return _joined(base, identifier)


class Document:
    """A document, and the targets of its references, each looked up once.

    Other documents are read through `resolver` when they are first needed; without a resolver,
    never.
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
        self.may_have_hidden, self.is_checked = loaded.may_have_hidden, loaded.is_checked
        self.main = Resource(loaded.root, loaded.uri)
        self._resolver = resolver
        # `$self` (3.2) is a second address of the document. Relative references are still resolved
        # against the address of its file, because other files are stored beside it.
        self._self = _joined(loaded.uri, text_of(loaded.root.get("$self"))) or loaded.uri
        self._resources = {loaded.uri: self.main, self._self: self.main}
        self._targets: dict[tuple[Resource, str], DocumentPlace] = {}
        self._failures: dict[str, str] = {}

    def target(self, reference: str, resource: Resource) -> DocumentPlace:
        """Return the place that a reference in this resource leads to."""
        place = self._targets.get((resource, reference))
        if place is None:
            place = self._targets[resource, reference] = self._resolved(reference, resource)
        return place

    def end(self, reference: str, resource: Resource) -> DocumentPlace:
        """Return the place at the end of a chain of references, which is not a reference itself."""
        return self.follow(DocumentPlace({"$ref": reference}, "", resource))

    def follow(self, place: DocumentPlace) -> DocumentPlace:
        """Return the place, or the end of the chain of references if it has a `$ref`."""
        end = place
        for _ in range(MAX_HOPS + 2):
            following = end.fields.get("$ref")
            if not isinstance(following, str):
                return end
            end = self.target(following, end.resource)
        first = str(place.fields["$ref"])
        raise self._error(f"The reference {_preview(first)} leads in a circle.")

    def example(self, place: DocumentPlace, depth: int = 16) -> JsonValue:
        """Return an example with its references, those inside it too, replaced by their targets."""
        value = place.value
        if isinstance(value, list):
            return [self.example(place._replace(value=item), depth) for item in value]
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("$ref"), str):
            if not depth:
                raise self._error("An example leads in a circle.")
            target = self.follow(place)
            held = target.fields.get("dataValue", target.fields.get("value", target.value))
            in_components = target.pointer.startswith(_EXAMPLES)
            return self.example(target._replace(value=held) if in_components else target, depth - 1)
        below = {key: self.example(place._replace(value=v), depth) for key, v in value.items()}
        return value if below == value else below

    def examples(self, place: DocumentPlace) -> Iterator[JsonValue]:
        """Yield the `example` and the `examples` of an object; those without a target are left out.

        A list of `examples` (JSON Schema) is not read.
        """
        if "example" in place.fields:
            with suppress(DocumentError):
                yield self.example(place.below(place.fields["example"], "example"))
        for example in members_of(place.fields.get("examples")).values():
            with suppress(DocumentError):
                found = self.follow(place.below(example, "examples"))
                if not found.fields.keys().isdisjoint(("value", "dataValue")):
                    value = found.fields.get("dataValue", found.fields.get("value"))
                    yield self.example(found._replace(value=value))

    def schema_named(self, name: str) -> DocumentPlace | None:
        """Return the schema that the document defines under this name, or `None`."""
        for schemas in _SCHEMAS:
            home = self.main.at(schemas)
            if home is not None and name in home.fields:
                return home.below(home.fields[name], name)
        return None

    def scope(self, schema: JsonObject, resource: Resource) -> Resource:
        """Return the resource for the references in a schema: its own if it has an `$id`."""
        if "$id" not in schema or schema is resource.root:
            return resource
        named = resource.named(address_of(schema, resource.uri) or "")
        return named.resource if named is not None and named.value is schema else resource

    def has_schema_at(self, reference: str) -> bool:
        """Return whether a reference in the main document leads to a schema inside of it.

        In nearly every document all references do, and then no schema has to be made to see it.
        """
        value: JsonValue = self.root
        for step in reference.split("/"):
            if step != "#":
                value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, dict) and "$ref" not in value and "allOf" not in value:
            return True  # a quick test that nearly always succeeds
        with suppress(DocumentError):
            if reference.startswith("#"):
                place = self.end(reference, self.main)
                self.check_chain(place)
                return isinstance(place.value, (dict, bool))
        return False

    def check_chain(self, place: DocumentPlace) -> None:
        """Raise a `DocumentError` if a schema is only a reference, to one that is, and so on."""
        for _ in range(MAX_HOPS):
            if (following := sole_reference(place.fields)) is None:
                return
            place = self.target(following, place.resource)
        raise self._error("The references lead in a circle: they form a cycle.")

    def _resolved(self, reference: str, resource: Resource) -> DocumentPlace:
        find = _within if reference.startswith("#") else self._elsewhere
        if (place := find(reference, resource)) is None:
            raise self._error(f"The reference {_preview(reference)} leads nowhere.")
        return place

    def _elsewhere(self, reference: str, resource: Resource) -> DocumentPlace | None:
        address = _joined(resource.uri, reference)
        if address is None:
            raise self._error(f"The reference {_preview(reference)} is not an address.")
        known = self._resources.get(address)
        if known is None and resource is self.main:
            known = self._resources.get(_joined(self._self, reference) or address)
        if known is None and (found := resource.named(address) or self.main.named(address)):
            known = self._resources[address] = found.resource
        if known is None:
            # The bare name of a schema, as in Swagger 1.2 and in some later documents.
            if (named := self.schema_named(reference)) is not None:
                return named
            known = self._resources[address] = self._fetched(address, reference)
        return _within("#" + reference.partition("#")[2], known)

    def _fetched(self, address: str, reference: str) -> Resource:
        if self._resolver is None:
            remedy = "Pass a `resolver`; `files_under(directory)` reads files in a directory."
            reason = f"The reference {_preview(reference)} leads to another document."
            raise DocumentError(self.name, reason, remedy=remedy)
        if address in self._failures:  # the resolver is called once for each address
            raise self._error(self._failures[address])
        try:
            content = self._resolver(address)
        except DocumentError:
            raise
        except Exception as error:  # the caller's resolver may raise anything
            reason = f"The resolver raised {type(error).__name__} for {_preview(address)}: {error}."
            self._failures[address] = reason
            raise self._error(reason) from error
        loaded = load_content(content, address, address, self.limits)
        self.may_have_hidden = self.may_have_hidden or loaded.may_have_hidden
        self.is_checked = self.is_checked and loaded.is_checked
        return Resource(loaded.root, address)

    def _error(self, reason: str) -> DocumentError:
        return DocumentError(self.name, reason)


def _within(reference: str, resource: Resource) -> DocumentPlace | None:
    scope: Resource | None = resource
    while scope is not None:
        is_pointer = reference in ("", "#") or reference.startswith("#/")
        place = scope.at(reference[1:]) if is_pointer else scope.named(reference)
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
    # `urljoin` keeps the dot segments of a base without a scheme.
    return normpath(address) if address.startswith(".") else address or None


def _preview(reference: str) -> str:
    return repr(shortened(reference, 200))


def files_under(root: str | PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> DocumentResolver:
    """Return a resolver that reads only files below a directory.

    References are relative to the file of the document, or to `root` if the document has no file.
    Symbolic links are resolved first: their targets have to be below `root` as well.

    Raises:
        DocumentError: `root` is not a directory.
    """
    home = Path(root).resolve()
    if not home.is_dir():
        raise DocumentError(str(root), "This is not a directory to read references from.")

    def resolver(uri: str) -> bytes:
        parts = urlsplit(uri)
        if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
            raise DocumentError(uri, "This is not the address of a file, and only files are read.")
        try:
            path = (home / unquote(parts.path)).resolve()
            if not path.is_relative_to(home):
                raise DocumentError(uri, f"This file is outside {home}.")
            with path.open("rb") as file:
                return file.read(limits.document + 1)  # one byte more shows that it is too large
        except (OSError, ValueError, RuntimeError) as error:
            raise DocumentError(uri, f"This file cannot be read: {error}.") from error

    return resolver

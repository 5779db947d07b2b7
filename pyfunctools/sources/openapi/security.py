"""Who may call: the security schemes of a document and what an operation requires of them."""

from collections.abc import Mapping

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.route import Parameter, Requirement, SecurityScheme
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.document import Document, DocumentPlace


class Security:
    """The schemes of one document, and the requirements of its operations."""

    def __init__(self, document: Document) -> None:
        self.schemes = _schemes(document)
        self._guarded = {
            (scheme.location, _spelled(scheme.location, scheme.parameter)): name
            for name, scheme in self.schemes.items()
            if scheme.location is not None and scheme.parameter is not None
        }
        self._main = _requirements(document.root.get("security"))

    def guards(self, parameter: Parameter) -> str | None:
        """Return the name of the scheme whose secret this parameter carries, or `None`."""
        location = parameter.location
        return self._guarded.get((location, _spelled(location, parameter.name)))

    def of(self, operation: JsonObject) -> tuple[Requirement, ...]:
        """Return the alternatives, of which one has to be met: the operation's, or the
        document's.
        """
        return _requirements(operation["security"]) if "security" in operation else self._main

    def named(self, requirements: tuple[Requirement, ...]) -> Mapping[str, SecurityScheme]:
        """Return the schemes that these requirements name, as far as the document has them."""
        names = {name for requirement in requirements for name in requirement.schemes}
        return {name: scheme for name, scheme in self.schemes.items() if name in names}


def _requirements(security: JsonValue) -> tuple[Requirement, ...]:
    if not isinstance(security, list | dict) or not security:
        return ()
    # An object is one alternative whose list was forgotten.
    entries = [security] if isinstance(security, dict) else security
    return tuple(
        Requirement(schemes={name: _scopes(scopes) for name, scopes in entry.items()})
        for entry in entries
        if isinstance(entry, dict)
    )


def requiring(
    requirements: tuple[Requirement, ...], schemes: Mapping[str, bool]
) -> tuple[Requirement, ...]:
    """Return the requirements with more schemes, each once.

    A scheme for which `schemes` says true joins every alternative, any other is one of its own.
    """
    known = {name for requirement in requirements for name in requirement.schemes}
    new = {name: always for name, always in schemes.items() if name not in known}
    joined = {name: () for name, always in new.items() if always}
    result = [Requirement(schemes={**r.schemes, **joined}) for r in requirements]
    if not requirements:
        result.append(Requirement(schemes=joined))
    result += [Requirement(schemes={name: ()}) for name, always in new.items() if not always]
    return tuple(result) if new else requirements


def _schemes(document: Document) -> Mapping[str, SecurityScheme]:
    components = document.root.get("components")
    found = components.get("securitySchemes") if isinstance(components, dict) else None
    pointer = "/components/securitySchemes"
    if not isinstance(found, dict):
        found, pointer = document.root.get("securityDefinitions"), "/securityDefinitions"
    schemes: dict[str, SecurityScheme] = {}
    for name, value in found.items() if isinstance(found, dict) else ():
        try:
            place = document.follow(
                DocumentPlace(value, pointer + pointer_of((name,)), document.main)
            )
        except DocumentError:  # a requirement of it stays, with a name that means nothing
            continue
        if isinstance(place.value, dict):
            schemes[name] = _scheme(name, swagger.security_scheme(place.value))
    return schemes


def _scheme(name: str, raw: JsonObject) -> SecurityScheme:
    kind, scheme = raw.get("type"), raw.get("scheme")
    location, parameter = raw.get("in"), raw.get("name")
    is_key = kind == "apiKey"
    return SecurityScheme(
        name=name,
        type=kind if isinstance(kind, str) else "",
        scheme=scheme.lower() if kind == "http" and isinstance(scheme, str) else None,
        location=location if is_key and location in ("query", "header", "cookie") else None,
        parameter=parameter if is_key and isinstance(parameter, str) else None,
    )


def _scopes(scopes: JsonValue) -> tuple[str, ...]:
    return tuple(s for s in scopes if isinstance(s, str)) if isinstance(scopes, list) else ()


def _spelled(location: str | None, name: str) -> str:
    return name.lower() if location == "header" else name

"""The security schemes of a document, and the requirements of its operations."""

from collections.abc import Mapping

from pyfunctools._json import JsonObject, JsonValue, items_of, members_of, text_of
from pyfunctools.errors import DocumentError
from pyfunctools.route import Location, Parameter, Requirement, SecurityScheme
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.document import Document, DocumentPlace


class Security:
    """The schemes of one document, and the requirements of its operations."""

    def __init__(self, document: Document) -> None:
        self.schemes = _schemes(document)
        self._by_parameter: dict[tuple[Location, str], str] = {
            override_key(scheme.parameter, scheme.location): name
            for name, scheme in self.schemes.items()
            if scheme.location is not None and scheme.parameter is not None
        }
        self._main = _requirements(document.root.get("security"))

    def guards(self, parameter: Parameter) -> str | None:
        """Return the name of the scheme whose secret this parameter carries, or `None`."""
        return self._by_parameter.get(override_key(parameter.name, parameter.location))

    def of(self, operation: JsonObject) -> tuple[Requirement, ...]:
        """Return the requirements of an operation, else of the document; one has to be met."""
        return _requirements(operation["security"]) if "security" in operation else self._main

    def named(self, requirements: tuple[Requirement, ...]) -> Mapping[str, SecurityScheme]:
        """Return the schemes that these requirements name; unknown ones are left out."""
        names = {name for requirement in requirements for name in requirement.schemes}
        return {name: scheme for name, scheme in self.schemes.items() if name in names}


def _requirements(security: JsonValue) -> tuple[Requirement, ...]:
    if not isinstance(security, list | dict) or not security:
        return ()
    # An object is one requirement that should have been in a list.
    entries = [security] if isinstance(security, dict) else security
    return tuple(
        Requirement(schemes={name: _scopes(scopes) for name, scopes in entry.items()})
        for entry in entries
        if isinstance(entry, dict)
    )


def requiring(
    requirements: tuple[Requirement, ...], schemes: Mapping[str, bool]
) -> tuple[Requirement, ...]:
    """Return the requirements with further schemes, each once.

    A scheme whose value in `schemes` is true is added to every requirement; any other becomes a
    requirement of its own.
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
    found = members_of(document.root.get("components")).get("securitySchemes")
    pointer = "/components/securitySchemes"
    if not isinstance(found, dict):
        found, pointer = document.root.get("securityDefinitions"), "/securityDefinitions"
    home = DocumentPlace(found, pointer, document.main)
    schemes: dict[str, SecurityScheme] = {}
    for name, value in home.fields.items():
        try:
            place = document.follow(home.below(value, name))
        except DocumentError:  # requirements keep the name of a missing scheme
            continue
        if isinstance(place.value, dict):
            schemes[name] = _scheme(name, swagger.security_scheme(place.value))
    return schemes


def _scheme(name: str, raw: JsonObject) -> SecurityScheme:
    kind, scheme = raw.get("type"), raw.get("scheme")
    location, parameter = raw.get("in"), raw.get("name")
    is_key = kind == "apiKey"
    flows = members_of(raw.get("flows") if kind == "oauth2" else None)
    return SecurityScheme(
        name=name,
        type=text_of(kind),
        scheme=scheme.lower() if kind == "http" and isinstance(scheme, str) else None,
        location=location if is_key and location in ("query", "header", "cookie") else None,
        parameter=parameter if is_key and isinstance(parameter, str) else None,
        flows={
            flow: {key: url for key, url in members_of(each).items() if isinstance(url, str)}
            for flow, each in flows.items()
        },
    )


def _scopes(scopes: JsonValue) -> tuple[str, ...]:
    return tuple(scope for scope in items_of(scopes) if isinstance(scope, str))


def override_key(name: str, location: Location) -> tuple[Location, str]:
    """Return the key that a parameter shares with one it overrides; header names ignore case."""
    return location, name.lower() if location == "header" else name

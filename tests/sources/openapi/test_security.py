"""Security schemes and requirements."""

from typing import Any

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.route import Parameter, SecurityScheme
from pyfunctools.sources.openapi.document import Document
from pyfunctools.sources.openapi.load import Loaded
from pyfunctools.sources.openapi.operation_parameters import Security, requiring


def security(schemes: JsonValue, **more: JsonValue) -> Security:
    root: JsonObject = {"components": {"securitySchemes": schemes}, **more}
    return Security(Document(Loaded(root=root, name="a.json")))


KEY: JsonObject = {"type": "apiKey", "in": "header", "name": "X-Key"}
IN_HEADER = {"location": "header", "parameter": "X-Key"}


@pytest.mark.parametrize(
    ("raw", "sent"),
    [
        (KEY, {"type": "apiKey", **IN_HEADER}),
        ({**KEY, "in": "query"}, {"type": "apiKey", "location": "query", "parameter": "X-Key"}),
        ({**KEY, "in": "amongus"}, {"type": "apiKey", "parameter": "X-Key"}),
        ({"type": "http", "scheme": "Bearer"}, {"type": "http", "scheme": "bearer"}),
        ({**KEY, "in": "Header"}, {"type": "apiKey", **IN_HEADER}),
        ({"type": "http", "scheme": "GenieKey"}, {"type": "http", "scheme": "GenieKey"}),
        ({"type": "http"}, {"type": "http"}),
        ({"type": "basic"}, {"type": "http", "scheme": "basic"}),
        ({"type": "oauth2", "flows": None}, {"type": "oauth2"}),
        ({"type": "openIdConnect", "openIdConnectUrl": "x"}, {"type": "openIdConnect"}),
        ({"type": "mutualTLS"}, {"type": "mutualTLS"}),
        ({"type": 7, "in": 8, "name": 9, "scheme": 1}, {"type": ""}),
        ({"$ref": "#/x-key"}, {"type": "apiKey", **IN_HEADER}),
    ],
)
def test_a_security_scheme_has_the_fields_that_are_sent(
    raw: JsonObject, sent: dict[str, Any]
) -> None:
    found = security({"s": raw}, **{"x-key": KEY}).schemes
    assert found == {"s": SecurityScheme(name="s", **sent)}


@pytest.mark.parametrize("schemes", [None, 7, [], {"s": 7}, {"s": {"$ref": "#/none"}}])
def test_invalid_security_schemes_are_ignored(schemes: JsonValue) -> None:
    assert security(schemes).schemes == {}


def test_swagger_schemes_are_under_security_definitions() -> None:
    root: JsonObject = {"securityDefinitions": {"s": {"type": "basic"}}}
    found = Security(Document(Loaded(root=root, name="a.json")))
    assert found.schemes["s"].scheme == "basic"


def test_an_operation_has_its_own_requirements_or_those_of_the_document() -> None:
    found = security({}, security=[{"a": ["read", 7], "b": None}, {}, 7])
    document = ({"a": ("read",), "b": ()}, {})
    assert found.of({}) == document
    assert found.of({"security": []}) == ()
    assert found.of({"security": None}) == ()
    assert found.of({"security": {"c": []}}) == ({"c": ()},)
    assert found.of({"security": [{"c": []}]}) == ({"c": ()},)


def test_only_the_required_schemes_are_returned() -> None:
    found = security({"a": KEY, "b": KEY})
    assert list(found.named(({"a": (), "lost": ()},))) == ["a"]


@pytest.mark.parametrize(
    ("location", "name", "guard"),
    [
        ("header", "x-key", "a"),
        ("header", "X-KEY", "a"),
        ("query", "X-Key", None),
        ("query", "key", "b"),
        ("query", "KEY", None),
        ("path", "key", None),
    ],
)
def test_a_parameter_with_the_secret_of_a_scheme_is_recognized(
    location: str, name: str, guard: str | None
) -> None:
    found = security({"a": KEY, "b": {"type": "apiKey", "in": "query", "name": "key"}})
    parameter = Parameter(name=name, location=location, argument=(name,))  # pyright: ignore[reportArgumentType]
    assert found.guards(parameter) == guard


def test_a_scheme_is_added_to_requirements_without_it() -> None:
    a, b, none = (s for s in ({"a": ()}, {"b": ("x",)}, {}))
    assert requiring((), {"a": True}) == (a,)
    assert requiring((), {"a": False}) == (none, a)
    assert requiring((a, b), {"a": True}) == (a, b)
    assert requiring((b,), {"a": False}) == (b, a)
    both = {"b": ("x",), "a": ()}
    assert requiring((b, none), {"a": True}) == (both, a)
    assert requiring((), {"a": True, "c": False}) == (a, {"c": ()})
    assert requiring((a,), {}) == (a,)

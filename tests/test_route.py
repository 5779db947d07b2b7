"""`Route`: one HTTP operation as frozen data."""

from dataclasses import FrozenInstanceError

import pytest

from pyfunctools import Route
from pyfunctools.route import Body, Parameter, SecurityScheme, Server


def test_a_route_needs_only_a_method_and_a_path() -> None:
    route = Route(method="GET", path="/teas/{id}")
    assert (route.parameters, route.body, route.servers) == ((), None, ())
    assert dict(route.operation) == {}


def test_a_route_is_frozen_and_equal_by_its_fields() -> None:
    def make() -> Route:
        return Route(
            method="POST",
            path="/orders",
            parameters=(Parameter(name="q", location="query", argument=("query", "q")),),
            body=Body(content_type="application/json", required=True),
            responses={"2XX": ("application/json",)},
            schemes={"key": SecurityScheme(name="key", type="apiKey", location="header")},
            servers=(Server(url="https://{host}", variables={"host": "a"}),),
        )

    assert make() == make()
    with pytest.raises(FrozenInstanceError):
        make().path = "/"  # type: ignore[misc]

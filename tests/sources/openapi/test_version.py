"""Which specification a document follows."""

import pytest

from pyfunctools._json import JsonObject
from pyfunctools.errors import DocumentError
from pyfunctools.sources.openapi.load import version_of


@pytest.mark.parametrize(
    ("root", "version"),
    [
        ({"openapi": "3.0.0"}, "3.0.0"),
        ({"openapi": "3.0.4"}, "3.0.4"),
        ({"openapi": "3.1.1"}, "3.1.1"),
        ({"openapi": "3.2.0"}, "3.2.0"),
        ({"openapi": "3.0"}, "3.0"),
        ({"openapi": 3.1}, "3.1"),
        ({"openapi": "3.0.0-rc1"}, "3.0.0-rc1"),
        ({"openapi": " 3.0.3 "}, "3.0.3"),
        ({"swagger": "2.0"}, "2.0"),
        ({"swagger": 2.0}, "2.0"),
        ({"openapi": "3.1.0", "swagger": "1.2"}, "3.1.0"),
    ],
)
def test_a_version_that_is_read(root: JsonObject, version: str) -> None:
    assert version_of(root, "x") == version


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        ({"swagger": "1.2"}, "This follows version '1.2' of swagger."),
        ({"swaggerVersion": "1.2"}, "This is Swagger '1.2'."),
        ({"openapi": "3.3.0"}, "This follows version '3.3.0' of openapi."),
        ({"openapi": "4.0.0"}, "What is read are Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2."),
        ({"openapi": "2.0"}, "This follows version '2.0' of openapi."),
        ({"openapi": "3.1.0x"}, "This follows version '3.1.0x' of openapi."),
        ({"swagger": "3.0.0"}, "This follows version '3.0.0' of swagger."),
        ({"openapi": 3}, "`openapi` is 3, which is no version. (at /openapi) Write the whole"),
        ({"openapi": None}, "`openapi` is None, which is no version."),
        ({"openapi": True}, "`openapi` is True, which is no version."),
        ({"swagger": 2}, 'Write the whole version as text: "2.0".'),
        ({"openapi": {"a": 1}}, "which is no version."),
        ({}, "This says neither `openapi` nor `swagger`, and holds nothing."),
        ({"asyncapi": "3.0.0", "info": {}}, "its keys are 'asyncapi', 'info'."),
    ],
)
def test_what_is_not_read_says_what_was_found_and_what_to_do(root: JsonObject, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        version_of(root, "x")
    assert reason in str(caught.value)

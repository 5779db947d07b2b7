"""Which specification a document follows."""

import re

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError

_OPENAPI = re.compile(r"3\.[0-2](?:\.[0-9]+)?(?:-.+)?", re.ASCII)
_READ = "What is read are Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2."


def version_of(root: JsonObject, name: str) -> str:
    """Return the version of the specification a document says it follows: `2.0`, `3.1.0`, ...

    YAML reads an unquoted `2.0` or `3.1` as a number; that is taken for what was meant.

    Raises:
        DocumentError: it says none, or one that is not read here.
    """
    for keyword in ("openapi", "swagger"):
        if keyword in root:
            return _known(root[keyword], keyword, name)
    if "swaggerVersion" in root:
        raise DocumentError(name, f"This is Swagger {root['swaggerVersion']!r}.", remedy=_READ)
    keys = ", ".join(repr(key[:40]) for key in list(root)[:5])
    raise DocumentError(
        name,
        "This says neither `openapi` nor `swagger`"
        + (f": its keys are {keys}." if keys else ", and holds nothing."),
        remedy="Is it the right file?",
    )


def _known(value: JsonValue, keyword: str, name: str) -> str:
    pointer = f"/{keyword}"
    if isinstance(value, bool) or not isinstance(value, str | float):
        example = '"3.1.0"' if keyword == "openapi" else '"2.0"'
        raise DocumentError(
            name,
            f"`{keyword}` is {str(value)[:40]}, which is no version.",
            pointer=pointer,
            remedy=f"Write the whole version as text: {example}.",
        )
    version = str(value).strip()
    if version == "2.0" if keyword == "swagger" else _OPENAPI.fullmatch(version):
        return version
    raise DocumentError(
        name, f"This follows version {version[:40]!r} of {keyword}.", pointer=pointer, remedy=_READ
    )

"""The servers of a document, a path item or an operation."""

import re
from collections.abc import Iterable, Iterator

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.route import Server
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.document import Document
from pyfunctools.sources.openapi.operations import Operation

_NOTHING: JsonObject = {}
_USER = re.compile(r"[^/?#]*//[^/?#]*@")


class Servers:
    """The servers of one document; those of an operation before those of its path item."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._old = "swagger" in document.root
        self._known: dict[int, tuple[Server, ...]] = {}
        self.main = self._main()

    def of(self, operation: Operation) -> tuple[Server, ...]:
        """Return the servers of an operation, else those of its path item, else the document's.

        Raises:
            DocumentError: a URL holds a user's name or password.
        """
        for place in (operation, *operation.items):
            value = place.raw if isinstance(place, Operation) else place.value
            owner = value if isinstance(value, dict) else _NOTHING
            listed = owner.get("servers")
            if isinstance(listed, list) and listed:
                if id(listed) not in self._known:
                    self._known[id(listed)] = tuple(_read(listed, self._document.name))
                return self._known[id(listed)]
            if self._old and "schemes" in owner:
                return self._schemes(owner["schemes"])
        return self.main

    def _main(self) -> tuple[Server, ...]:
        listed = self._document.root.get("servers")
        if isinstance(listed, list):
            return tuple(_read(listed, self._document.name))
        return self._schemes(None) if self._old else ()

    def _schemes(self, schemes: JsonValue) -> tuple[Server, ...]:
        found = swagger.servers(self._document.root, schemes)
        return tuple(_read(found, self._document.name))


def _read(listed: Iterable[JsonValue], name: str) -> Iterator[Server]:
    for entry in listed:
        if not isinstance(entry, dict) or not isinstance(url := entry.get("url"), str):
            continue
        if _USER.match(url.replace("\\", "/")):
            raise DocumentError(
                name,
                "A server's URL holds a user's name or password.",
                remedy="Take it out, and give credentials as `auth`.",
            )
        variables = entry.get("variables")
        named = variables if isinstance(variables, dict) else {}
        description = entry.get("description")
        yield Server(
            url=url,
            description=description if isinstance(description, str) else "",
            variables={
                key: _text(value.get("default"))
                for key, value in named.items()
                if isinstance(value, dict)
            },
            allowed={
                key: tuple(map(_text, allowed))
                for key, value in named.items()
                if isinstance(value, dict) and isinstance(allowed := value.get("enum"), list)
            },
        )


def _text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)

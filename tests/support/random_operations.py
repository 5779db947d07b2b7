"""Random operations with free-form places beside those of the human and of the connection."""

from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, TypeAlias

Location: TypeAlias = Literal["query", "header", "cookie", "body"]
TEXT = {"type": "string"}
HUMAN = "secretname"
"""What stands in every name of the human's."""

JSON = "application/json"
MEDIA = ("application/x-www-form-urlencoded", "multipart/form-data", JSON)


@dataclass
class Entry:
    """One parameter, or one property of the body. `inner` are the declared parts of an object."""

    name: str
    location: Location
    is_human: bool = False
    is_free: bool = False
    style: str = ""
    explode: bool = False
    inner: dict[str, bool] = field(default_factory=dict)
    """The names of an object's properties, and whether each is the human's."""
    rest: Any = True

    @property
    def schema(self) -> dict[str, Any]:
        if not self.is_free:
            return {**TEXT, "x-human": True} if self.is_human else TEXT
        inner = {name: {**TEXT, "x-human": is_human} for name, is_human in self.inner.items()}
        return {"type": "object", "properties": inner, "additionalProperties": self.rest}


@dataclass
class Operation:
    """One operation: its declared parameters and body, and the values that the connection sets."""

    entries: list[Entry]
    media: str
    is_body_free: bool
    connection: dict[Location, list[str]]

    def at(self, location: Location) -> list[Entry]:
        return [entry for entry in self.entries if entry.location == location]

    def media_of(self, entry: Entry) -> str:
        """Return the media type of the body that an entry is in, or `None` for a parameter."""
        return self.media if entry.location == "body" else ""

    def document(self) -> dict[str, Any]:
        parameters = [self._parameter(e) for e in self.entries if e.location != "body"]
        operation: dict[str, Any] = {"parameters": parameters, "responses": {"200": {}}}
        if self.media:
            properties = {entry.name: entry.schema for entry in self.at("body")}
            schema: dict[str, Any] = {"type": "object", "properties": properties}
            schema["additionalProperties"] = self.is_body_free
            encoding = {
                entry.name: {"style": entry.style, "explode": entry.explode}
                for entry in self.at("body")
                if entry.is_free and entry.style
            }
            content: dict[str, Any] = {"schema": schema}
            if encoding and self.media != JSON:
                content["encoding"] = encoding
            operation["requestBody"] = {"content": {self.media: content}}
        schemes = {
            f"{location}-key": {"type": "apiKey", "in": location, "name": names[0]}
            for location, names in self.connection.items()
            if names
        }
        operation["security"] = [{key: [] for key in schemes}]
        return {
            "openapi": "3.1.0",
            "info": {"title": "Things", "version": "1"},
            "paths": {"/things": {"post": operation}},
            "components": {"securitySchemes": schemes},
        }

    def _parameter(self, entry: Entry) -> dict[str, Any]:
        made: dict[str, Any] = {"name": entry.name, "in": entry.location}
        if entry.style == "content":
            return {**made, "content": {"application/json": {"schema": entry.schema}}}
        if entry.style:
            made |= {"style": entry.style, "explode": entry.explode}
        return {**made, "schema": entry.schema}


def operation_of(random: Random) -> Operation:
    """Return a random operation."""
    entries: list[Entry] = []
    media = random.choice(["", *MEDIA])
    locations: list[Location] = ["query", "header", "cookie"]
    if media:
        locations.append("body")
    count = 0
    for location in locations:
        for _ in range(random.randint(0, 3)):
            count += 1
            is_human = random.random() < 0.4
            name = f"H{count}-{HUMAN}" if is_human else f"M{count}-own"
            entries.append(Entry(name, location, is_human))
        if random.random() < 0.75:
            count += 1
            entries.append(_free(random, location, f"F{count}-free"))
    random.shuffle(entries)
    keys: list[Location] = ["query", "header", "cookie"]
    connection: dict[Location, list[str]] = {
        each: [f"C-{each}-key"] if random.random() < 0.5 else [] for each in keys
    }
    return Operation(entries, media, random.random() < 0.4, connection)


def _free(random: Random, location: Location, name: str) -> Entry:
    styles = {
        "query": ["form", "form", "deepObject", "content", "spaceDelimited"],
        "header": ["simple", "simple", "content"],
        "cookie": ["form", "form", "content"],
        "body": ["", "form", "deepObject"],
    }
    rest = random.choice([True, TEXT, {"type": "array", "items": TEXT}])
    entry = Entry(name, location, is_free=True, style=random.choice(styles[location]), rest=rest)
    entry.explode = entry.style == "deepObject" or random.random() < 0.7
    for number in range(random.randint(0, 2)):
        is_human = random.random() < 0.4
        inner = f"{name}-{number}-{HUMAN if is_human else 'own'}"
        entry.inner[inner] = is_human
    return entry

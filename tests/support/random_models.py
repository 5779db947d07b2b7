"""Random classes as users write them, with every name that pydantic may read a field from."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from dataclasses import make_dataclass as stdlib_dataclass
from random import Random
from typing import Annotated, Any, Literal, TypeAlias

import pydantic
from pydantic import AliasChoices, AliasPath, ConfigDict, Field, Json, SecretStr
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypedDict

from pyfunctools import Human, human

SECRET = "SECRET-7f3a"
"""What stands in the constants, defaults and descriptions of human fields."""

HUMAN = "secretname"
"""What stands in every name of a human field, in lower case."""

Steps: TypeAlias = tuple[str | int, ...]


@dataclass
class Place:
    """One field: its owner, its hint, and the names and paths that pydantic may read it from."""

    name: str
    hint: Any
    is_human: bool
    ways: list[Steps]
    inner: "list[Shape]" = field(default_factory=list)
    wrap: Literal["", "list", "map", "json"] = ""
    required: bool = True
    is_hidden: bool = False

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(str(way[0]) for way in self.ways))


@dataclass
class Shape:
    """One class. `tag` is a field of the model that no other class has."""

    kind: str
    tag: str
    places: list[Place]
    is_open: bool
    type: Any = None

    def all_places(self) -> Iterator[Place]:
        for place in self.places:
            yield place
            for inner in place.inner:
                yield from inner.all_places()

    def shapes(self) -> Iterator["Shape"]:
        yield self
        for place in self.places:
            for inner in place.inner:
                yield from inner.shapes()


class Models:
    """Random classes: models, dataclasses and typed dicts in one another."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def number(self) -> int:
        self.count += 1
        return self.count

    def shape(self, depth: int = 0, *, is_human: bool = False, kind: str = "") -> Shape:
        """Return a class of some fields; with `is_human` all of it belongs to the human.

        Of the kind `parameters` there is no class: the fields are the parameters of a function.
        """
        kind = kind or self.random.choice(["model", "model", "dataclass", "typed dict"])
        config = self._config(kind)
        tag = f"t{self.number()}_{HUMAN if is_human else 'tag'}"
        shape = Shape(kind, tag, [], config.get("extra") == "allow")
        for _ in range(self.random.randint(1, 3)):
            shape.places.append(self._place(shape, depth, is_human, config))
        if kind != "parameters":
            self._build(shape, config)
        return shape

    def _config(self, kind: str) -> ConfigDict:
        config = ConfigDict()
        if kind == "parameters":
            return ConfigDict(extra=self.random.choice(["allow", "forbid"]))
        if self.chance(0.6):
            config["extra"] = self.random.choice(["allow", "ignore", "forbid"])
        if kind != "typed dict" and self.chance(0.5):
            if self.chance(0.4):
                config["populate_by_name"] = True
            else:
                config["validate_by_name"] = True
                config["validate_by_alias"] = self.chance(0.6)
        if kind == "model" and self.chance(0.25):
            config["alias_generator"] = self.random.choice([to_camel, str.upper])
        return config

    def _place(self, shape: Shape, depth: int, is_human: bool, config: ConfigDict) -> Place:
        number = self.number()
        of_human = is_human or self.chance(0.5)
        name = f"h{number}_{HUMAN}" if of_human else f"m{number}_own"
        place = Place(name, str, of_human, [(name,)])
        place.hint = self._hint(place, depth)
        if place.is_human and not place.inner and shape.kind != "typed dict" and self.chance(0.08):
            place.is_hidden = True  # it gets a default below: nobody could set it
        alias = self._alias(shape, place) if self.chance(0.6) else None
        generator: Any = config.get("alias_generator")
        if generator is not None and alias is None:
            place.ways.append((generator(name),))
        if place.is_hidden:
            place.hint = SkipJsonSchema[place.hint]
        if of_human and not is_human:
            place.hint = self._marked(place)
        settings: dict[str, Any] = {**(alias or {})}
        if shape.kind != "typed dict" and (place.is_hidden or self.chance(0.35)):
            place.required = False
            text = place.hint is SecretStr or place.hint is str
            place.hint |= None
            settings["default"] = SECRET if place.is_human and text else None
        if place.is_human and self.chance(0.3):
            settings["description"] = f"Ask for {SECRET}."
        if settings:
            place.hint = Annotated[place.hint, Field(**settings)]
        return place

    def _alias(self, shape: Shape, place: Place) -> dict[str, Any]:
        base = place.name.replace("_", "-")
        kind = self.random.choice(["alias", "validation", "choices", "path", "mixed"])
        if shape.kind == "typed dict" or kind == "alias":
            place.ways.append((base,))
            return {"alias": base}
        if kind == "validation":
            place.ways.append((base,))
            if shape.kind == "parameters":  # they are never written
                return {"validation_alias": base}
            place.ways.append((f"{base}-out",))
            return {"validation_alias": base, "serialization_alias": f"{base}-out"}
        choices: list[str | AliasPath] = []
        for number in range(self.random.randint(1, 3)):
            if kind == "choices" or (kind == "mixed" and number == 0):
                choices.append(f"{base}-{number}")
                place.ways.append((f"{base}-{number}",))
            else:
                steps = self._path(shape, place, base, number)
                choices.append(AliasPath(*steps))
                place.ways.append(steps)
        alias = choices[0] if len(choices) == 1 else AliasChoices(*choices)
        return {"validation_alias": alias}

    def _path(self, shape: Shape, place: Place, base: str, number: int) -> tuple[str, str | int]:
        """Return a path through another name, often through a field of another owner."""
        heads = [each.name for each in shape.places if each.is_human == place.is_human]
        if self.chance(0.3):
            heads = [each.name for each in shape.places]
        if heads and self.chance(0.3):
            return self.random.choice(heads), f"{base}-in"
        return f"{base}-head{number}", self.random.choice([0, f"{base}-in"])

    def _hint(self, place: Place, depth: int) -> Any:
        if depth < 2 and self.chance(0.45):
            first = self.shape(depth + 1, is_human=place.is_human)
            place.inner = [first]
            place.wrap = self.random.choice(["", "", "list", "map", "json"])
            made: Any = first.type
            if self.chance(0.35):
                of_human = place.is_human or self.chance(0.2)
                second = self.shape(depth + 1, is_human=of_human)
                place.inner.append(second)
                marked = of_human and not place.is_human
                made |= Human[second.type] if marked else second.type
                place.is_human = of_human  # one human alternative makes the place human
            wraps = {"list": list[made], "map": dict[str, made], "json": Json[made], "": made}
            return wraps[place.wrap]
        return str

    def _marked(self, place: Place) -> Any:
        if place.hint is str and not place.is_hidden and self.chance(0.3):
            return SecretStr
        if self.chance(0.5):
            return Human[place.hint]
        return Annotated[place.hint, human(f"The {SECRET}")]

    def _build(self, shape: Shape, config: ConfigDict) -> None:
        name = f"{shape.kind.title().replace(' ', '')}_{shape.tag}"
        tagged: Any = Literal[shape.tag]
        if "alias_generator" in config:
            tagged = Annotated[tagged, Field(alias=shape.tag)]
        hints: dict[str, Any] = {shape.tag: tagged}
        hints |= {place.name: place.hint for place in shape.places}
        if shape.kind == "model":
            fields: Any = {key: (hint, ...) for key, hint in hints.items()}
            fields |= {each.name: each.hint for each in shape.places}
            shape.type = pydantic.create_model(name, __config__=config, **fields)
        elif shape.kind == "typed dict":
            shape.type = TypedDict(name, hints)
            shape.type.__pydantic_config__ = config
        else:
            needed = [(key, hint) for key, hint in hints.items()]
            made = stdlib_dataclass(name, needed, kw_only=True)
            made.__pydantic_config__ = config
            shape.type = made

"""`Param`: a parameter written by hand, without JSON Schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Literal, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import DefinitionError, wrong_type

ParamType: TypeAlias = Literal["string", "integer", "number", "boolean", "array", "object", "null"]
"""The types of JSON Schema."""


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a function, written by hand.

    `items` is the type of an array's items: a `Param` (its name is not used) or a type name.
    `properties` are those of an object, which then allows no others. A `default` of `...` means no
    default; a parameter with a default is never required.
    """

    name: str
    type: ParamType
    description: str | None = None
    required: bool = True
    enum: Sequence[JsonValue] | None = None
    items: "Param | ParamType | None" = None
    properties: "Sequence[Param] | None" = None
    default: JsonValue | EllipsisType = ...

    def schema(self, where: str = "") -> JsonSchema:
        """Return the JSON Schema of this parameter; `Function.from_schema` checks it.

        Raises:
            DefinitionError: `properties` is no list of `Param`, or `items` is a schema.
        """
        where = f"{where}({self.name})"
        if isinstance(self.items, Mapping):
            remedy = 'Write a `Param` or a type such as "string", or all of it as one JSON Schema.'
            raise DefinitionError(where, "`items` must not be a JSON Schema.", remedy)
        schema: dict[str, JsonValue] = {"type": self.type}
        if self.description:
            schema["description"] = self.description
        if self.enum is not None:
            schema["enum"] = self.enum if isinstance(self.enum, str) else list(self.enum)
        if self.items is not None:
            items = self.items if isinstance(self.items, Param) else Param("", self.items)
            schema["items"] = items.schema(where)
        if self.properties is not None:
            schema |= parameters_of(self.properties, where)
        if not isinstance(self.default, EllipsisType):
            schema["default"] = self.default
        return schema


def parameters_of(params: Sequence[object], where: str) -> dict[str, JsonValue]:
    """Return the JSON Schema of an object with exactly these parameters, in their order.

    Raises:
        DefinitionError: `params` is not a list, an item is not a `Param` (but a schema, say), has
            no name or another `required` than `True` or `False`, or two have the same name.
    """
    properties: dict[str, JsonValue] = {}
    required: list[str] = []
    if not isinstance(params, Sequence) or isinstance(params, str):  # pyright: ignore
        raise DefinitionError(
            where,
            f"The parameters must not be `{type(params).__name__}`.",
            "Write them as a JSON Schema object, or as a list of `Param`.",
        )
    for param in params:
        if not isinstance(param, Param):
            given = "a JSON Schema" if isinstance(param, Mapping) else f"a {type(param).__name__}"
            raise DefinitionError(
                where,
                f"{given} stands among the `Param`s.",
                "Write all of them as `Param`, or all of them as one JSON Schema object.",
            )
        if param.name in properties:
            raise DefinitionError(where, f"Two parameters are named {param.name!r}.")
        if param.name == "":
            raise DefinitionError(where, "A parameter has no name.", "Name each of them.")
        if not isinstance(param.required, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            setting = f"{where}({param.name}): `required`"
            raise wrong_type(setting, "True or False", param.required)
        properties[param.name] = param.schema(where)
        if param.required and isinstance(param.default, EllipsisType):
            required.append(param.name)
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }

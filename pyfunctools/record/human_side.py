"""`HumanSide`: facts about the human's side of a function, for masking and questions."""

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.separation.predicates import is_secret_of_human, is_upload
from pyfunctools.schema.separation.separate import separate_normalized
from pyfunctools.schema.validation.validator import Validator


class HumanSide:
    """Facts about the schema of a function's human side.

    `has_secrets` is true if a value may be a secret, `is_all_secret` if the whole side is one.
    `secret_defaults` are the defaults of secrets, `property_names` the names of all declared
    properties. `takes_files` is true if a value may be a file.
    """

    def __init__(self, schema: JsonSchema) -> None:
        self.validator = Validator(schema)
        self._schema = schema
        self._secrets = separate_normalized(schema, is_secret_of_human, self.validator)
        self.has_secrets = self._secrets.has_human
        self.is_all_secret = self._secrets.owner(()) == "human"
        self.secret_defaults = tuple(
            inner["default"]
            for _, inner in subschemas(self._secrets.shared("human"))
            if isinstance(inner, dict) and "default" in inner
        )
        parts = [(keys, part) for keys, part in subschemas(schema) if isinstance(part, dict)]
        self.property_names = frozenset(
            str(keys[-1]) for keys, _ in parts if len(keys) > 1 and keys[-2] == "properties"
        )
        self.takes_files = any(is_upload(part) for _, part in parts)

    def __reduce__(self) -> tuple[object, ...]:
        return (HumanSide, (self._schema,))

    def secrets_in(self, human: JsonValue) -> JsonValue:
        """Return the secrets in a value of the human's side."""
        return self._secrets.part(human, "human")

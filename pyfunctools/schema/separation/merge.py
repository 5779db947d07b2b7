"""The model's value and the human's value, put together to the whole.

Three steps. The first alone keeps a model's value from ever standing where the human's belongs:
from each side is dropped what is not its own by the path to it (`Division.own`). What is left is
laid together, place by place. The whole is validated against the whole schema.
"""

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.result import Failure, Success
from pyfunctools.schema.separation.predicates import IsHuman, is_human_by_default


def merge(
    schema: JsonSchema,
    llm: JsonValue,
    human: JsonValue,
    is_human: IsHuman | None = is_human_by_default,
) -> Success[JsonValue] | Failure:
    """Put the model's and the human's value together, and check the whole.

    What belongs to the human is taken from `human` and from nowhere else: a value of the model's
    there is dropped. A value of the human's where the model's belongs is an issue. Objects are
    merged by key, arrays by index; of different lengths they are an issue. What one side does not
    give is empty there; an explicit null of the human's stays null.

    An issue's `side` says whose it is; those of the human have no `value`, and `Failure.value` is
    the model's. Where many calls are merged, `separate(schema).merge` does less for each.

    Raises:
        DefinitionError: the predicate raised something.
        SchemaError: the schema is not one.
    """
    from pyfunctools.schema.separation.division import divide
    from pyfunctools.schema.separation.join import merged

    return merged(divide(schema, is_human), llm, human)

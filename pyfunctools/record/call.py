"""`Call`: a call that a model wrote; `CallInfo`: facts about it for the function that runs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import Parameter, signature
from types import UnionType
from typing import Annotated, Any, Never, Union, get_args, get_origin

from pyfunctools._text import record_repr
from pyfunctools.errors import DefinitionError
from pyfunctools.schema.result import Failure, Repair, Success


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Call:
    """One call that a model wrote.

    `name` is the name of the function, or the name that the model wrote if the function is unknown.
    `arguments` are parsed and coerced, as far as possible if `result` is a `Failure`; `repairs` are
    the repairs of `result`. `span` is the start and the end of the call in the text (bytes are
    decoded first), `None` if the call came as an object. `id`, `namespace` and `caller` come from
    the vendor, if it sends them; the result is sent back with this id.
    """

    id: str | None = None
    name: str
    arguments: Any
    result: Success[Any] | Failure
    repairs: tuple[Repair, ...] = ()
    span: tuple[int, int] | None = None
    namespace: str | None = None
    caller: Any = None
    _mark: object = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return record_repr(self, "id", "name", "arguments", "result", "span")


def mark_of(call: Call) -> object:
    """Return the `Contract.mark` by which the call's arguments were checked, `None` if unknown."""
    is_checked = call.result and call.arguments is call.result.value
    return call._mark if is_checked else None  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInfo:
    """Facts about a call, passed to a parameter with this type hint, which is in no schema.

    `id` is the vendor's id of the call, or a generated id. It is the same when the call is resumed
    after a person has answered, so a repeated call can be told from a new one. `attempt` is 1, or 2
    for a call resumed with a ticket. `audience` is the argument of `call` or `resume`.
    """

    id: str
    function: str
    attempt: int = 1
    audience: str | None = None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Never:
        """Raise an error: the model could write the value of a field.

        Raises:
            TypeError: always.
        """
        raise TypeError("`CallInfo` is for a parameter of its own, not inside another type")


def branches_of(hint: object) -> Iterator[object]:
    """Yield a hint, and the parts of its unions and `Annotated`; each may be an injected type."""
    yield hint
    origin = get_origin(hint)
    if origin in (Annotated, Union, UnionType):
        for inner in get_args(hint)[: 1 if origin is Annotated else None]:
            yield from branches_of(inner)


def takes_context(where: str, provide: Callable[..., object]) -> bool:
    """Return whether a function that provides a value is called with the context, or with nothing.

    Raises:
        DefinitionError: it requires more than the context; `where` names it.
    """
    try:
        parameters = signature(provide).parameters.values()
    except (TypeError, ValueError):  # some built-in callables have no signature
        return False
    empty, stars = Parameter.empty, (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    needed = [each for each in parameters if each.default is empty and each.kind not in stars]
    if len(needed) > 1 or any(each.kind is Parameter.KEYWORD_ONLY for each in needed):
        reason = "This function takes more than the context."
        raise DefinitionError(where, reason, "Let it take no arguments, or the context alone.")
    return bool(needed)

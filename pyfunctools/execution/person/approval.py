"""The pending call that a person approves, with its secrets covered, and the effect of an edit."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools.errors import wrong_type
from pyfunctools.execution.person.blame import of_model
from pyfunctools.execution.person.masking import MASK, UnshownArguments
from pyfunctools.execution.person.questions import persons_values
from pyfunctools.execution.person.uploads import leaves, merged, with_files
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.outcome import Question, Request, ServerWords
from pyfunctools.schema import Failure, Issue, Path, Success
from pyfunctools.schema.ground.issue import depth_issue, side_issue
from pyfunctools.schema.ground.json_values import ABSENT, Given, equal
from pyfunctools.schema.ground.path import Keys, value_at, with_value
from pyfunctools.schema.outline.outline import Place
from pyfunctools.schema.separation.predicates import is_secret
from pyfunctools.schema.separation.side_values import is_too_deep


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCall:
    """A call that waits for a person's approval, with its whole arguments.

    Each secret is shown as `***`. The arguments are a copy, and not in the `repr`. When the person
    is asked for values, and in a hook, `arguments` are the model's part; `questions` are to ask.
    `server` has the words of a remote server that asks in the middle of the call, and `request` is
    the HTTP request that will be sent.
    """

    function: Function
    arguments: Mapping[str, Any] = field(repr=False)
    questions: tuple[Question, ...] = ()
    server: ServerWords | None = None
    request: Request | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's approval of a call, with their changes.

    `arguments` are the whole arguments as edited, by default unchanged. Where a `***` was left, the
    secret stays; in an array that was changed, it has to be given again.
    `human` replaces the person's earlier values, nested as in `call(human=...)`. The result is
    validated as a whole before anything runs.
    """

    arguments: Mapping[str, Any] | None = field(default=None, repr=False)
    human: Mapping[str, Any] | None = field(default=None, repr=False)


PersonsValues: TypeAlias = Mapping[str, Any] | None
"""A person's values, or `None`."""

Ask: TypeAlias = Callable[[PendingCall], "PersonsValues | Awaitable[PersonsValues]"]
"""A function that asks a person for the values without which a call cannot run.

It takes the pending call, with its questions, and returns the values, or `None` if there are none.
"""

Answer: TypeAlias = "bool | Approval | None"
"""A person's answer: `True` or an `Approval` is yes, `False` is no, `None` is not now."""

Approve: TypeAlias = "Answer | Callable[[PendingCall], Answer | Awaitable[Answer]]"
"""The answer for a function with `confirm`, or a function that asks for it."""


def check_approve(approve: object) -> None:
    """Refuse an `approve` that is neither an answer nor a function that returns one."""
    if not (callable(approve) or isinstance(approve, bool | Approval | None)):
        remedy = "Write `True`, `False`, an `Approval`, or a function of the pending call that "
        remedy += "returns one."
        raise wrong_type("approve", "an answer or a function", approve, remedy)


class View:
    """The whole arguments as shown to a person, and as the person edited them.

    `whole` becomes a copy, so that nothing changes it before the person answers. `shown` is the
    function without the `fixed` values, which no edit may change.
    """

    def __init__(
        self,
        function: Function,
        whole: JsonObject,
        shown: Function,
        fixed: Mapping[Keys, JsonValue],
    ) -> None:
        self.whole: JsonObject = deepcopy(whole)
        self.function = function
        self._shown = shown
        self._fixed = fixed
        self._secret = tuple(self._secrets(self.whole))
        place = contract_of(function).validator.outline.place
        self._cover = _covered(self.whole, self._secret, place)

    @property
    def secrets(self) -> tuple[JsonValue, ...]:
        """The secrets among the arguments."""
        return tuple(held for part in self._secret for _, held in leaves(part))

    @property
    def pending(self) -> PendingCall:
        """The call as shown to a person, in a fresh copy."""
        return PendingCall(function=self._shown, arguments=members_of(deepcopy(self._cover)))

    def edited(self, approval: Approval) -> Success[JsonObject] | Failure:
        """Return the whole arguments as a person approved them, or the issues with their edit."""
        edited = self.whole if approval.arguments is None else approval.arguments
        if is_too_deep(edited):
            return _failure(depth_issue("human"))
        restored = _restored(with_files(edited), self._cover, self.whole)
        taken = [
            side_issue("human", keys, "no value, since the application sets it")
            for keys, value in self._fixed.items()
            if (found := value_at(restored, keys)) is not None and not equal(found[0], value)
        ]
        if taken:
            return _failure(*taken)
        checked: Success[JsonValue] | Failure = Success(value=restored)
        if approval.human is not None:
            llm = of_model(self.function, restored)
            _, human = persons_values(self._shown, llm, approval.human)
            checked = merged(self._shown, llm, human)
        whole: JsonValue = checked.value
        for keys, value in self._fixed.items() if isinstance(whole, dict) else ():
            whole = with_value(whole, keys, value)
        checked = self.function.validate(whole) if checked else checked
        if not checked:
            return _failure(*(side_issue("human", i.path.keys, i.expected) for i in checked.issues))
        lost = [
            side_issue("human", keys, _AGAIN)
            for part in self._secrets(whole)
            for keys, text in leaves(part)
            if text == MASK or any(str(key).startswith(MASK) for key in keys)
        ]
        if lost or not isinstance(whole, dict):
            return _failure(*lost)
        return Success(value=UnshownArguments(whole))

    def _secrets(self, whole: JsonValue) -> Iterator[JsonValue]:
        """Yield the secret parts: by the schema of the arguments, and in the person's part."""
        contract = contract_of(self.function)
        yield contract.secrets.part(whole, "human")
        if (separated := contract.separated) is not None:
            own = separated.part(whole, "human")
            yield contract.human_side.secrets.part(own, "human")


_AGAIN = "the secret itself, since the value around it was changed"


def _failure(*issues: Issue) -> Failure:
    return Failure(value=None, issues=issues)


def _covered(whole: JsonValue, secrets: Sequence[JsonValue], place: Place) -> JsonValue:
    """Return a copy with every scalar covered that is also in a secret, and secret keys of maps."""
    if isinstance(whole, dict):
        held = [each for each in secrets if isinstance(each, dict)]
        below = {
            key: _covered(inner, [each.get(key) for each in held], place.inside(key))
            for key, inner in whole.items()
        }
        names = [part.rules.get("propertyNames") for part in place.possible.parts]
        hides = any(isinstance(each, dict) and is_secret(Path.of(()), each) for each in names)
        return {f"{MASK} {n}" if hides else key: below[key] for n, key in enumerate(below, 1)}
    if isinstance(whole, list | tuple):
        listed = [each for each in secrets if isinstance(each, list)]
        return [
            _covered(item, [each[n] for each in listed], place.inside(n))
            for n, item in enumerate(whole)
        ]
    return whole if all(each is None for each in secrets) else MASK


def _restored(edited: JsonValue, shown: Given, whole: Given) -> JsonValue:
    """Return an edit in which unchanged covers are secrets again."""
    if whole is not ABSENT and shown is not ABSENT and equal(edited, shown):
        return whole
    if isinstance(edited, dict):
        shown, whole = (each if isinstance(each, dict) else {} for each in (shown, whole))
        return {
            key: _restored(inner, shown.get(key, ABSENT), whole.get(key, ABSENT))
            for key, inner in edited.items()
        }
    return edited  # in a changed array no item can be told from another: their secrets are lost

"""What a person sees of a call before they approve it, and what their edit makes of it."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import wrong_type
from pyfunctools.execution.person.masking import MASK, UnshownArguments
from pyfunctools.execution.person.questions import persons_values
from pyfunctools.execution.person.uploads import merged, with_files
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.question import Question
from pyfunctools.schema import Failure, Issue, Success
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.separation.predicates import is_secret
from pyfunctools.schema.separation.separate import separate_normalized
from pyfunctools.schema.separation.side_values import (
    ABSENT,
    Given,
    depth_issue,
    is_too_deep,
    side_issue,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCall:
    """A call that waits for a person's approval: the function, and the whole of its arguments.

    In place of each secret stands `***`. The arguments are a copy, and not in the `repr`. Where the
    person is asked for their values, `arguments` are the model's, and `questions` what to ask.
    """

    function: Function
    arguments: Mapping[str, Any] = field(repr=False)
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's yes to a call, with what they changed of it or added to it.

    `arguments` are the whole of its arguments as edited; without them they are as they were. A
    secret is kept where its `***` still stands; in an array that was changed after it went through
    JSON, it has to be given again. `human` are the person's values, nested as in `call(human=...)`,
    in place of those they gave before. All is checked as a whole before anything runs.
    """

    arguments: Mapping[str, Any] | None = field(default=None, repr=False)
    human: Mapping[str, Any] | None = field(default=None, repr=False)


PersonsValues: TypeAlias = Mapping[str, Any] | None
"""What a person gave: their values, or nothing."""

Ask: TypeAlias = Callable[[PendingCall], "PersonsValues | Awaitable[PersonsValues]"]
"""Asks a person for their part, where the call cannot run without it.

It gets the pending call, with the model's part and the questions, and gives the person's values;
`None` says that they gave none.
"""

Answer: TypeAlias = "bool | Approval | None"
"""A person's answer: `True` or an `Approval` is yes, `None` is not now, all else is no."""

Approve: TypeAlias = "Answer | Callable[[PendingCall], Answer | Awaitable[Answer]]"
"""The answer for a function with `confirm`, or what is asked for it before the function runs."""


def check_approve(given: object) -> None:
    """Refuse an `approve` that is neither an answer nor a function that can be asked for one.

    Raises:
        DefinitionError: it is neither.
    """
    if given is None or isinstance(given, bool | Approval) or callable(given):
        return
    raise wrong_type(
        "approve",
        "an answer or a function",
        given,
        "Write `True`, `False`, an `Approval`, or a function of the pending call that returns one.",
    )


class Covered(str):
    """What stands for a secret in what a person is shown: the text `***`, which remembers it."""

    __slots__ = ("secret",)

    secret: JsonValue

    @classmethod
    def of(cls, secret: JsonValue) -> "Covered":
        """Return what stands for a secret."""
        covered = cls(MASK)
        covered.secret = secret
        return covered

    def __copy__(self) -> "Covered":
        return self

    def __deepcopy__(self, memo: object) -> "Covered":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (str, (MASK,))  # what is written down holds no secret


class View:
    """The whole arguments as a person is shown them, and the way back.

    `whole` is a copy: while a person thinks it over nobody changes what will run.
    """

    def __init__(self, function: Function, whole: JsonObject) -> None:
        self.whole: JsonObject = deepcopy(whole)
        self._function = function
        self._secret = tuple(self._secrets(self.whole))
        self._shown = self._covered()

    @property
    def pending(self) -> PendingCall:
        """The call as a person is asked about it; its arguments are theirs to change."""
        shown = self._covered()
        return PendingCall(
            function=self._function, arguments=shown if isinstance(shown, dict) else {}
        )

    def edited(self, approval: Approval) -> Success[JsonObject] | Failure:
        """Return the whole arguments as a person approved them, or what is wrong with them."""
        edited = self.whole if approval.arguments is None else approval.arguments
        if is_too_deep(edited):
            return _failure(depth_issue("human"))
        restored = _restored(with_files(edited), self._shown, self.whole)
        if approval.human is not None:
            separated = self._function.separated
            models = restored if separated is None else separated.split(restored)[0]
            _, human = persons_values(self._function, models, approval.human)
            checked = merged(self._function, models, human)
        else:
            checked = self._function.validate(restored)
        if not checked:
            return _failure(*(side_issue("human", i.path.keys, i.expected) for i in checked.issues))
        lost = [
            side_issue("human", keys, _AGAIN)
            for part in self._secrets(checked.value)
            for keys, text in _leaves(part)
            if isinstance(text, str) and text == MASK
        ]
        value: JsonValue = checked.value
        if lost or not isinstance(value, dict):
            return _failure(*lost)
        return Success(value=UnshownArguments(value))

    def _covered(self) -> JsonValue:
        shown: JsonValue = self.whole
        for secret in self._secret:
            shown = _shown(shown, secret)
        return shown

    def _secrets(self, whole: JsonValue) -> Iterator[JsonValue]:
        """Return the parts of the arguments that are secret by their schema, or a person's."""
        parameters = contract_of(self._function).parameters
        yield separate_normalized(parameters, is_secret).split(whole)[1]
        if self._function.separated is not None:
            known = contract_of(self._function).human_side.value
            yield known.secrets_in(self._function.separated.split(whole)[1])


_AGAIN = "the secret itself, since what stood there was changed"


def _failure(*issues: Issue) -> Failure:
    return Failure(value=None, issues=issues)


def _shown(whole: JsonValue, secret: JsonValue) -> JsonValue:
    """Return a copy in which what is in `secret`, too, is covered."""
    if isinstance(whole, dict):
        below = secret if isinstance(secret, dict) else {}
        return {key: _shown(inner, below.get(key)) for key, inner in whole.items()}
    if isinstance(whole, list | tuple):
        inside = secret if isinstance(secret, list) else [None] * len(whole)
        return [_shown(item, held) for item, held in zip(whole, inside, strict=True)]
    return whole if secret is None or isinstance(whole, Covered) else Covered.of(whole)


def _leaves(value: JsonValue) -> Iterator[tuple[Keys, JsonValue]]:
    left: list[tuple[Keys, JsonValue]] = [((), value)]
    for keys, inner in left:  # grows while it is read
        if isinstance(inner, dict):
            left += [((*keys, key), held) for key, held in inner.items()]
        elif isinstance(inner, list):
            left += [((*keys, n), held) for n, held in enumerate(inner)]
        else:
            yield keys, inner


def _restored(edited: JsonValue, shown: Given, whole: Given) -> JsonValue:
    """Return what a person's edit means: what they left alone is what it was."""
    if isinstance(edited, Covered):
        return edited.secret
    if shown is not ABSENT and whole is not ABSENT and equal(edited, shown):
        return whole
    if isinstance(edited, dict):
        return {
            key: _restored(inner, _member(shown, key), _member(whole, key))
            for key, inner in edited.items()
        }
    if isinstance(edited, list):
        # Which item is which is told by the whole of it: a changed one has its secrets anew.
        same = isinstance(shown, list) and len(shown) == len(edited)
        return [
            _restored_item(item, n, shown if same else ABSENT, whole)
            for n, item in enumerate(edited)
        ]
    return edited


def _restored_item(edited: JsonValue, index: int, shown: Given, whole: Given) -> JsonValue:
    if isinstance(shown, list) and isinstance(whole, list | tuple) and equal(edited, shown[index]):
        return whole[index]
    return _restored(edited, ABSENT, ABSENT)


def _member(value: Given, key: str) -> Given:
    return value.get(key, ABSENT) if isinstance(value, dict) else ABSENT

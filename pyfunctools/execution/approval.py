"""What a person sees of a call before they approve it, and what their edit makes of it."""

from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.execution.files import with_files
from pyfunctools.execution.secrets import MASK, Arguments, scalars_in, secrets_in
from pyfunctools.record import Function
from pyfunctools.schema import Failure, Issue, Success
from pyfunctools.schema.equal import equal
from pyfunctools.schema.given import ABSENT, Given, is_too_deep
from pyfunctools.schema.own import issue, too_deep


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCall:
    """A call that waits for a person's approval: the function, and the whole of its arguments.

    In place of each secret stands `***`. The arguments are a copy, and not in the `repr`.
    """

    function: Function
    arguments: JsonObject = field(repr=False)


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's yes to a call with other arguments than it had: the whole of them.

    They are checked as a whole before anything runs. A secret is kept where its `***` still stands;
    in an array that was changed after it went through JSON, it has to be given again.
    """

    arguments: JsonObject = field(repr=False)


Approve: TypeAlias = Callable[[PendingCall], "bool | Approval | Awaitable[bool | Approval]"]
"""Asked before a function with `confirm` runs; `True` or an `Approval` is yes, all else is no."""


class Covered(str):
    """What stands for a secret in what a person is shown: the text `***`, which remembers it."""

    __slots__ = ("secret",)

    secret: JsonValue

    @classmethod
    def of(cls, secret: JsonValue) -> "Covered":
        """Give what stands for a secret."""
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
        self._secret = secrets_in(function, whole)
        self._shown = _shown(whole, self._secret)

    @property
    def pending(self) -> PendingCall:
        """The call as a person is asked about it; its arguments are theirs to change."""
        shown = _shown(self.whole, self._secret)
        return PendingCall(
            function=self._function, arguments=shown if isinstance(shown, dict) else {}
        )

    def edited(self, arguments: JsonValue) -> Success[JsonObject] | Failure:
        """Give the whole arguments after a person's edit, or what is wrong with them."""
        if is_too_deep(arguments):
            return _failure(too_deep("human"))
        restored = _restored(with_files(arguments), self._shown, self.whole)
        checked = self._function.validate(restored)
        if not checked:
            return _failure(*(issue("human", i.path.keys, i.expected) for i in checked.issues))
        secret = scalars_in(secrets_in(self._function, restored))
        lost = [issue("human", keys, _AGAIN) for keys, text in secret if text == MASK]
        if lost or not isinstance(restored, dict):
            return _failure(*lost)
        return Success(value=Arguments(restored))


_AGAIN = "the secret itself, since what stood there was changed"


def _failure(*issues: Issue) -> Failure:
    return Failure(value=None, issues=issues)


def _shown(whole: JsonValue, secret: JsonValue) -> JsonValue:
    """Give a copy in which what is in `secret`, too, is covered."""
    if isinstance(whole, dict):
        below = secret if isinstance(secret, dict) else {}
        return {key: _shown(inner, below.get(key)) for key, inner in whole.items()}
    if isinstance(whole, list | tuple):
        inside = secret if isinstance(secret, list) else [None] * len(whole)
        return [_shown(item, held) for item, held in zip(whole, inside, strict=True)]
    return whole if secret is None else Covered.of(whole)


def _restored(edited: JsonValue, shown: Given, whole: Given) -> JsonValue:
    """Give what a person's edit means: what they left alone is what it was."""
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

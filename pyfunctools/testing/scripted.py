"""A model and a person that follow a script."""

from collections.abc import Mapping, Sequence
from json import dumps, loads
from typing import Any, TypeAlias, cast

from pyfunctools._text import quantity, text_of_value
from pyfunctools.dialects.table import dialect_of
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.person.approval import Answer, PendingCall
from pyfunctools.testing.replies import REPLIES

Written: TypeAlias = tuple[str, str | Mapping[str, object]]
"""A call: the name, and the arguments as text (which may be broken JSON) or as an object."""


class ScriptedModel:
    """A model that returns the turns of a script, and records the messages it was sent.

        model = ScriptedModel(("refund", {"id": "7"}), [("pay", "{'amount': 3"), "So."], "Done.")
        response = model(messages, tools)

    Each turn is a text, a call, or a list of both. The responses are plain data in the format of
    the dialect's vendor; `Tools.run` accepts them.
    """

    seen: list[Any]
    """The `messages` and `tools` of each call as plain data."""

    def __init__(
        self, *turns: str | Written | Sequence[str | Written], dialect: str = "openai"
    ) -> None:
        """Set the script.

        Raises:
            DefinitionError: the dialect is unknown, or no model responds in it.
        """
        envelope = dialect_of(dialect).envelope
        if envelope not in REPLIES:
            reason = f"No model responds in {dialect!r}."
            raise DefinitionError("ScriptedModel", reason, f"Write one of {', '.join(REPLIES)}.")
        self._reply = REPLIES[envelope]
        self._turns = [_listed(each) for each in turns]
        self.seen = []

    def __call__(self, messages: object = (), tools: object = ()) -> dict[str, Any]:
        """Return the next response.

        Raises:
            AssertionError: the script has no further turn.
        """
        self.seen.append(loads(_flat({"messages": messages, "tools": tools})))
        if len(self.seen) > len(self._turns):
            turns = quantity(len(self._turns), "turn")
            raise AssertionError(f"The script has {turns}, and this is one more.")
        turn = self._turns[len(self.seen) - 1]
        text = "\n".join(each for each in turn if isinstance(each, str))
        written = [each for each in turn if isinstance(each, tuple)]
        calls = [
            (f"call_{len(self.seen)}_{n}", name, text_of_value(given))
            for n, (name, given) in enumerate(written)
        ]
        return self._reply(text, calls)

    def was_sent(self, text: str) -> bool:
        """Return whether a text, such as a secret, is anywhere in what the model was sent."""
        return any(text in _flat(each) for each in self.seen)


def _listed(turn: str | Written | Sequence[str | Written]) -> list[str | Written]:
    if isinstance(turn, str):
        return [turn]
    return [cast("Written", turn)] if isinstance(turn, tuple) else list(turn)


def _flat(sent: object) -> str:
    return dumps(sent, ensure_ascii=False, default=str)


class ScriptedPerson:
    """A person who answers from a script, and records the calls with questions.

        person = ScriptedPerson(values={"pay": {"pin": "4711"}}, approves={"erase": False})
        shop.call("pay", {"amount": 3}, human=person.give, approve=person.approve)

    `values` are the person's values by function name, `approves` the answers to requests for
    approval. For any other function, the person gives no values and does not approve.
    """

    asked: list[PendingCall]
    """The calls that the person was asked about, in order."""

    def __init__(
        self,
        values: Mapping[str, Mapping[str, Any]] | None = None,
        approves: Mapping[str, Answer] | None = None,
    ) -> None:
        self._values = dict(values or {})
        self._approves = dict(approves or {})
        self.asked = []

    def give(self, pending: PendingCall) -> Mapping[str, Any] | None:
        """Return the person's values for a call; pass this as `human=`."""
        self.asked.append(pending)
        return self._values.get(pending.function.name)

    def approve(self, pending: PendingCall) -> Answer:
        """Return whether the person approves a call; pass this as `approve=`."""
        self.asked.append(pending)
        return self._approves.get(pending.function.name, False)

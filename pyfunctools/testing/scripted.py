"""A model and a person who do what a test has written down for them."""

from collections.abc import Mapping, Sequence
from json import dumps, loads
from typing import Any, TypeAlias, cast

from pyfunctools.dialects.table import dialect_of
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.person.approval import Answer, PendingCall
from pyfunctools.testing.replies import REPLIES

Written: TypeAlias = tuple[str, str | Mapping[str, object]]
"""A call: the name, and the arguments as text (broken on purpose, perhaps) or as an object."""


class ScriptedModel:
    """A model that says what is written down for it, and keeps what it was sent.

        model = ScriptedModel(("refund", {"id": "7"}), [("pay", "{'amount': 3"), "So."], "Done.")
        response = model(messages, tools)

    Each turn is a text, a call, or a list of both. The responses are those of the dialect's vendor,
    as plain data; `Tools.run` takes them.
    """

    seen: list[Any]
    """The `messages` and `tools` it was called with as plain data, turn by turn."""

    def __init__(
        self, *turns: str | Written | Sequence[str | Written], dialect: str = "openai"
    ) -> None:
        """Keep the script.

        Raises:
            DefinitionError: there is no such dialect, or none that a model answers in.
        """
        envelope = dialect_of(dialect).envelope
        if envelope not in REPLIES:
            reason = f"No model answers as {dialect!r}."
            raise DefinitionError("ScriptedModel", reason, f"Write one of {', '.join(REPLIES)}.")
        self._reply = REPLIES[envelope]
        self._turns = [_listed(each) for each in turns]
        self._calls = 0
        self.seen = []

    def __call__(self, messages: object = (), tools: object = ()) -> dict[str, Any]:
        """Return the next response.

        Raises:
            AssertionError: the script is over.
        """
        self.seen.append(loads(_flat({"messages": messages, "tools": tools})))
        if len(self.seen) > len(self._turns):
            raise AssertionError(f"The script has {len(self._turns)} turns, and this is one more.")
        said = self._turns[len(self.seen) - 1]
        text = "\n".join(each for each in said if isinstance(each, str))
        calls: list[tuple[str, str]] = []
        for each in said:
            if isinstance(each, tuple):
                name, written = each
                calls.append((name, written if isinstance(written, str) else dumps(written)))
        start, self._calls = self._calls, self._calls + len(calls)
        return self._reply(text, calls, start)

    def was_sent(self, text: str) -> bool:
        """Return whether a text is anywhere in what the model was sent: a secret, say."""
        return any(text in _flat(each) for each in self.seen)


def _listed(turn: str | Written | Sequence[str | Written]) -> list[str | Written]:
    if isinstance(turn, str):
        return [turn]
    return [cast("Written", turn)] if isinstance(turn, tuple) else list(turn)


def _flat(sent: object) -> str:
    return dumps(sent, ensure_ascii=False, default=str)


class ScriptedPerson:
    """A person who answers what is written down for them, and keeps what they were asked.

        person = ScriptedPerson(values={"pay": {"pin": "4711"}}, approves={"erase": False})
        shop.call("pay", {"amount": 3}, human=person.give, approve=person.approve)

    `values` has by the name of a function what the person gives, `approves` whether they approve
    its calls. Of other functions they give nothing, and approve nothing.
    """

    asked: list[PendingCall]
    """The calls they were asked about, in their order."""

    def __init__(
        self,
        values: Mapping[str, Mapping[str, Any]] | None = None,
        approves: Mapping[str, Answer] | None = None,
    ) -> None:
        self._values = dict(values or {})
        self._approves = dict(approves or {})
        self.asked = []

    def give(self, pending: PendingCall) -> Mapping[str, Any] | None:
        """Return the values for a call: `human=` takes this."""
        self.asked.append(pending)
        return self._values.get(pending.function.name)

    def approve(self, pending: PendingCall) -> Answer:
        """Return the answer to a call: `approve=` takes this."""
        self.asked.append(pending)
        return self._approves.get(pending.function.name, False)

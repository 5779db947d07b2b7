"""`RunnablePrompt`: a prompt for a model without function calling, and what runs its answers.

prompt = shop.prompt()
messages = [{"role": "system", "content": prompt.system}, ...]
turn = prompt.run(ask_model(messages, prompt.response_schema))
messages += turn.messages
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from pyfunctools.controller.calling import Beside, Calling
from pyfunctools.controller.turn import Turn
from pyfunctools.controller.turns import PersonsAnswer, Turns
from pyfunctools.envelopes import Spoken, SpokenCall
from pyfunctools.envelopes.blocks import Ids
from pyfunctools.envelopes.plain_text import PlainText
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.steps import finish
from pyfunctools.prompting.calls.calls import parse_calls
from pyfunctools.prompting.prompt.prompt import Prompt, prompt_of
from pyfunctools.record.call import Call


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RunnablePrompt(Prompt):
    """A `Prompt` of a controller, which also runs the calls in what the model answers."""

    _turns: Turns

    def run(self, text: str, *, previous: Turn | None = None, **beside: Unpack[Beside]) -> Turn:
        """Check the calls in a model's answer, run them in their order, and return the turn.

        Calls are found as by `parse_calls`. `turn.messages` are the answer and a user's message
        with the results; `turn.text` is what the model said in words, and `turn.done` says that it
        called nothing. The rest is as in `Tools.run`.

        Raises:
            DefinitionError: `text` is no text, or as `Controller.call`.
            LoopError: a function is asynchronous and this thread runs an event loop.
        """
        return finish(self._turns.run(text, previous, beside, awaits=False))

    async def arun(
        self, text: str, *, previous: Turn | None = None, **beside: Unpack[Beside]
    ) -> Turn:
        """Do what `run` does, without blocking the event loop.

        Raises:
            DefinitionError: as `run`.
        """
        return await self._turns.run(text, previous, beside, awaits=True)

    def resume(
        self,
        turn: Turn | Mapping[str, Any],
        answers: Mapping[str, PersonsAnswer],
        *,
        context: object = None,
        audience: str | None = None,
    ) -> Turn:
        """Go on with the calls of a turn that wait for a person; see `Tools.resume`.

        Raises:
            DefinitionError: as `Tools.resume`.
        """
        return finish(
            self._turns.resume(turn, answers, awaits=False, context=context, audience=audience)
        )

    async def aresume(
        self,
        turn: Turn | Mapping[str, Any],
        answers: Mapping[str, PersonsAnswer],
        *,
        context: object = None,
        audience: str | None = None,
    ) -> Turn:
        """Do what `resume` does, without blocking the event loop.

        Raises:
            DefinitionError: as `Tools.resume`.
        """
        return await self._turns.resume(
            turn, answers, awaits=True, context=context, audience=audience
        )


def runnable_prompt(
    controller: Calling,
    *,
    compact: bool,
    must_call: bool,
) -> RunnablePrompt:
    """Return the prompt for the functions of a controller.

    Raises:
        DefinitionError: as `prompt_of`.
        SchemaError: as `prompt_of`.
    """
    functions = controller.functions
    prompt = prompt_of(functions, compact=compact, must_call=must_call)
    text = PlainText()

    def spoken(response: object) -> Spoken:
        if not isinstance(response, str):
            kind = type(response).__name__
            reason = f"The answer must be a text, not `{kind}`."
            remedy = "Write `prompt.run(response.choices[0].message.content)`, or the like."
            raise DefinitionError("prompt.run(text)", reason, remedy)
        found = parse_calls(response, functions)
        made = [SpokenCall(id=None, name=each.name, arguments=each.arguments) for each in found]
        return text.spoken(response, made)

    def calls(spoken: Spoken, ids: Sequence[str] | None = None) -> list[Call]:
        unique = Ids()
        found = parse_calls(spoken.messages[0]["content"], functions)
        given = [unique.of(None) for _ in found] if ids is None else ids
        return [replace(each, id=own) for each, own in zip(found, given, strict=True)]

    turns = Turns(
        controller,
        dialect="prompt",
        envelope=text,
        spoken=spoken,
        calls=calls,
        told=lambda _, outcome: outcome,
    )
    return RunnablePrompt(
        system=prompt.system, response_schema=prompt.response_schema, _turns=turns
    )

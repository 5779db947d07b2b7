"""`RunnablePrompt`: a prompt for a model without function calling, which runs the model's calls.

prompt = shop.prompt()
messages = [{"role": "system", "content": prompt.system}, ...]
turn = prompt.run(ask_model(messages, prompt.response_schema))
messages += turn.messages
"""

from collections.abc import Sequence
from dataclasses import replace

from pyfunctools.controller.calling import Calling
from pyfunctools.controller.turns import TurnRunner
from pyfunctools.envelopes import ModelCall, ModelTurn
from pyfunctools.envelopes.blocks import Ids
from pyfunctools.envelopes.plain_text import PlainText
from pyfunctools.errors import DefinitionError
from pyfunctools.prompting.calls.calls import parse_calls
from pyfunctools.prompting.prompt.prompt import Prompt, prompt_of
from pyfunctools.record.call import Call


class RunnablePrompt(Prompt, TurnRunner):
    """A `Prompt` of a controller, which also runs the calls in the model's responses.

    `run` and `arun` take the text of a response; the calls in it are found as by `parse_calls`.
    `Turn.messages` are the response and a user message with the results, `Turn.text` is the model's
    answer in words, and `Turn.done` is true if the model called nothing.
    """

    def __init__(self, controller: Calling, *, compact: bool, must_call: bool) -> None:
        """Make the prompt; see `Controller.prompt`."""
        prompt = prompt_of(controller.functions, compact=compact, must_call=must_call)
        self._text = PlainText()
        Prompt.__init__(self, system=prompt.system, response_schema=prompt.response_schema)
        TurnRunner.__init__(self, controller, "prompt", self._text)

    def _read_turn(self, response: object) -> ModelTurn:
        if not isinstance(response, str):
            kind = type(response).__name__
            reason = f"The response must be a text, not `{kind}`."
            remedy = "Write `prompt.run(response.choices[0].message.content)`, for example."
            raise DefinitionError("prompt.run(response)", reason, remedy)
        found = parse_calls(response, self._controller.functions)
        calls = [ModelCall(id=None, name=each.name, arguments=each.arguments) for each in found]
        return self._text.read_turn(response, calls)

    def _calls(self, model_turn: ModelTurn, ids: Sequence[str] | None = None) -> list[Call]:
        unique = Ids()
        found = parse_calls(model_turn.messages[0]["content"], self._controller.functions)
        given = [unique.of(None) for _ in found] if ids is None else ids
        return [replace(each, id=own) for each, own in zip(found, given, strict=True)]

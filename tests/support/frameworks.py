"""Agents of three frameworks with scripted models, all driven in one way.

A script is a list of turns: a text ends the run, a list of calls (id, name, arguments as written)
goes to the tools. `seen` has the text of each request to a model.
"""

import json
import pickle
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import pytest
from pydantic import ValidationError

from pyfunctools import Controller

Said: TypeAlias = str | Sequence[tuple[str, str, str]]
NAMES = ("pydantic_ai", "langchain", "openai_agents")


class Driver(Protocol):
    """A conversation with one agent."""

    seen: list[str]
    waiting: Mapping[str, Any]

    async def start(self) -> None:
        """Run until the agent is done, or a call waits."""
        ...

    async def go_on(self, answers: Mapping[str, Any]) -> None:
        """Continue with the answers of a person."""
        ...

    def kept(self) -> bytes:
        """Return the state that an application stores until a person answers."""
        ...

    async def restore(self, kept: bytes) -> None:
        """Restore a stored conversation, for example in another process."""
        ...


def driver(name: str, controller: Controller, *turns: Said, context: Any = None) -> Driver:
    """Return a conversation; skip the test if the framework is not installed."""
    module = {"openai_agents": "agents"}.get(name, name)
    pytest.importorskip(module, exc_type=ImportError)
    return DRIVERS[name](controller, *turns, context=context)


async def reopened(
    name: str, kept: bytes, controller: Controller, *turns: Said, context: Any = None
) -> Driver:
    """Return a conversation restored from its state, as in another process."""
    made = driver(name, controller, *turns, context=context)
    await made.restore(kept)
    return made


def _written(value: Any) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)


class PydanticAi:
    """Pydantic AI, with its `FunctionModel`."""

    def __init__(self, controller: Controller, *turns: Said, context: Any = None) -> None:
        from pydantic_ai import Agent, DeferredToolRequests
        from pydantic_ai.models.function import FunctionModel

        from pyfunctools.integrations.pydantic_ai import toolset

        self.turns, self.seen, self.waiting = list(turns), list[str](), {}
        self.context = context
        self.toolset = toolset(controller)
        self.agent = Agent(
            FunctionModel(self.answer),
            toolsets=[self.toolset],
            output_type=[str, DeferredToolRequests],
        )
        self.history = self.requests = b""

    def answer(self, messages: Any, info: Any) -> Any:
        from pydantic_ai.messages import (
            ModelMessagesTypeAdapter,
            ModelResponse,
            TextPart,
            ToolCallPart,
        )

        sent = [each.__dict__ for each in info.function_tools]
        self.seen.append(_written(sent) + ModelMessagesTypeAdapter.dump_json(messages).decode())
        turn = self.turns.pop(0)
        if isinstance(turn, str):
            return ModelResponse(parts=[TextPart(turn)])
        return ModelResponse(parts=[ToolCallPart(name, text, id_) for id_, name, text in turn])

    async def start(self) -> None:
        self._keep(await self.agent.run("go", deps=self.context))

    async def go_on(self, answers: Mapping[str, Any]) -> None:
        from pydantic import TypeAdapter
        from pydantic_ai import DeferredToolRequests
        from pydantic_ai.messages import ModelMessagesTypeAdapter

        requests = TypeAdapter(DeferredToolRequests).validate_json(self.requests)
        results = self.toolset.results(requests, answers)
        history = ModelMessagesTypeAdapter.validate_json(self.history)
        self._keep(
            await self.agent.run(
                message_history=history, deferred_tool_results=results, deps=self.context
            )
        )

    def _keep(self, result: Any) -> None:
        from pydantic import TypeAdapter
        from pydantic_ai import DeferredToolRequests

        self.history, self.waiting = result.all_messages_json(), {}
        if isinstance(result.output, DeferredToolRequests):
            self.requests = TypeAdapter(DeferredToolRequests).dump_json(result.output)
            self.waiting = json.loads(self.requests)["metadata"]

    def kept(self) -> bytes:
        return json.dumps([self.history.decode(), self.requests.decode()]).encode()

    async def restore(self, kept: bytes) -> None:
        self.history, self.requests = (each.encode() for each in json.loads(kept))
        self.waiting = json.loads(self.requests)["metadata"]


class Langchain:
    """LangChain's agents, with its fake chat model and its parser of arguments."""

    def __init__(self, controller: Controller, *turns: Said, context: Any = None) -> None:
        from langchain.agents import create_agent
        from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
        from langgraph.checkpoint.memory import InMemorySaver

        from pyfunctools.integrations.langchain import RepairMiddleware, tools

        self.seen, self.waiting, self.context = list[str](), {}, context
        driver = self

        class Model(GenericFakeChatModel):
            def bind_tools(self, tools: Any, **_: Any) -> Any:
                from langchain_core.utils.function_calling import convert_to_openai_tool

                driver.sent = [convert_to_openai_tool(each) for each in tools]
                return self

            def _generate(self, messages: Any, *args: Any, **settings: Any) -> Any:
                sent = [each.model_dump(exclude={"artifact"}) for each in messages]
                driver.seen.append(_written(driver.sent) + _written(sent))
                return super()._generate(messages, *args, **settings)

        self.sent: list[Any] = []
        self.saver = InMemorySaver()
        self.make = lambda saver: create_agent(
            Model(messages=iter([self._message(each) for each in turns])),
            tools(controller),
            middleware=[RepairMiddleware(controller)],
            checkpointer=saver,
            context_schema=type(context),
        )
        self.interrupts: Any = ()

    @staticmethod
    def _message(turn: Said) -> Any:
        from langchain_core.messages import AIMessage

        if isinstance(turn, str):
            return AIMessage(turn)
        raw = [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": text}}
            for id_, name, text in turn
        ]
        try:
            return AIMessage("", additional_kwargs={"tool_calls": raw})
        except ValidationError:  # JSON that is no object: its parser accepts it
            bad = [{"id": i, "name": n, "args": text, "error": None} for i, n, text in turn]
            return AIMessage("", invalid_tool_calls=bad)

    async def start(self) -> None:
        self.agent = self.make(self.saver)
        await self._run({"messages": "go"})

    async def go_on(self, answers: Mapping[str, Any]) -> None:
        from pyfunctools.integrations.langchain import resume

        await self._run(resume(self.interrupts, answers))

    async def _run(self, given: Any) -> None:
        config: Any = {"configurable": {"thread_id": "1"}}
        result = await self.agent.ainvoke(given, config, context=self.context)
        self._wait_for(result.get("__interrupt__", ()))

    def kept(self) -> bytes:
        saver = self.saver
        storage = {place: dict(each) for place, each in saver.storage.items()}
        return pickle.dumps((storage, dict(saver.writes), dict(saver.blobs)))

    async def restore(self, kept: bytes) -> None:
        storage, writes, blobs = pickle.loads(kept)  # as a checkpointer with a file stores them
        for place, each in storage.items():
            self.saver.storage[place].update(each)
        self.saver.writes.update(writes)
        self.saver.blobs.update(blobs)
        self.agent = self.make(self.saver)
        state = await self.agent.aget_state({"configurable": {"thread_id": "1"}})
        self._wait_for(state.interrupts)

    def _wait_for(self, interrupts: Any) -> None:
        self.interrupts = interrupts
        self.waiting = {each.value["call_id"]: each.value for each in interrupts}


class OpenaiAgents:
    """The OpenAI Agents SDK, with a scripted model."""

    def __init__(self, controller: Controller, *turns: Said, context: Any = None) -> None:
        from agents import Agent, Model, ModelResponse, Usage, set_tracing_disabled

        from pyfunctools.integrations.openai_agents import tools

        set_tracing_disabled(True)
        self.turns, self.seen, self.waiting = list(turns), list[str](), {}
        self.context, self.saved, self.tickets = context, dict[str, Any](), dict[str, Any]()
        driver = self

        class Scripted(Model):
            async def get_response(self, **given: Any) -> Any:
                tools = [[t.name, t.description, t.params_json_schema] for t in given["tools"]]
                driver.seen.append(_written([tools, given["input"]]))
                turn = driver.turns.pop(0)
                return ModelResponse(output=driver.items(turn), usage=Usage(), response_id=None)

            def stream_response(self, *_: Any, **__: Any) -> Any:
                raise AssertionError("nothing is streamed")

        self.tools = tools(controller)
        self.agent = Agent(name="it", model=Scripted(), tools=self.tools)

    @staticmethod
    def items(turn: Said) -> list[Any]:
        from openai.types.responses import ResponseFunctionToolCall as Call
        from openai.types.responses import ResponseOutputMessage, ResponseOutputText

        if not isinstance(turn, str):
            kind: Any = "function_call"
            return [Call(type=kind, name=n, arguments=text, call_id=id_) for id_, n, text in turn]
        text = ResponseOutputText(type="output_text", text=turn, annotations=[])
        return [
            ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[text]
            )
        ]

    async def start(self) -> None:
        await self._run("go", context=self.context)

    async def go_on(self, answers: Mapping[str, Any]) -> None:
        state = await self._state()
        with self.tools.answered(state, answers, self.tickets):
            await self._run(state)

    async def _state(self) -> Any:
        from agents import RunState

        return await RunState.from_json(self.agent, self.saved, context_override=self.context)

    async def _run(self, given: Any, **settings: Any) -> None:
        from agents import Runner

        result = await Runner.run(self.agent, given, **settings)
        state = result.to_state()
        serialized = state.to_json(context_serializer=lambda _: {})
        self.saved = json.loads(json.dumps(serialized))
        self.waiting = self.tools.waiting(state)
        self.tickets = {call_id: each.ticket for call_id, each in self.waiting.items()}

    def kept(self) -> bytes:
        return json.dumps([self.saved, self.tickets]).encode()

    async def restore(self, kept: bytes) -> None:
        self.saved, self.tickets = json.loads(kept)
        self.waiting = self.tools.waiting(await self._state())


DRIVERS: dict[str, Any] = {
    "pydantic_ai": PydanticAi,
    "langchain": Langchain,
    "openai_agents": OpenaiAgents,
}

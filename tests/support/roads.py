"""A call as a vendor's response, and every text of a result that leaves the process."""

import json
import traceback
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import pyfunctools
from pyfunctools import Outcome
from pyfunctools.controller.turn import Turn


def reply(name: str, wrote: Any) -> dict[str, Any]:
    """Return one OpenAI chat completion with one call."""
    call = {"id": "c", "type": "function"}
    call["function"] = {"name": name, "arguments": json.dumps(wrote)}  # type: ignore[assignment]
    message = {"role": "assistant", "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"object": "chat.completion", "choices": [choice]}


def texts_of(held: Any) -> Iterator[str]:
    """Yield every text of a result that leaves the process."""
    if isinstance(held, str):
        yield held
    elif isinstance(held, list):
        for each in held:
            yield from texts_of(each)
    elif isinstance(held, Turn):
        yield from (repr(held), json.dumps(held.save()))
        if not held.waiting:
            yield json.dumps(held.messages)
        yield from texts_of(list(held.outcomes))
    else:
        yield from texts_of_outcome(held)


def texts_of_outcome(outcome: Outcome) -> Iterator[str]:
    yield from (outcome.text, str(outcome), repr(outcome), repr(outcome.repairs))
    yield from (repr(each.filename) for each in outcome.content)
    for issue in outcome.issues:
        yield f"{issue!r} {issue.path} {issue.path.keys} {issue.message} {issue.value}"
    if outcome.waiting is not None:
        yield f"{outcome.waiting!r} {[asdict(each) for each in outcome.waiting.questions]}"
        yield payload_of(outcome.waiting.ticket or "")
    if outcome.is_error and outcome.waiting is None:
        with pytest.raises(pyfunctools.CallError) as caught:
            outcome.unwrap()
        yield "".join(traceback.format_exception(caught.value))


def locals_of(error: BaseException | None) -> list[str]:
    """Return the locals of our frames in a traceback, and in those of its causes."""
    ours, found = str(Path(pyfunctools.__file__).parent), list[str]()
    while error is not None:
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        found += [str(each.locals) for each in told.stack if each.filename.startswith(ours)]
        error = error.__cause__ or error.__context__
    return found


def payload_of(ticket: str) -> str:
    payload = ticket.partition(".")[0]
    return urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()

"""The examples run as they are written."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


SHOWN = {
    "agent_langchain": "Ada has her money.",
    "agent_openai_agents": "Ada has her money.",
    "agent_pydantic_ai": "Ada has her money.",
    "fastapi_app": "{'name': 'Sencha', 'grams': 100}",
    "human": "account 0 51: accepted",
    "human_openapi": "reason, photo, pin; the key is ***",
    "loop_anthropic": "It will be sunny in both.",
    "loop_openai": "It will be sunny in Oslo.",
    "methods": "Welcome, Ada!",
    "openapi": "{'path': '/forecast/New%20York?days=3'}",
    "prompt": "2 lamp bought",
    "retry": "right at try 3",
    "schema": "A trip to Oslo, paid in EUR",
    "tickets": "-> sent 100.00 euros to Ada",
    "turn_saved": "tool sent 25.00 to Ada",
}
"""What each example prints of a call that worked."""


EXAMPLES = [
    # A framework takes seconds to be imported.
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * path.stem.startswith("agent_"))
    for path in sorted((ROOT / "examples").glob("*.py"))
]


@pytest.mark.parametrize("path", EXAMPLES)
def test_an_example_runs_and_shows_a_call_that_works(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert SHOWN[path.stem] in done.stdout

"""The examples run as they are written."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from packages import required, required_by

ROOT = Path(__file__).parents[1]


SHOWN = {
    "agent_langchain": "Ada has her money.",
    "agent_openai_agents": "Ada has her money.",
    "agent_pydantic_ai": "Ada has her money.",
    "combining": "['shop_find', 'stock_find', 'rate']",
    "dask_cluster": "2262 primes\nThe cellar is open",
    "fastapi_app": "{'name': 'Sencha', 'grams': 100}",
    "human": "account 0 51: accepted",
    "human_openapi": "reason, photo, pin; the key is ***",
    "loop_anthropic": "It will be sunny in both.",
    "loop_gemini": "It will be sunny in Oslo.",
    "loop_local": "It will be sunny in Oslo.",
    "loop_openai": "It will be sunny in Oslo.",
    "loop_streaming": "{'city': 'Oslo', 'days': 3}\nIt will be sunny in Oslo.",
    "mcp_client": "the price: 15.0\nprice goes to any vendor",
    "mcp_server": "ordered: Sencha, wrapped: For Ada",
    "migration": "5.0 by card",
    "methods": "Welcome, Ada!",
    "openapi": "{'path': '/forecast/New%20York?days=3'}",
    "program": "102: refunded 480 euros",
    "prompt": "2 lamp bought",
    "retry": "right at try 3",
    "schema": "A trip to Oslo, paid in EUR",
    "testing": "share({'cents': 0, 'people': 0}): ZeroDivisionError",
    "tickets": "-> sent 100.00 euros to Ada",
    "web_person": "Booked: a double in Oslo for Ada and Kim, 2 nights, card.\nBooked: a ***",
    "turn_saved": "process 2: sent 25.00 to Ada\nAda has her 25 euros.",
}
"""What each example prints of a call that worked."""


EXAMPLES = [
    # A framework takes seconds to be imported, and a cluster seconds to start.
    pytest.param(
        path, id=path.stem, marks=[pytest.mark.slow] * path.stem.startswith(("agent_", "dask_"))
    )
    for path in sorted((ROOT / "examples").glob("*.py"))
]


@pytest.mark.parametrize("path", EXAMPLES)
def test_an_example_runs_and_shows_a_call_that_works(path: Path) -> None:
    required_by(path.read_text())
    required(*({"program": ["pydantic_monty"]}.get(path.stem, [])))
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert SHOWN[path.stem] in done.stdout


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").glob("loop_*.py")), ids=lambda p: p.stem
)
def test_a_whole_loop_is_at_most_25_lines_without_its_script(path: Path) -> None:
    source = path.read_text()
    lines = source.splitlines()
    counted = [
        line
        for statement in ast.parse(source).body[1:]
        if not ast.unparse(statement).startswith(("script = ", "script: "))
        for line in lines[statement.lineno - 1 : statement.end_lineno]
        if line.strip()
    ]
    assert len(counted) <= 25

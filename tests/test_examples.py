"""The examples and the README run as they are written."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
BLOCKS = [
    "\n" * README[: found.start(1)].count("\n") + found[1]
    for found in re.finditer(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
]


SHOWN = {
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


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_an_example_runs_and_shows_a_call_that_works(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert SHOWN[path.stem] in done.stdout


def test_every_python_block_of_the_readme_runs_in_order() -> None:
    assert len(BLOCKS) >= 4
    space: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCKS:
        exec(compile(block, "README.md", "exec"), space)  # noqa: S102


def test_the_feedback_in_the_readme_is_the_real_one(capsys: pytest.CaptureFixture[str]) -> None:
    space: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCKS[:2]:
        exec(compile(block, "README.md", "exec"), space)  # noqa: S102
    shown = re.search(r"^````text\n(.*?)^````", README, re.MULTILINE | re.DOTALL)
    assert shown
    assert shown[1].strip() == capsys.readouterr().out.strip()


def test_the_readme_offers_exactly_two_commands_to_try() -> None:
    section = README.split("## Try it")[1].split("\n## ")[0]
    blocks = re.findall(r"^```\w*\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert blocks == [
        "pip install '.[cli]' && pyfunctools demo\npip install '.[dev]' && pytest -q\n"
    ]

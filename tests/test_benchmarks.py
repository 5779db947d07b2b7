"""Every benchmark is on the page, every table has its plot, and the README has the same figures."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FIGURES = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return import_module("all")


def test_every_benchmark_has_its_place_and_its_program(everything: Any) -> None:
    for each in (*everything.BENCHMARKS, *everything.BESIDE):
        everything.place_of(each.name)
        script = each.command.split()[0]
        assert script.startswith("{shared}") or (ROOT / "benchmarks" / script).is_file()


def test_every_plot_has_a_table_on_the_page() -> None:
    linked = set(re.findall(r"\(plots/(\w+\.png)\)", FIGURES))
    assert linked == {path.name for path in (ROOT / "benchmarks" / "plots").iterdir()}


def test_the_figures_of_the_readme_are_on_the_page_with_their_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| (\d.*) \|$", readme.split("## Figures")[1], re.MULTILINE)
    assert len(rows) == 5
    rows += re.findall(r"takes ([\d.]+) times as long as `json.loads`", readme)
    assert len(rows) == 6
    page = re.sub(r"[|*]", " ", FIGURES)
    for number in re.findall(r"\d[\d,.]*\d|\d", " ".join(rows)):
        assert re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d)", page), number


def test_a_table_is_read_as_it_was_printed(everything: Any) -> None:
    printed = (
        "said\n\n| a | b | c |\n|---|---|---|\n| x | 1,200 (3) | none in 2 |\n| y | 0.5 | z |\n"
    )
    (table,) = everything.tables_in(printed)
    assert table.values(1) == [1200, 0.5]
    assert table.numeric() == [1]


@pytest.mark.slow
def test_quick_runs_and_writes_nothing() -> None:
    before = FIGURES
    done = subprocess.run(
        [sys.executable, "benchmarks/all.py", "--quick", "--only", "trips", "startup"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert "| call, right |" in done.stdout
    assert (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8") == before

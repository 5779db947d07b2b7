"""Strict checkers like what users write, and see what is wrong with it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from packages import required


@pytest.mark.slow
def test_pyright_strict_likes_a_user_s_code(tmp_path: Path) -> None:
    required("pyright")
    here = Path(__file__).resolve().parent
    copied = tmp_path / "usage.py"
    copied.write_text((here / "usage.py").read_text(encoding="utf-8"), encoding="utf-8")
    settings = {
        "include": [copied.name],
        "strict": [copied.name],
        "extraPaths": [str(here.parents[1])],
        "pythonVersion": "3.11",
        "enableTypeIgnoreComments": False,  # those are for mypy
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    project = tmp_path / "pyrightconfig.json"
    project.write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run([*command, "-p", str(project)], capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 1
    complaints = [
        f"{each['file']}:{each['range']['start']['line'] + 1}: {each['message']}"
        for each in report["generalDiagnostics"]
    ]
    assert complaints == []


@pytest.mark.slow
def test_mypy_strict_likes_a_user_s_code(tmp_path: Path) -> None:
    required("mypy")
    here = Path(__file__).resolve().parent
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--cache-dir", str(tmp_path), str(here / "usage.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=here.parents[1])
    assert done.stdout.startswith("Success"), done.stdout + done.stderr

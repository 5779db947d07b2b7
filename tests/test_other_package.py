"""Another package on the index is called `pyfunctools`, and its files may lie among ours."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pyfunctools

OURS = Path(pyfunctools.__file__).parent
IMPORTS = (
    "import pyfunctools",
    "import pyfunctools.controller",
    "from pyfunctools.__main__ import main; main()",
)


@pytest.mark.parametrize("statement", IMPORTS)
@pytest.mark.parametrize("ours_is_newer", [True, False], ids=["ours newer", "theirs newer"])
def test_files_of_the_other_package_are_told(
    statement: str, ours_is_newer: bool, tmp_path: Path
) -> None:
    mixed = tmp_path / "pyfunctools"
    shutil.copytree(OURS, mixed, ignore=shutil.ignore_patterns("__pycache__"))
    (mixed / "__version__.py").write_text('__version__ = "0.7.0"\n')
    if not ours_is_newer:
        (mixed / "__init__.py").write_text("def chunk(): ...\n")
    command = [sys.executable, "-c", statement]
    # Coverage would take the copy for the package, and count its every line as not run.
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=unmeasured)
    if statement == "import pyfunctools" and not ours_is_newer:
        assert done.returncode == 0  # nothing of ours is imported
        return
    assert "ImportError: The folder of the package pyfunctools-llm holds files" in done.stderr
    assert "pip uninstall -y pyfunctools pyfunctools-llm" in done.stderr

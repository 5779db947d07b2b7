"""What all tests share: where the material for testing lies, and what was left out without it."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("unhurried", deadline=None)  # another process's work is no failure
settings.load_profile("unhurried")

VECTORS = Path(__file__).parent / "vectors"
LEFT_OUT = "the corpora are not here"


@pytest.fixture(scope="session")
def vectors() -> Path:
    """Return the folder of the project's own vectors: inputs, and what has to come of them."""
    return VECTORS


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of corpora: `PYFUNCTOOLS_SHARED`, or the one beside the project."""
    here = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("PYFUNCTOOLS_SHARED", here))
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the corpora are missing: {folder}")
        pytest.skip(LEFT_OUT)
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse ids with an address in them: they differ in each process, and `-n 2` goes by ids."""
    for item in items:
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid}: give the parameters ids of their own")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line what was skipped because the corpora are not here."""
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum(LEFT_OUT in str(report.longrepr) for report in skipped)
    if count:
        terminalreporter.write_line(
            f"{count} tests were skipped: they read real documents, the official JSON Schema suite "
            "and recorded answers of models, which are no part of the repository. "
            "PYFUNCTOOLS_SHARED says where they are."
        )

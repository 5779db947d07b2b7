"""Fixtures for all tests: the folders of vectors and corpora, and a report of skipped tests.

The fast set runs on all cores (`-n auto` in pyproject.toml); a few files or tests alone run in this
process, which is quicker for them.
"""

import gc
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

VECTORS = Path(__file__).parent / "vectors"
LEFT_OUT = "the corpora are not here"
NOT_INSTALLED = re.compile(r"could not import '(\w+)")
"""The message of `pytest.importorskip`."""
MOST_WORKERS = 4
"""A container with two cores may report all sixty of its machine, and each worker collects all."""


@pytest.fixture(scope="session")
def vectors() -> Path:
    """Return the folder of the project's own vectors: inputs and expected results."""
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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of processes for `-n auto`: none for a part of the tests."""
    option = config.option
    whole = {str(config.rootpath), str(config.rootpath / "tests")}
    chosen = {str(Path(config.invocation_params.dir, each).resolve()) for each in config.args}
    if option.keyword or option.collectonly or not chosen <= whole:
        return 0
    return min(os.cpu_count() or 1, MOST_WORKERS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse ids with an address in them: the ids of all workers have to be equal."""
    for item in items:
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid}: give the parameters ids of their own")


def pytest_collection_finish() -> None:
    """Leave the collected tests out of each collection of garbage: bounds of time hold without."""
    gc.collect()
    gc.freeze()


def _missing_packages(terminal: pytest.TerminalReporter) -> list[str]:
    """Return the missing package of each test that was skipped for one."""
    skipped = terminal.stats.get("skipped", [])
    found = [NOT_INSTALLED.search(str(report.longrepr)) for report in skipped]
    return [match[1] for match in found if match]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run if a package is missing where all have to be installed."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("PYFUNCTOOLS_EVERYTHING") and terminal and _missing_packages(terminal):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write which tests were skipped, and what they need."""
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum(LEFT_OUT in str(report.longrepr) for report in skipped)
    if count:
        terminalreporter.write_line(
            f"{count} tests were skipped: they read real documents, the official JSON Schema suite "
            "and recorded answers of models, which are not part of the repository. "
            "PYFUNCTOOLS_SHARED says where they are."
        )
    missing = _missing_packages(terminalreporter)
    if missing:
        terminalreporter.write_line(
            f"{len(missing)} tests or files were skipped: they need "
            f"{', '.join(sorted(set(missing)))}; `pip install '.[ci]'` installs everything."
        )

"""What all tests share: where the material for testing lies."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora and vectors: `PYFUNCTOOLS_SHARED`, or the one beside the project."""
    here = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("PYFUNCTOOLS_SHARED", here))
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the test material is missing: {folder}")
        pytest.skip("the test material is not here; set PYFUNCTOOLS_SHARED")
    return folder

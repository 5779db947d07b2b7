"""The public names: complete, sorted, documented, and fast to import."""

import os
import re
import subprocess
import sys
from pathlib import Path
from pydoc import render_doc
from types import FunctionType

import pytest
from signatures import LISTED, listing

import pyfunctools
import pyfunctools.schema

FACES = [pyfunctools, pyfunctools.schema]


def test_the_public_names_are_as_listed() -> None:
    """After a change of the public API, `python tests/support/signatures.py` writes the list."""
    assert listing().splitlines() == LISTED.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("alias", [pyfunctools.Human, pyfunctools.Context])
def test_aliases_have_a_docstring(alias: object) -> None:
    assert "[str]` is a `str`" in render_doc(alias) or "[User]` is a `User`" in render_doc(alias)


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_public_names_are_sorted_and_documented(face: object) -> None:
    exported: list[str] = face.__all__  # type: ignore[attr-defined]
    assert exported == sorted(exported)
    assert face.__doc__
    for name in exported:
        value = getattr(face, name)
        if isinstance(value, type | FunctionType):
            assert value.__doc__, name
    assert set(exported) <= set(dir(face))


def test_public_methods_of_public_classes_are_documented() -> None:
    for name in pyfunctools.__all__:
        value = getattr(pyfunctools, name)
        if isinstance(value, type):
            for member, held in vars(value).items():
                if not member.startswith("_") and callable(getattr(held, "__func__", held)):
                    assert held.__doc__, f"{name}.{member}"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pyfunctools.nothing  # noqa: B018


HEAVY = (
    "pydantic",
    "jsonschema_rs",
    "httpx",
    "httpx2",
    "asyncio",
    "typer",
    "rich",
    "fastapi",
    "ruamel",
    "yaml",
)

LIGHT = """
import sys
from pyfunctools import Controller, function

class Shop:
    @function
    def buy(self, item: str) -> str:
        '''Buy.'''
        return item

"""

UNNEEDED_BY_A_CALL = (
    "difflib",
    "pyfunctools.route",
    "pyfunctools.record.param",
    "pyfunctools.schema.normalization.oddities",
    "pyfunctools.schema.outline.unions",
    "pyfunctools.schema.separation.separate",
)

CALLED = f"""{LIGHT}
assert Controller.from_object(Shop()).call("buy", '{{"item": "tea"}}').text == "tea"
"""

OPENED = """
import sys
from pyfunctools import Controller

text = '{"openapi": "3.1.0", "info": {}, "paths": {"/teas": {"get": {"responses": {}}}}}'
assert Controller.from_openapi(text, server="http://127.0.0.1:1")["teas_get"].parameters
"""


@pytest.mark.parametrize(
    ("program", "heavy"),
    [
        (LIGHT, (*HEAVY, "dataclasses", "inspect", "json")),
        (CALLED, UNNEEDED_BY_A_CALL),
        (OPENED, (*HEAVY, "email", "pyfunctools.execution.http.runner")),
    ],
    ids=["a class is decorated", "a right call is made", "a document is opened"],
)
def test_no_heavy_module_is_imported_before_it_is_needed(
    program: str, heavy: tuple[str, ...]
) -> None:
    found = f"print(*[name for name in {heavy!r} if name in sys.modules])"
    # Coverage would start in the child too, and import some of these names itself.
    unwatched = {key: held for key, held in os.environ.items() if not key.startswith("COVERAGE_")}
    done = subprocess.run(
        [sys.executable, "-c", program + found],
        env=unwatched,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ""


def test_the_version_has_a_section_in_the_changelog() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", pyfunctools.__version__)
    written = (Path(__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in written or f"## [{pyfunctools.__version__}]" in written


def test_the_notes_of_a_release_are_its_section_of_the_changelog() -> None:
    script = Path(__file__).parents[1] / ".ci" / "release-notes"
    done = subprocess.run(["bash", str(script), "Unreleased"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.strip().startswith("### ")
    assert "\n## [" not in done.stdout
    assert subprocess.run(["bash", str(script), "9.9.9"], capture_output=True).returncode == 1

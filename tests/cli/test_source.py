"""Sources on the command line."""

import io
import sys
from pathlib import Path

import pytest

from pyfunctools import DocumentError, PyfunctoolsError
from pyfunctools.cli.source import open_source, page_of, read_human, read_keys, read_value

MODULE = """
from pyfunctools import Controller, function

class Shop:
    @function
    def buy(self, item: str) -> str:
        '''Buy.'''
        return item

class Picky:
    def __init__(self, needed):
        pass

def area(width: float) -> float:
    '''Compute.'''
    return width

shop = Shop()
controller = Controller.from_object(shop)
number = 7
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = "shop_of_the_source_test"
    (tmp_path / f"{name}.py").write_text(MODULE)
    (tmp_path / "broken_of_the_source_test.py").write_text("1 / 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


@pytest.mark.parametrize(
    ("place", "names"),
    [("Shop", ["buy"]), ("shop", ["buy"]), ("controller", ["buy"]), ("area", ["area"])],
)
def test_an_object_of_a_module_is_opened(module: str, place: str, names: list[str]) -> None:
    assert [f.name for f in open_source(f"{module}:{place}")] == names


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere_at_all:thing", "cannot be imported"),
        ("broken_of_the_source_test:x", "ZeroDivisionError"),
        ("{module}:Missing", "no 'Missing' in it"),
        ("{module}:Shpo", "Did you mean 'Shop'"),
        ("{module}:Picky", "cannot be called.* `shop = Shop"),
        ("{module}:number", "int"),
        ("missing.json", "missing.json"),
    ],
)
def test_a_source_that_cannot_be_opened_is_one_clear_error(
    module: str, source: str, said: str
) -> None:
    with pytest.raises(PyfunctoolsError, match=said):
        open_source(source.format(module=module))


def test_a_document_is_opened_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    path.write_text(
        '{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {}}}}'
    )
    assert [f.name for f in open_source(str(path))] == ["a_get"]
    with pytest.raises(PyfunctoolsError, match="--header"):
        open_source(str(path), headers=["nonsense"])
    with pytest.raises(DocumentError):
        open_source(str(tmp_path))


def test_an_option_is_text_a_file_or_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "value.json"
    path.write_text('{"pin": "1"}')
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1]")))
    assert read_value("{}") == "{}"
    assert read_value(None) is None
    assert read_value(f"@{path}") == '{"pin": "1"}'
    assert read_value("-") == "[1]"
    assert read_human(f"@{path}") == {"pin": "1"}
    assert read_human(None) is None
    with pytest.raises(PyfunctoolsError, match="cannot be read"):
        read_value("@/nowhere/at/all")
    for wrong in ("{", "[1]", "[" * 100_000):
        with pytest.raises(PyfunctoolsError, match="--human"):
            read_human(wrong)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "shop_of_no_source",
            "shop_of_no_source: There is no such file. Name an OpenAPI document's path",
        ),
        ("nope.json", "nope.json: There is no such file. Name an OpenAPI document's path"),
        (
            "shop_of_no_source.py",
            "shop_of_no_source.py: This is Python, not a document. Name an OpenAPI",
        ),
        (
            "shop_of_no_source.py:Shop",
            "No module named 'shop_of_no_source.py'; 'shop_of_no_source' is not a package. Name an",
        ),
        ("https://a.example/b.json", "curl -sSL https://a.example/b.json | pyfunctools list -"),
    ],
)
def test_an_invalid_source_is_an_error_with_a_remedy(
    source: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop_of_no_source.py").write_text("class Shop: ...")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PyfunctoolsError) as raised:
        open_source(source)
    assert said in str(raised.value)


def test_keys_are_read_from_a_file_or_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keys").write_text("00" * 32 + "\n" + "FF" * 33)
    assert read_keys(f"@{tmp_path / 'keys'}") == [bytes(32), b"\xff" * 33]
    monkeypatch.setenv("KEY_OF_THE_TEST", "00" * 32)
    assert read_keys("$KEY_OF_THE_TEST") == [bytes(32)]
    assert read_keys(None) is None


def test_a_ticket_stands_encoded_in_the_address_of_a_page() -> None:
    assert page_of("https://a.example/?t={ticket}")("a/b=&c") == "https://a.example/?t=a%2Fb%3D%26c"

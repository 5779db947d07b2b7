"""References into other files, bounded to a directory."""

from pathlib import Path

import pytest

from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits
from pyfunctools.sources.openapi.document import files_under


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "sub").mkdir(parents=True)
    (home / "a b.yaml").write_text("a: 1\n")
    (home / "sub" / "b.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    (home / "link.json").symlink_to(tmp_path / "secret.json")
    (home / "inside.json").symlink_to(home / "sub" / "b.json")
    return home


def test_files_below_the_directory_are_read(tree: Path) -> None:
    resolver = files_under(tree)
    assert resolver("sub/b.json") == b"{}"
    assert resolver("./sub/../a%20b.yaml") == b"a: 1\n"
    assert resolver("inside.json") == b"{}"
    assert resolver((tree / "sub" / "b.json").as_uri()) == b"{}"
    assert resolver(str(tree / "sub" / "b.json")) == b"{}"
    assert files_under(str(tree))("sub/b.json") == b"{}"


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("../secret.json", "This file is outside"),
        ("sub/../../secret.json", "This file is outside"),
        ("%2e%2e/secret.json", "This file is outside"),
        ("link.json", "This file is outside"),
        ("/etc/passwd", "This file is outside"),
        ("file:///etc/passwd", "This file is outside"),
        ("file://host/etc/passwd", "This is not a file, and only files are read."),
        ("http://127.0.0.1/x", "This is not a file, and only files are read."),
        ("//host/x", "This is not a file, and only files are read."),
        ("jar:file:x!/y", "This is not a file, and only files are read."),
        ("none.json", "This file cannot be read"),
        ("sub", "This file cannot be read"),
        ("a\0b", "This file cannot be read"),
    ],
)
def test_nothing_else_is_read(tree: Path, uri: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        files_under(tree)(uri)


def test_a_file_is_read_no_further_than_a_document_may_be_long(tree: Path) -> None:
    assert files_under(tree, limits=Limits(document=2))("a b.yaml") == b"a: "


def test_a_root_that_is_no_directory_is_refused(tree: Path) -> None:
    with pytest.raises(DocumentError, match="This is not a directory"):
        files_under(tree / "a b.yaml")

"""The vectors of the repository are those of the shared folder."""

from pathlib import Path


def test_the_vectors_are_those_of_the_shared_folder(shared: Path, vectors: Path) -> None:
    files = {path.name: path.read_bytes() for path in vectors.iterdir()}
    shared_files = {path.name: path.read_bytes() for path in (shared / "vectors").iterdir()}
    assert files.keys() == shared_files.keys()
    assert [name for name in files if files[name] != shared_files[name]] == []

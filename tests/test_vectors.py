"""The vectors of the repository are those of the shared folder."""

from pathlib import Path


def test_the_vectors_are_those_of_the_shared_folder(shared: Path, vectors: Path) -> None:
    ours = {path.name: path.read_bytes() for path in vectors.iterdir()}
    theirs = {path.name: path.read_bytes() for path in (shared / "vectors").iterdir()}
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []

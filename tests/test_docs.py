"""What the guides for contributors name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = {path.name for path in (ROOT / "pyfunctools").rglob("*.py")}


@pytest.mark.parametrize("guide", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_a_guide_names_only_what_is_there(guide: str) -> None:
    named = re.findall(r"`([\w./]+(?:\.py|/))`", (ROOT / guide).read_text())
    missing = [
        name
        for name in named
        if not any(
            (base / name).exists()
            for base in (ROOT, ROOT / "pyfunctools", ROOT / "pyfunctools/schema")
        )
        and name not in FILES
        and not list((ROOT / "pyfunctools").glob(f"*/{name}"))
    ]
    assert named
    assert missing == []

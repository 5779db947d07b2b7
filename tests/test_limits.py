"""`Limits`: the defaults are those the documentation promises."""

import re
from dataclasses import fields
from pathlib import Path

from pyfunctools import Limits

SPELLED = {
    "1 MiB": 1 << 20,
    "10 MiB": 10 << 20,
    "64 MiB": 64 << 20,
    "2,000,000": 2_000_000,
    "30 s": 30.0,
}


def test_each_default_is_the_one_written_in_security_md() -> None:
    text = (Path(__file__).parents[1] / "SECURITY.md").read_text()
    rows = re.findall(r"^\| `(\w+)`[^|]*\| ([^|]+) \|$", text, re.MULTILINE)
    written = {name: SPELLED[value] if value in SPELLED else int(value) for name, value in rows}
    assert written == {field.name: field.default for field in fields(Limits)}

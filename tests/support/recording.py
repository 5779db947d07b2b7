"""The recording of the demo in the README: `python tests/support/recording.py` makes it again."""

import io
import re
from html import unescape
from pathlib import Path

from rich.console import Console

from pyfunctools.cli.demo import play

RECORDED = Path(__file__).parents[2] / "docs" / "demo.svg"


def recorded() -> Console:
    """Return a console of 80 columns on which the demo was played, without waiting for Enter."""
    console = Console(
        record=True,
        width=80,
        file=io.StringIO(),
        force_terminal=True,
        force_interactive=False,
        color_system="truecolor",
        legacy_windows=False,
    )
    play(console)
    return console


def shown_by(svg: str) -> str:
    """Return the characters of a recording, in order, without its title and spaces."""
    texts = re.findall(r'<text class="demo-r[^>]*>([^<]*)</text>', svg)
    return "".join(unescape("".join(texts)).split())


def drawn(console: Console) -> str:
    """Return the recording as a picture that loads no fonts."""
    svg = console.export_svg(title="pyfunctools demo", unique_id="demo")
    return re.sub(r"\s*@font-face \{[^}]*\}", "", svg)


if __name__ == "__main__":
    RECORDED.write_text(drawn(recorded()), encoding="utf-8")

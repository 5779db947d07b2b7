"""The demo runs to its end, fits 80 columns, and shows real calls."""

import io

import pytest
from recording import RECORDED, recorded, shown_by
from rich.console import Console

from pyfunctools.cli.demo import CARD, play


def played(width: int) -> str:
    out = io.StringIO()
    play(Console(file=out, width=width))
    return out.getvalue()


def test_the_demo_is_60_lines_in_80_columns_and_shows_no_card() -> None:
    text = played(80)
    assert text.count("\n") <= 60
    assert CARD not in text
    wrong, right = text.split("3. ")
    assert "the model writes: tea, grams, wrapping" in wrong
    assert "a person gives: card_number" in wrong
    assert '"sencha" -> "Sencha"' in wrong
    assert "❌ expected integer, at least 25" in wrong
    assert '{"parcel": "100 g of Sencha, gift", "charged": "***"}' in right


@pytest.mark.parametrize("width", [60, 80, 120])
def test_each_screen_of_the_demo_fits(width: int) -> None:
    text = played(width)
    assert CARD not in text
    screens = text.split("\n\n")
    assert max(screen.count("\n") for screen in screens) <= 24


def test_the_recording_in_the_readme_is_of_this_demo() -> None:
    """`python tests/support/recording.py` records it anew."""
    now = "".join(recorded().export_text().split())
    assert shown_by(RECORDED.read_text(encoding="utf-8")) == now
    assert "url(http" not in RECORDED.read_text(encoding="utf-8")

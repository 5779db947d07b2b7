"""The demo plays to the end, in 80 columns, and everything in it happened."""

import io

from rich.console import Console

from pyfunctools.cli.demo import CARD, play


def test_the_demo_tells_the_whole_story_in_80_columns() -> None:
    out = io.StringIO()
    play(Console(file=out, width=80))
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    feedback, sent = text.split("4. ")[0], text.split("4. ")[1]
    assert "❌" in feedback
    assert CARD not in feedback
    assert "POST http://shop.example/orders" in sent
    assert CARD in sent
    assert "HTTP 201" in sent
    assert "card ending in 4242" in sent
    assert "Brewing(celsius=70" in sent

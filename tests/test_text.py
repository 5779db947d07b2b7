"""Text for a model or a terminal has no hidden characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools._text import hidden_count, record_repr, short_repr, shortened, visible


@pytest.mark.parametrize(
    ("text", "visible_text"),
    [
        ("plain\ttext\nhere", "plain\ttext\nhere"),
        ("a\x00b\x1b[31mc\x7f\x9b", "ab[31mc"),
        ("line\r\nline", "line\nline"),
        ("\u200bzero\u200cwidth\u200e\u200f", "zerowidth"),
        ("\u202abidi\u202e \u2066isolate\u2069", "bidi isolate"),
        ("tag\U000e0041\U000e007f\U000e0100", "tag"),
        ("\ufeffmark\u00ad", "mark"),
        ("\ud800", ""),
        (
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        ),
        ("\u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f\u200d\U0001f525"),
        ("a\u200db", "ab"),
        ("\U0001f468\u200dx", "\U0001f468x"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4"),
        ("naïve – “quoted” 日本語 عربي", "naïve – “quoted” 日本語 عربي"),
    ],
)
def test_hidden_characters_are_removed_and_counted(text: str, visible_text: str) -> None:
    assert visible(text) == visible_text
    assert hidden_count(text) == len(text) - len(visible_text)


@given(st.text())
def test_visible_text_stays_the_same(text: str) -> None:
    once = visible(text)
    assert visible(once) == once
    once.encode()


@given(st.text(max_size=20), st.integers(min_value=0, max_value=30))
def test_a_shortened_text_is_never_longer_than_asked(text: str, limit: int) -> None:
    cut = shortened(text, limit)
    assert len(cut) <= max(limit, 1)
    assert cut == text or cut.endswith("…")


def test_a_short_repr_is_the_repr_if_it_is_short_enough() -> None:
    assert short_repr({"b": 1, "a": [2]}) == "{'b': 1, 'a': [2]}"
    assert short_repr("x" * 1000, 10) == "'xxxxxxxx…"
    assert record_repr(range(3), "start", "stop") == "range(start=0, stop=3)"


def test_a_deeply_nested_value_has_a_short_repr_too() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert short_repr(deep) == "<list>"

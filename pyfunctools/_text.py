"""Text for a model or a terminal, without characters that a person would not see."""

import re
from functools import lru_cache


def visible(text: str) -> str:
    """Return the text without the characters that a person would not see.

    Control characters except tab and line feed, bidirectional controls, zero-width and TAG
    characters, and lone surrogates are left out; a zero-width joiner stays between two emoji.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text  # nearly all text, at a tenth of the cost
    return _hidden().sub("", text)


def hidden_count(text: str) -> int:
    """Return how many characters `visible` leaves out."""
    return len(text) - len(visible(text))


def shortened(text: str, limit: int) -> str:
    """Return the text, cut to at most `limit` characters with an ellipsis where it is longer."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def text_of_value(value: object) -> str:
    """Return a text as it is, and any other value as JSON; its type if it has no JSON."""
    from json import dumps

    try:
        return value if isinstance(value, str) else dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return f"<{type(value).__name__}>"


def first_sentence(text: str, limit: int) -> str:
    """Return the first sentence of a text on one line, visible and at most `limit` characters."""
    line = " ".join(visible(text.partition("\n\n")[0]).split())
    return shortened(re.split(r"(?<=[.!?])\s+(?=[^a-z])", line, maxsplit=1)[0], limit)


def cut_at_word(text: str, limit: int) -> str:
    """Return the text, shortened behind a whole word where there is one."""
    cut = shortened(text, limit)
    return cut if cut == text else f"{cut[:-1].rpartition(' ')[0] or cut[:-1]}…"


def quantity(count: int, unit: str) -> str:
    """Return a count with its unit: `1 item`, `2 properties`."""
    return f"{count:,} {plural(unit, count)}"


def plural(unit: str, count: float) -> str:
    """Return the unit, in the plural unless the count is 1."""
    if count == 1:
        return unit
    return f"{unit[:-1]}ies" if unit.endswith("y") else f"{unit}s"


def short_repr(value: object, limit: int = 400) -> str:
    """Return the `repr` of a value, cut to the length of a log line."""
    try:
        return shortened(repr(value), limit)
    except RecursionError:
        return f"<{type(value).__name__}>"


def record_repr(record: object, *names: str) -> str:
    """Return the `repr` of a record with these fields, each as `short_repr`."""
    shown = ", ".join(f"{name}={short_repr(getattr(record, name))}" for name in names)
    return f"{type(record).__name__}({shown})"


@lru_cache(maxsize=1)
def _hidden() -> re.Pattern[str]:
    return re.compile(
        "["
        "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, all but tab and line feed
        "\u00ad\u061c\u180e"  # soft hyphen, Arabic letter mark, Mongolian vowel separator
        "\u200b-\u200c\u200e-\u200f"  # zero width, direction marks
        "\u2028-\u202e"  # line separators, bidirectional embedding and override
        "\u2060-\u206f"  # word joiner, invisible operators, isolates
        "\ufeff\ufff9-\ufffb"  # byte order mark, interlinear annotation
        "\U000e0000-\U000e01ef"  # TAG characters, variation selectors supplement
        "\ud800-\udfff"  # lone surrogates, which UTF-8 cannot encode
        "]"
        "|(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d"  # a joiner not between emoji
        "|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])"
    )

from time import process_time

import pytest

from pyfunctools.schema.parsing.locate import after, before, beginning, framed


@pytest.mark.parametrize(
    "front",
    [
        "",
        " \n",
        "```json\n",
        "```\n",
        "~~~ python \n",
        "````JSON\n",
        "`",
        "<tool_call>",
        "<tool_call>\n<arguments type='x'>\n",
        "<|python_tag|>",
        "<\uff5ctool\uff5c>",
        "[TOOL_CALLS] ",
        "// a note\n",
        "# a title\n\n",
        "/* a note */",
        "<tool_call>\n```json\n",
        "\u200b\u00a0",
    ],
)
def test_a_value_begins_behind_fences_tags_and_comments(front: str):
    text = front + '{"a": 1}'
    assert beginning(text, 0) == len(front)


@pytest.mark.parametrize("text", ["The call: {}", "{}", "[1]", "[ABC] {}", "'x'", "<5 {}", "-1"])
def test_prose_and_brackets_are_where_a_value_may_begin(text: str):
    assert beginning(text, 0) == 0


@pytest.mark.parametrize(
    ("front", "pieces"),
    [
        ("", []),
        ("\n ", []),
        ("\u00a0", [("space", "\u00a0")]),
        ("Sure!", [("prose", "Sure!")]),
        ("```json\n", [("fence", "```json")]),
        ("Sure!\n```json\n", [("prose", "Sure!\n"), ("fence", "```json")]),
        ("Use `", [("prose", "Use "), ("fence", "`")]),
        ("<a>\n<b>\n", [("tag", "<a>\n"), ("tag", "<b>")]),
        ("Ok. <a>", [("prose", "Ok. "), ("tag", "<a>")]),
        ("if a > ", [("prose", "if a >")]),
        ("[TOOL_CALLS] ", [("tag", "[TOOL_CALLS]")]),
        ("// note\n", [("comment", "// note")]),
        ("see [1] ", [("prose", "see [1]")]),
    ],
)
def test_what_stands_before_a_value_is_told_apart(front: str, pieces: list[tuple[str, str]]):
    kinds = [(piece.kind, piece.before.rstrip()) for piece in before(front + "{}", 0, len(front))]
    assert kinds == [(kind, text.rstrip() if kind != "space" else "") for kind, text in pieces]


@pytest.mark.parametrize(
    ("rest", "pieces"),
    [
        ("", []),
        (" \n", []),
        ("\u2028", [("space", "\u2028")]),
        ("\n```", [("fence", "```")]),
        ("\n```\nDone.", [("fence", "```"), ("prose", "Done.")]),
        ("`", [("fence", "`")]),
        ("</tool_call>\n", [("tag", "</tool_call>")]),
        (" } ]", [("closer", "} ]")]),
        (";", [("comma", ";")]),
        (", {}", [("comma", ","), ("rest", "{}")]),
        ('{"a": 2}', [("rest", '{"a": 2}')]),
        (" // done", [("comment", "// done")]),
        (". Hope this helps! {}", [("prose", ". Hope this helps! {}")]),
    ],
)
def test_what_stands_after_a_value_is_told_apart(rest: str, pieces: list[tuple[str, str]]):
    assert [(piece.kind, piece.before) for piece in after("{}" + rest, 2)] == pieces


def test_a_fence_ends_a_text_only_at_its_end():
    text = '```json\n{"a": "b\n``` \n'
    assert framed(text) == (0, text.index("b") + 1)
    assert framed("x ~~~\n{}\n~~~") == (2, 8)
    for text in ("", "{}", "```json\n{}\n``` and more", "{} ``", "```json\n{}"):
        assert framed(text) == (len(text), len(text))


def test_tags_end_a_text_where_the_first_of_them_opened_before():
    assert framed("<a>{}</a>") == (0, 5)
    assert framed("see <a>\n<b x='1'>{}\n</b> </a>\n") == (8, 19)
    assert framed("<a>\n```\n{}\n```\n</a>") == (4, 10)
    for text in ("{}</a>", "<b>{}</a>", "<a>{}</a> and more", "<a>{}</a", '{"a": "</a>'):
        assert framed(text) == (len(text), len(text))


@pytest.mark.parametrize(
    "unit",
    ["</a>", "<a></a>", "<a>", "`", "```\n", "~~~", "<a", "[A_B]", "/* ", "# \n", "},", ", "],
)
def test_many_pieces_cost_no_more_than_a_few(unit: str):
    text = unit * (200_000 // len(unit))
    began = process_time()
    assert len(before(text, 0, len(text))) <= 20
    assert len(list(after(text, 0))) <= 20
    beginning(text, 0)
    framed(text)
    assert process_time() - began < 2

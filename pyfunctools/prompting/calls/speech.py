"""The end of a model's turn in its output, and the parts of a text that are not its answer.

A model that does not stop writes the other turns too: the next message of the user, the result of a
tool, its own answer to that. All of this is invented and ignored. A token that ends a turn counts
only if no call follows at once: some models write it between parallel calls.
"""

import re
from collections import deque
from typing import Final, NamedTuple

_WHO: Final = (
    r"(?:user|human|customer|system|developer|observations?|environment|ipython"
    r"|(?:tool|function)s?(?:[ _\u2581]?(?:response|result|output|message)s?)?)"
)
_BAR: Final = r"[|\uff5c]"
_HEADER: Final = (
    rf"(?:<{_BAR}(?:im_start|start_header_id|header_start|start_of_role|turn|bom){_BAR}?>"
    r"|<start_of_turn>|<seed:bos>|<extra_id_1>|\]~b\])\s*+"
)
_TOKEN: Final = (
    rf"<{_BAR}[^<>\s|\uff5c]{{0,24}}?(?<![a-z]){_WHO}(?![a-z])(?:[_\u2581](?:token|start|begin))?"
    rf"{_BAR}?>"
)
_TURN_TOKEN: Final = (
    rf"{_HEADER}{_WHO}\b|<{_BAR}start{_BAR}>(?!\s*assistant)|{_TOKEN}|\[INST\]|<<SYS>>"
    r"|\[TOOL_RESULTS\]|\[AVAILABLE_TOOLS\]|\[\|(?:user|system|tool)\|\]|<start_function_response>"
)
_LABEL: Final = (
    r"^[ \t*_#>]*+(?:(?:Observation[ ]?[0-9]{0,3}"
    r"|(?:Tool|Function)[ _](?:response|result|output)s?)[ ]*+\**:"
    r"|(?-i:tool|function):[ \t]*+(?=[\[(\"']))"
)
_PERSON: Final = r"user|human|customer|system|instructions?|question|prompt"
_TURN: Final = (
    rf"<(?P<who>(?:{_PERSON})(?:_(?:query|message|input|request|turn|prompt))?)(?:\s[^<>\n]{{0,200}})?>"
    r"[\s\S]*?(?=</(?P=who)|<(?:assistant|model|ai)\b|\Z)"
    r"|<(?P<turn>message|turn)\s[^<>\n]{0,80}?role\s?=\s?[\"']?(?:user|human|system|tool)\b"
    r"[\s\S]*?(?=</(?P=turn)|\Z)"
)
_TURNS: Final = re.compile(rf"<(?:{_PERSON}|message\s|turn\s)", re.IGNORECASE)
_LABELLED: Final = (
    rf"(?P<tagged>{_TURN})"
    r"|^[ \t*_]*+(?P<labelled>(?:Human|User|System|Question|Customer|Q)[ ]*+\**:[^\n]*+"
    r"|#{1,6}[ ]*+(?:Instruction|Human|User|System|Question)[ ]*+\**(?::|$)"
    r"[\s\S]*?(?=\n\s*\n|\n#|\Z))"
)
_END: Final = (
    rf"(?P<end><{_BAR}(?:im_end|eot_id|eot|eom_id|endoftext|end_of_text|end_of_turn|end_of_role|return"
    rf"|END_OF_TURN_TOKEN|end\u2581of\u2581sentence){_BAR}>|<end_of_turn>|<turn{_BAR}>|</s>|<eos>)"
)
_BREAK: Final = re.compile(
    rf"(?:{_TURN_TOKEN})|{_END}|{_LABEL}|{_LABELLED}", re.IGNORECASE | re.MULTILINE
)
_ANGLED: Final = (
    *("<|", "<\uff5c", "</s>", "<<SYS>>", "<start_", "<end_", "<turn|>", "<eos>", "<seed:"),
    *("<extra_id_1>", "<START_", "<END_"),
)
_SQUARE: Final = ("[INST]", "[TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[|", "]~b]")
_LABELS: Final = re.compile(
    r"^[ \t*_#>]*+(?:Observation|Tool|Function|Human|User|Question|Customer|Q\b"
    r"|Instruction|System)",
    re.IGNORECASE | re.MULTILINE,
)
_CONTINUES: Final = re.compile(
    rf"(?:\s++|<{_BAR}[^<>|\uff5c\n]{{1,40}}{_BAR}>|<(?:start|end)_of_turn>|<bos>|<s>|</s>"
    r"|\b(?:assistant|model)\b){0,40}+(?:[\[{<(`\"']|[^\W\d][\w.]*+\(|[^\W\d][\w.]*+\s*+\{|\Z)"
)
"""The text behind a token that ends a turn, if the model continues with a call."""
_ASSISTANT: Final = re.compile(
    rf"\s*+(?:{_HEADER}|<{_BAR}start{_BAR}>)(?:assistant|model|ai)\b|\s*+<{_BAR}assistant",
    re.IGNORECASE,
)


class Break(NamedTuple):
    """The `start` of a turn of another role.

    If only a label on a line marks it, it may be a question that the model repeats before its
    answer: before the first call it reaches only to `end`.
    """

    start: int
    end: int | None = None


def breaks(text: str) -> deque[Break]:
    """Return the turns of other roles in a text, in order."""
    angled = "<" in text and any(token in text for token in _ANGLED)
    square = not angled and "[" in text and any(token in text for token in _SQUARE)
    labelled = ":" in text and (_LABELS.search(text) if "\n" in text else _LABELS.match(text))
    tagged = "<" in text and _TURNS.search(text)
    if not (angled or square or labelled or tagged):
        return deque()
    found: deque[Break] = deque()
    for each in _BREAK.finditer(text):
        if each.lastgroup in ("labelled", "tagged"):
            found.append(Break(each.start(), each.end()))
        elif each.lastgroup != "end" or not _continues(text, each.end()):
            found.append(Break(each.start()))
    return found


def _continues(text: str, at: int) -> bool:
    return bool(_CONTINUES.match(text, at) or _ASSISTANT.match(text, at))


_THOUGHTS: Final = (
    r"[\w:]{0,20}?(?:think|thought|reasoning|reflection|scratch_?pad|monologue|rationale)\w{0,20}"
)
_SKIPPED_TAGS: Final = (
    rf"{_THOUGHTS}|analysis|plan|planning|internal|observation|environment_details"
    r"|tool_(?:response|result|output)s?|function_(?:response|result|output)s?|search_results?"
    r"|examples?|documents?|context|history|(?:block)?quote"
)
SKIPPED: Final = re.compile(
    rf"(?:<{_BAR}?|\u25c1)(?P<tag>{_SKIPPED_TAGS})(?:\s[^<>\n]{{0,200}})?(?:{_BAR}?>|\u25b7)"
    r"|\[(?P<boxed>THINK)\]|(?P<remark><!--)",
    re.IGNORECASE,
)
"""The start of thoughts, of a result that the model invents, or of an HTML comment."""
_BEGIN_PREFIX: Final = re.compile(r"(?:start|begin)_(?:of_)?", re.IGNORECASE)
_END_OF_THOUGHTS: Final = re.compile(
    rf"(?:</|\u25c1/)(?P<tag>{_THOUGHTS})[>\u25b7]|\[/(?P<boxed>THINK)\]", re.IGNORECASE
)


def end_of(text: str, opened: re.Match[str]) -> int:
    """Return the end of the part that a match of `SKIPPED` begins, at most the end of the text."""
    if opened["remark"]:
        end = text.find("-->", opened.end())
        return len(text) if end < 0 else end + 3
    tag = re.escape(_BEGIN_PREFIX.sub("", opened["tag"] or opened["boxed"]))
    closer = rf"(?:<{_BAR}?/|<{_BAR}end_(?:of_)?|\u25c1/|\[/){tag}(?:{_BAR}?>|\u25b7|\])"
    closed = re.compile(closer, re.IGNORECASE).search(text, opened.end())
    return len(text) if closed is None else closed.end()


def start_of_answer(text: str) -> int:
    """Return the start of the answer: behind thoughts whose opening tag was in the prompt."""
    start = 1 if text.startswith("\ufeff") else 0
    marked = "</" in text or "[/" in text or "\u25c1/" in text
    closed = _END_OF_THOUGHTS.search(text) if marked else None
    if closed is None or SKIPPED.search(text, 0, closed.start()):
        return start
    return closed.end()

"""A response becomes an outcome: text for the model, value for the program."""

from http import HTTPStatus
from json import JSONEncoder, detect_encoding

from pyfunctools._text import shortened, visible
from pyfunctools.execution.http.exchange import Headers, Received, origin_of_url, retry_after
from pyfunctools.execution.http.items import DEPTH, StreamItem
from pyfunctools.media_types import codec_of, is_json_media, is_text_media, without_parameters
from pyfunctools.record.outcome import Outcome, Reason, Response
from pyfunctools.route import SAFE
from pyfunctools.schema.parsing.strict import parse_strict

EXCERPT = 2048
"""Characters of an error response's body in the text for the model, if they are exposed."""


def outcome_of_response(result: Received, *, method: str, expose: bool) -> Outcome:
    """Return the outcome of a call.

    Every 2xx status is success. The value is parsed JSON or text, by the content type, else bytes;
    an empty body is `None`. Other statuses are errors: the model reads the status and, with
    `expose`, an excerpt of the body; the program has the body as `value`. Invalid JSON is an error
    too, with the unparsed body as value. Header names are in lower case.
    """
    content_type = result.headers.get("content-type", "")
    value, is_valid = _value(result, content_type)
    status = f"{result.status or ''} {_PHRASES.get(result.status or 0, '')}".strip()
    is_success = result.status is None or 200 <= result.status < 300
    reason: Reason | None = None
    if not is_success:
        text, reason = _error_text(result, status), "status"
        if expose and value is not None:
            text += "\n" + _excerpt(value, EXCERPT)
    elif result.lost is not None:
        text = _lost_text(result, status, method)
        reason = "deadline" if result.late else "transport"
    elif is_valid:
        text = _success_text(value, status, content_type)
    else:
        text, reason = f"{status}, but the body is not valid JSON.", "output"
        if expose and value is not None:
            text += "\n" + _excerpt(value, 200)
    return Outcome(
        text=text,
        value=value,
        reason=reason,
        response=Response(
            status=result.status,
            headers=dict(result.headers),
            retry_after=retry_after(result.headers) if reason and reason != "output" else None,
            sent=result.sent,
        ),
        _is_ours=result.lost is not None or text == status,
    )


def outcome_of_item(item: StreamItem, status: int, headers: Headers) -> Outcome:
    """Return the outcome of an item of a response that is a sequence."""
    text = _shown(item.value if isinstance(item.value, str) else _COMPACT(item.value))
    if item.issues:
        complaints = " ".join(issue.message for issue in item.issues[:3])
        text = f"This item is not as the document says. {complaints}"
    return Outcome(
        text=text,
        value=item.value,
        reason="output" if item.issues else None,
        issues=item.issues,
        response=Response(status=status, headers=dict(headers), sent="yes"),
    )


def _lost_text(result: Received, status: str, method: str) -> str:
    text = f"{status}, but: {result.lost}." if status else f"{result.lost}."
    if result.sent == "no":
        return f"{text} The request was not sent."
    return (
        text if method in SAFE else f"{text} The request was sent, and may have been carried out."
    )


def _value(result: Received, content_type: str) -> tuple[object, bool]:
    """Return the value of a body, and whether the body is valid for its content type."""
    body = result.body
    if not body or result.status in (204, 205, 304):
        return None, True
    codec = codec_of(content_type)
    if is_json_media(content_type):
        text = _decoded(body, detect_encoding(body))
        if isinstance(text, bytes) and codec is not None:  # JSON is UTF-8, but some servers differ
            text = _decoded(body, codec)
        read = parse_strict(text, DEPTH) if isinstance(text, str) else None
        return (text, False) if read is None else (read[0], True)
    if is_text_media(content_type) or not without_parameters(content_type):
        return (body if codec is None else _decoded(body, codec)), True
    return body, True


_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_COMPACT = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _decoded(body: bytes, codec: str) -> str | bytes:
    try:
        return body.decode(codec).removeprefix("\ufeff")
    except UnicodeError:
        return body


def _success_text(value: object, status: str, content_type: str) -> str:
    if value is None:
        return f"Done: {status}"
    if isinstance(value, bytes):
        kind = content_type or "no content type"
        return f"{shortened(visible(kind), 100)}, {len(value)} bytes"
    return _shown(value.replace("\r\n", "\n") if isinstance(value, str) else _COMPACT(value))


def _shown(text: str) -> str:
    clean = visible(text)
    hidden = len(text) - len(clean)
    return f"{clean}\n[{hidden} hidden characters left out]" if hidden else clean


def _error_text(result: Received, status: str) -> str:
    if status.startswith("3") and "location" in result.headers:
        where = origin_of_url(result.headers["location"])
        target = "another address" if where is None else visible(where)
        return f"{status}: the server redirects to {target}, which is not followed."
    wait = retry_after(result.headers)
    told = (result.lost, None if wait is None else f"The server asks to wait {wait:g} s")
    more = "".join(f" {sentence}." for sentence in told if sentence)
    return f"{status}.{more}" if more else status


def _excerpt(value: object, limit: int) -> str:
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    return shortened(visible(value if isinstance(value, str) else _COMPACT(value)), limit)

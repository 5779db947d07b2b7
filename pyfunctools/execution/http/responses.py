"""An answer becomes an outcome: text for the model, value for the program."""

from collections.abc import Mapping
from http import HTTPStatus
from json import JSONEncoder, detect_encoding

from pyfunctools._text import shortened, visible
from pyfunctools.execution.http.exchange import Headers, Lost, Received, origin_of, retry_after
from pyfunctools.media_types import codec_of, is_json_media, is_text_media, media_type_of
from pyfunctools.record.outcome import Outcome, Response
from pyfunctools.route import SAFE
from pyfunctools.schema.parsing.strict import parse_strict

EXCERPT = 2048
"""Characters of a failed answer's body that a model is shown, where it is shown any."""

DEPTH = 128
"""Nesting of JSON in an answer."""


def outcome_of(result: Received | Lost, *, method: str, name: str, expose: bool) -> Outcome:
    """Return the outcome of a call of the function `name`.

    Any 2xx is success. JSON is read where the content type says so, text is a `str`, everything
    else stays bytes, and an empty body is `None`. Other statuses are errors: the model reads the
    status and, with `expose`, an excerpt of the body; the program has the body as `value`. What was
    called JSON and is none is an error too, with the body as it came. Header names are in lower
    case.
    """
    if isinstance(result, Lost):
        return _lost(result, method, name)
    headers = _joined(result.headers)
    content_type = headers.get("content-type", "")
    value, whole = _value(result, content_type)
    status = _status(result.status)
    good = 200 <= result.status < 300
    if good and whole:
        text = _success(value, status, content_type)
    elif good:
        text = f"{status}, but the body is not valid JSON."
    else:
        text = _error(result, status, headers)
    if expose and value is not None and not (good and whole):
        text += "\n" + _excerpt(value, 200 if good else EXCERPT)
    return Outcome(
        text=text,
        value=value,
        reason=None if good and whole else "output" if good else "status",
        response=Response(
            status=result.status,
            headers=headers,
            retry_after=None if good else retry_after(result.headers),
            sent="yes",
        ),
        function=name,
    )


def _lost(result: Lost, method: str, name: str) -> Outcome:
    text = f"{result.reason}."
    if result.status is not None:
        text = f"{_status(result.status)}, but: {text}"
    if result.sent == "no":
        text += " The request was not sent."
    elif method not in SAFE:
        text += " The request was sent, and may have been carried out."
    return Outcome(
        text=text,
        reason="deadline" if result.late else "transport",
        response=Response(
            status=result.status,
            headers=_joined(result.headers),
            retry_after=retry_after(result.headers),
            sent=result.sent,
        ),
        function=name,
    )


def _value(result: Received, content_type: str) -> tuple[object, bool]:
    """Return the value of a body, and whether it is of its content type."""
    body = result.body
    if not body or result.status in (204, 205, 304):
        return None, True
    media = media_type_of(content_type)
    if is_json_media(media):
        text = _text_of(body, detect_encoding(body))
        read = parse_strict(text, DEPTH) if isinstance(text, str) else None
        return (text, False) if read is None else (read[0], True)
    if is_text_media(media) or not media:
        codec = codec_of(content_type)
        return (body if codec is None else _text_of(body, codec)), True
    return body, True


_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_COMPACT = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _text_of(body: bytes, codec: str) -> str | bytes:
    try:
        return body.decode(codec)
    except UnicodeError:
        return body


def _success(value: object, status: str, content_type: str) -> str:
    if value is None:
        return f"Done: {status}"
    if isinstance(value, bytes):
        kind = content_type or "no content type"
        return f"{shortened(visible(kind), 100)}, {len(value)} bytes"
    text = value.replace("\r\n", "\n") if isinstance(value, str) else _COMPACT(value)
    shown = visible(text)
    hidden = len(text) - len(shown)
    return f"{shown}\n[{hidden} hidden characters left out]" if hidden else shown


def _error(result: Received, status: str, headers: Mapping[str, str]) -> str:
    if 300 <= result.status < 400 and "location" in headers:
        where = origin_of(headers["location"])
        target = "another address" if where is None else visible(where)
        return f"{status}: the server redirects to {target}, which is not followed."
    wait = retry_after(result.headers)
    return status if wait is None else f"{status}. The server asks to wait {wait:g} s."


def _excerpt(value: object, limit: int) -> str:
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    return shortened(visible(value if isinstance(value, str) else _COMPACT(value)), limit)


def _status(status: int) -> str:
    phrase = _PHRASES.get(status)
    return str(status) if phrase is None else f"{status} {phrase}"


def _joined(headers: Headers) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in headers:
        between = "\n" if name == "set-cookie" else ", "
        found[name] = f"{found[name]}{between}{value}" if name in found else value
    return found

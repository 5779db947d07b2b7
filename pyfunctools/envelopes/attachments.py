"""Files in the results of calls: in the form that a vendor accepts, or named in the text."""

from collections.abc import Iterable
from mimetypes import guess_type
from typing import Final

from pyfunctools.envelopes.envelope import CallResult
from pyfunctools.record.file import File

IMAGES: Final = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""Media types of images that every vendor with images accepts."""


def media_type_of(file: File) -> str:
    """Return the media type of a file without parameters, by default guessed from its name."""
    given = file.content_type or (guess_type(file.filename)[0] if file.filename else None)
    return (given or "application/octet-stream").partition(";")[0].strip().lower()


def base64_of(file: File) -> str:
    """Return the content of a file in base64, which is the text of a `File`."""
    return str(file)


def data_url(file: File) -> str:
    """Return a file as a `data:` URL."""
    return f"data:{media_type_of(file)};base64,{base64_of(file)}"


def with_files_named(text: str, files: Iterable[File]) -> str:
    """Return a text with a line for each of the files, which the model cannot see."""
    lines = [
        f"[A file came with this result that cannot be shown here: {file.filename or 'unnamed'}, "
        f"{media_type_of(file)}, {len(file.content)} bytes.]"
        for file in files
    ]
    return "\n".join([text, *lines] if text else lines)


def text_with_error(result: CallResult, files: Iterable[File]) -> str:
    """Return a result's text with these files named, beginning with `Error:` if it is an error."""
    text = result.text
    if result.is_error and text[:5].lower() != "error":
        text = f"Error: {text}"
    return with_files_named(text, files)

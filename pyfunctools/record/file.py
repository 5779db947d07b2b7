"""`File`: bytes with a name and a media type, in arguments and beside the text of an outcome."""

from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Iterator
from typing import Any, cast

from pyfunctools._json import JsonSchema
from pyfunctools.errors import wrong_type


class File(str):
    """The bytes of a file, with the name and the media type to send them with.

    As a `str` it is the content in base64, which schemas validate and JSON contains. In a multipart
    or binary body the bytes are sent, unless the schema there requires base64. No file is opened:
    write `File(path.read_bytes(), filename=path.name)`.
    """

    __slots__ = ("content", "content_type", "filename")

    content: bytes
    filename: str | None
    content_type: str | None

    def __new__(
        cls, content: bytes, filename: str | None = None, content_type: str | None = None
    ) -> "File":
        """Make a file of bytes.

        Raises:
            DefinitionError: the content is not bytes, or the name or the media type is not text.
        """
        if not isinstance(content, bytes | bytearray | memoryview):  # pyright: ignore
            remedy = "Write `File(path.read_bytes(), filename=path.name)`: nothing is opened here."
            raise wrong_type("File(content)", "`bytes`", content, remedy)
        for name, text in (("filename", filename), ("content_type", content_type)):
            if text is not None and not isinstance(text, str):  # pyright: ignore
                raise wrong_type(f"File({name})", "text", text)
        file = super().__new__(cls, b64encode(content).decode("ascii"))
        file.content = bytes(content)
        file.filename = filename
        file.content_type = content_type
        return file

    def __repr__(self) -> str:
        return f"File({len(self.content)} bytes, filename={self.filename!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return (File, (self.content, self.filename, self.content_type))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        from pydantic_core.core_schema import with_info_plain_validator_function  # hints alone

        return with_info_plain_validator_function(cls._given)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: object, handler: object) -> JsonSchema:
        return {"type": "string", "format": "binary"}

    @classmethod
    def _given(cls, value: object, info: Any) -> "File":
        """Return the file behind its base64 text: one of the call's (`files_in`), or a new one."""
        if isinstance(value, File):
            return value
        if not isinstance(value, str):
            raise ValueError("must be a file")
        files: object = info.context
        known = cast("dict[str, object]", files).get(value) if isinstance(files, dict) else None
        return known if isinstance(known, File) else cls(b64decode(value, validate=True))

    def spelled(self, schema: JsonSchema | bool) -> bytes:
        """Return the bytes to send: the content, or base64 if the schema requires it."""
        if not isinstance(schema, dict):
            return self.content
        if schema.get("contentEncoding") == "base64url":
            return urlsafe_b64encode(self.content)
        if schema.get("contentEncoding") == "base64" or schema.get("format") == "byte":
            return self.encode("ascii")
        return self.content


def files_in(value: object) -> Iterator[File]:
    """Yield the files in JSON that a program gave."""
    if isinstance(value, File):
        yield value
    elif isinstance(value, dict | list | tuple):
        held = cast("dict[str, object] | list[object]", value)
        for each in held.values() if isinstance(held, dict) else held:
            yield from files_in(each)

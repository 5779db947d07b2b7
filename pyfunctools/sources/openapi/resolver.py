"""References into other files, bounded to a directory."""

from os import PathLike
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyfunctools.errors import DocumentError
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.sources.openapi.document import Resolver


def files_under(root: str | PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> Resolver:
    """Return a resolver that reads files below a directory, and nothing else.

    Where the document came from a file, its references are relative to that file; else they are
    relative to `root`. Links are followed first: what they lead to has to be below `root` as well.

    Raises:
        DocumentError: `root` is not a directory.
    """
    home = Path(root).resolve()
    if not home.is_dir():
        raise DocumentError(str(root), "This is not a directory to read references from.")

    def resolver(uri: str) -> bytes:
        parts = urlsplit(uri)
        if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
            raise DocumentError(uri, "This is not a file, and only files are read.")
        try:
            path = (home / unquote(parts.path)).resolve()
            if not path.is_relative_to(home):
                raise DocumentError(uri, f"This file is outside {home}.")
            with path.open("rb") as file:
                return file.read(limits.document + 1)  # one more shows that it is too large
        except (OSError, ValueError, RuntimeError) as error:
            raise DocumentError(uri, f"This file cannot be read: {error}.") from error

    return resolver

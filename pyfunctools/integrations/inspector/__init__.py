"""A page in the browser that shows a controller and tries its functions: see, check, run, answer.

HTML is made here, and works without scripts; nothing is loaded from another host.
"""

from pyfunctools.errors import MissingExtraError

try:
    import python_multipart as python_multipart  # Starlette reads forms with it

    from pyfunctools.integrations.inspector.inspector_page import inspector_app
except ImportError as error:
    raise MissingExtraError("inspector", f"{error.name} is not installed.", "inspector") from error

__all__ = ["inspector_app"]

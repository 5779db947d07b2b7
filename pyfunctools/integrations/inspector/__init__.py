"""A page in the browser that shows a controller and tries its functions: see, check, run, answer.

HTML is made here, and works without scripts; nothing is loaded from another host.
"""

from pyfunctools.errors import missing_extra

try:
    import python_multipart as python_multipart  # Starlette reads forms with it

    from pyfunctools.integrations.inspector.inspector_page import inspector_app
except ImportError as error:
    package = str(error.name).partition(".")[0]
    raise missing_extra("inspector", package, package, "inspector", error) from error

__all__ = ["inspector_app"]

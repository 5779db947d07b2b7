"""A page in the browser that shows a controller and tries its functions: see, check, run, answer.

app.mount("/tools", controller.inspector(audience=login))   # in an application, for its people
pyfunctools inspect openapi.json --server https://...       # on 127.0.0.1, for its developer

HTML is made here, and works without scripts; nothing is loaded from another host.
"""

from pyfunctools.errors import MissingExtraError

try:
    import python_multipart as python_multipart  # Starlette reads forms with it

    from pyfunctools.integrations.inspector.inspector_page import inspector_app
except ImportError as error:
    raise MissingExtraError("inspector", f"{error.name} is not installed.", "inspector") from error

__all__ = ["inspector_app"]

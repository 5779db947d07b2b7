"""Serves the page on 127.0.0.1, for `pyfunctools inspect`."""

import secrets
import webbrowser
from socket import create_server
from threading import Thread

from uvicorn import Config, Server

from pyfunctools import Controller
from pyfunctools.errors import DefinitionError
from pyfunctools.integrations.inspector.inspector_page import inspector_app


def serve_inspector(
    controller: Controller, *, port: int, opens: bool, context: object, source: str
) -> None:
    """Serve the page of a controller until it is interrupted; port 0 takes a free one.

    Raises:
        DefinitionError: the port cannot be served.
    """
    if not 0 <= port < 1 << 16:
        raise DefinitionError("--port", f"{port} is not a port.", "Write one of 0 to 65535.")
    try:
        listening = create_server(("127.0.0.1", port))
    except OSError as error:
        raise DefinitionError("--port", f"{port} cannot be served: {error}.") from None
    token = secrets.token_urlsafe(32)
    app = inspector_app(controller, token=token, context=lambda _: context, source=source)  # pyright: ignore
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}"
    print(address, flush=True)  # from now on requests are answered: the socket holds them
    if opens:
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    config = Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    with listening:
        Server(config).run(sockets=[listening])

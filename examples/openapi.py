"""An OpenAPI document as functions: each operation becomes one, and a call is a real request."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pyfunctools import Controller

DOCUMENT = """
openapi: 3.1.0
info: {title: Weather, version: "1"}
paths:
  /forecast/{city}:
    get:
      summary: Forecast the weather
      parameters:
        - {name: city, in: path, required: true, schema: {type: string}}
        - {name: days, in: query, schema: {type: integer, minimum: 1, maximum: 7}}
      responses:
        "200":
          description: The forecast.
          content:
            application/json:
              schema: {type: object, properties: {path: {type: string}}}
"""


class Weather(BaseHTTPRequestHandler):
    """Answers with the path it was asked for."""

    def do_GET(self) -> None:
        body = f'{{"path": "{self.path}"}}'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


@contextmanager
def weather_service() -> Generator[str]:
    """Serve on a free port of this machine, and give the base URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Weather) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def main() -> None:
    with (
        weather_service() as url,
        Controller.from_openapi(DOCUMENT, server=url) as weather,
    ):
        forecast = weather["forecast_getByCity"]
        print(forecast.name, "-", forecast.description)
        print(forecast.parameters)

        answer = weather.call(forecast.name, '{"city": "New York", "query": {"days": "3"}}')
        answer.unwrap()  # which raises where it did not work
        print(answer.text, answer.value)

        refused = weather.call(forecast.name, {"city": "Oslo", "query": {"days": 9}})
        print(refused.text)

        # A path value is one segment, whatever the model writes.
        climbing = weather.call(forecast.name, {"city": "New York/.."})
        print(climbing.text)


if __name__ == "__main__":
    main()

"""A document's human part: files, passwords and keys are nothing a model gives or sees."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from pyfunctools import Controller, File

DOCUMENT = """
openapi: 3.1.0
info: {title: Claims, version: "1"}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
security: [{key: []}]
paths:
  /claims:
    post:
      summary: Hand in a claim
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [reason, photo, pin]
              properties:
                reason: {type: string}
                photo: {type: string, format: binary}
                pin: {type: string, format: password}
                iban: {type: string, x-human: true}
"""


class Claims(BaseHTTPRequestHandler):
    """Says what it was sent."""

    def do_POST(self) -> None:
        """Answer with the parts that came."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        found = [name for name in ("reason", "photo", "pin") if f'"{name}"'.encode() in body]
        answer = f"{', '.join(found)}; the key is {self.headers['X-Key']}"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


def main() -> None:
    server = HTTPServer(("127.0.0.1", 0), Claims)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with Controller.from_openapi(DOCUMENT, server=url, auth={"key": "k-123"}) as claims:
        separated = claims["claims_post"].separated
        assert separated is not None
        print("the model sees ", separated.llm["properties"])
        print("a person gives ", separated.human)

        # A model that writes a file's name or a password gets feedback; nothing is opened or sent.
        wrote = {"body": {"reason": "hail", "photo": "/etc/passwd", "pin": "0000"}}
        print(claims.call("claims_post", wrote).text)

        # The program shows a form for `waiting.questions`, and calls again with what is given.
        wrote = {"body": {"reason": "hail"}}
        waiting = claims.call("claims_post", wrote)
        print(waiting.text, waiting.reason)
        gave = {"body": {"photo": File(b"...", "roof.png", "image/png"), "pin": "1234"}}
        print(claims.call("claims_post", wrote, human=gave).text)

        # What the person gave wrong is no fault of the model's, and the model is told only that.
        print(claims.call("claims_post", wrote, human={"body": {"photo": 7, "pin": "1234"}}).text)
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()

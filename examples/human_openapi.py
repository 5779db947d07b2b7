"""Files, passwords and marked values of an OpenAPI document: only a person may give them."""

import httpx

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


def service(request: httpx.Request) -> httpx.Response:
    """Answer with the names of the parts that arrived, in place of a real service."""
    body = request.read()
    found = [name for name in ("reason", "photo", "pin") if f'"{name}"'.encode() in body]
    return httpx.Response(200, text=f"{', '.join(found)}; the key is {request.headers['X-Key']}")


def main() -> None:
    client = httpx.Client(transport=httpx.MockTransport(service))
    url, auth = "https://claims.example", {"key": "k-123"}
    with client, Controller.from_openapi(DOCUMENT, server=url, auth=auth, client=client) as claims:
        separated = claims["claims_post"].separated
        assert separated is not None
        print("the model sees ", separated.llm["properties"])
        print("a person gives ", separated.human)

        # A model that writes a file's name or a password gets feedback; nothing is opened or sent.
        wrote = {"body": {"reason": "hail", "photo": "/etc/passwd", "pin": "0000"}}
        refused = claims.call("claims_post", wrote)
        assert refused.reason == "arguments"
        print(refused.text)

        # The program shows a form for the outcome's questions, and calls again with the answers.
        wrote = {"body": {"reason": "hail"}}
        waiting = claims.call("claims_post", wrote)
        print(waiting.text, waiting.reason)
        gave = {"body": {"photo": File(b"...", "roof.png", "image/png"), "pin": "1234"}}
        handed_in = claims.call("claims_post", wrote, human=gave)
        assert handed_in.text == "reason, photo, pin; the key is ***"
        print(handed_in.text)

        # A wrong value of the person is not the model's mistake; the text contains only that.
        print(claims.call("claims_post", wrote, human={"body": {"photo": 7, "pin": "1234"}}).text)


if __name__ == "__main__":
    main()

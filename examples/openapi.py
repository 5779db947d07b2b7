"""An OpenAPI document as functions: each operation is a function, and a call sends a request."""

import httpx

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


def weather_service(request: httpx.Request) -> httpx.Response:
    """Answer with the path that was asked for, in place of a real service."""
    return httpx.Response(200, json={"path": request.url.raw_path.decode()})


def main() -> None:
    client = httpx.Client(transport=httpx.MockTransport(weather_service))
    url = "https://weather.example"
    with client, Controller.from_openapi(DOCUMENT, server=url, client=client) as weather:
        forecast = weather["forecast_getByCity"]
        print(forecast.name, "-", forecast.description)
        print(forecast.parameters)

        answer = weather.call(forecast.name, '{"city": "New York", "query": {"days": "3"}}')
        assert answer.unwrap() == {"path": "/forecast/New%20York?days=3"}  # raises if it failed
        print(answer.text, answer.value)

        refused = weather.call(forecast.name, {"city": "Oslo", "query": {"days": 9}})
        assert refused.reason == "arguments"
        print(refused.text)

        # A path value is one segment, whatever the model writes.
        climbing = weather.call(forecast.name, {"city": "New York/.."})
        assert climbing.reason == "arguments"
        print(climbing.text)


if __name__ == "__main__":
    main()

"""moto behind a front that does what EC2 does and moto leaves out. Prints its address once it listens."""

import io
import json
import os
import socket
import sys
import threading
from typing import Any
from urllib.parse import parse_qs, unquote
from uuid import uuid4

HOST = "127.0.0.1"
os.environ["MOTO_ENABLE_ISO_REGIONS"] = "false"
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "1000000000"

from moto.moto_server.werkzeug_app import (  # noqa: E402
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import make_server  # noqa: E402

import control  # noqa: E402
import ec2  # noqa: E402
import fleet  # noqa: E402
import iam  # noqa: E402
import images  # noqa: E402
import journal  # noqa: E402
import prices  # noqa: E402
from state import STATE  # noqa: E402

# Answers that are large and always the same, by what was asked.
CACHED = ("DescribeInstanceTypes", "DescribeInstanceTypeOfferings", "DescribeSpotPriceHistory")


class Front:
    def __init__(self, endpoint: str) -> None:
        self.moto = DomainDispatcherApplication(create_backend_app)
        self.endpoint = endpoint
        self.cache: dict[bytes, Any] = {}

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        path = environ.get("PATH_INFO", "")
        target = environ.get("HTTP_X_AMZ_TARGET", "")
        if path.startswith("/front/"):
            return self.control(environ, path, body, start_response)
        if target == "AWSPriceListService.GetProducts":
            request = json.loads(body)
            journal.record("pricing", "GetProducts", request, None, environ.get("HTTP_USER_AGENT", ""))
            return answer(start_response, prices.get_products(request))
        if path.startswith("/managedresources/"):
            return self.zonal_shift(environ, path, start_response)
        if any(f"Action={action}&".encode() in body for action in CACHED) and b"DryRun=true" not in body:
            return self.cached(environ, body, start_response)
        return self.moto_answer(environ, start_response)

    def moto_answer(self, environ: dict[str, Any], start_response: Any) -> Any:
        return self.moto.get_application(environ)(environ, start_response)

    def cached(self, environ: dict[str, Any], body: bytes, start_response: Any) -> Any:
        key = environ.get("HTTP_AUTHORIZATION", "").split("/")[2].encode() + body
        if key not in self.cache:
            seen: dict[str, Any] = {}

            def note(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
                seen.update(status=status, headers=headers)

            content = b"".join(self.moto_answer(environ, note))
            if not seen["status"].startswith("200"):
                start_response(seen["status"], seen["headers"])
                return [content]
            self.cache[key] = (seen["headers"], content, STATE.journal[-1]["params"])
        else:
            action = parse_qs(body.decode())["Action"][0]
            journal.record("ec2", action, self.cache[key][2], None, environ.get("HTTP_USER_AGENT", ""))
        headers, content, _ = self.cache[key]
        start_response("200 OK", headers)
        return [content]

    def zonal_shift(self, environ: dict[str, Any], path: str, start_response: Any) -> Any:
        identifier = unquote(path.removeprefix("/managedresources/"))
        agent = environ.get("HTTP_USER_AGENT", "")
        journal.record("arc-zonal-shift", "GetManagedResource", {"resourceIdentifier": identifier}, None, agent)
        return answer(start_response, {"arn": identifier, "zonalShifts": STATE.zonal_shifts})

    def control(self, environ: dict[str, Any], path: str, body: bytes, start_response: Any) -> Any:
        query = {key: values[0] for key, values in parse_qs(environ.get("QUERY_STRING", "")).items()}
        name = path.removeprefix("/front/")
        try:
            value = control.handle(
                environ["REQUEST_METHOD"], name, query, json.loads(body or b"null"), self.endpoint
            )
        except Exception as error:  # noqa: BLE001 - told to the test that asked
            return answer(start_response, {"message": repr(error)}, "500 Internal Server Error")
        return answer(start_response, value)


def answer(start_response: Any, value: Any, status: str = "200 OK") -> Any:
    content = control.dumps(value)
    headers = {
        "content-type": "application/x-amz-json-1.1",
        "content-length": str(len(content)),
        "x-amzn-requestid": str(uuid4()),
    }
    start_response(status, list(headers.items()))
    return [content]


def main() -> None:
    for part in (journal, ec2, fleet, iam, images, prices):
        part.install()
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    endpoint = f"http://{HOST}:{port}"
    server = make_server(HOST, port, Front(endpoint), threaded=True, request_handler=QuietHandler)
    # Whoever started this holds its input open: when that ends, so does this.
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    print(endpoint, flush=True)
    server.serve_forever()


class QuietHandler(MotoRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_: Any, **__: Any) -> None:
        pass


if __name__ == "__main__":
    main()

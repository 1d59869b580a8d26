"""The HTTP server: requests to the service, and `/_emulation` to tell it what to do wrong."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from emulation.http_server import Handler, Server, running
from emulation.service import KnowledgeBaseService
from emulation.wire import Answer, Request

CONTROL = "/_emulation"


@contextmanager
def serving(service: KnowledgeBaseService, port: int = 0) -> Iterator[str]:
    """Answer on a port of 127.0.0.1, a free one where it is 0; gone at the end.

    Yields:
        The URL.
    """

    class ServiceHandler(Handler):
        def do_GET(self) -> None:  # noqa: N802
            request = Request(self.command, self.path, self.read_headers(), self.read_body())
            is_control = self.path.startswith(CONTROL)
            answer = _answer_control(service, request) if is_control else service.answer(request)
            if answer is None:
                self.hang_up()
            else:
                self._send(answer)

        do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815

        def _send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

    with running(Server(ServiceHandler, port)) as server:
        try:
            yield server.url
        finally:
            service.close()


def _answer_control(service: KnowledgeBaseService, request: Request) -> Answer:
    """`POST /_emulation/faults {"fault": "throttle", "operation": "Retrieve", "times": 3}`, `GET /_emulation`."""
    try:
        match request.method, request.target.rstrip("/"):
            case "POST", "/_emulation/faults":
                given = json.loads(request.body)
                service.faults.told(given.pop("fault"), given)
                return _json(200, {"told": "the fault will happen"})
            case "DELETE", "/_emulation/faults":
                service.faults.clear()
                return _json(200, {"told": "nothing goes wrong any more"})
            case "GET", "/_emulation":
                calls = [{"operation": call.operation, "refused": call.refused} for call in service.calls]
                return _json(200, {"emulation": "no AWS service answers here", "calls": calls})
            case _:
                return _json(404, {"error": "there is GET /_emulation, POST and DELETE /_emulation/faults"})
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        return _json(400, {"error": str(error)})


def _json(status: int, content: Any) -> Answer:
    return Answer(status, {"Content-Type": "application/json"}, json.dumps(content, ensure_ascii=False).encode())

"""The HTTP server: requests to the service, and `/_emulation` to tell it what to do wrong."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rag_assets_tests.knowledge_base.service import KnowledgeBaseService
from rag_assets_tests.knowledge_base.wire import Answer, Request

CONTROL = "/_emulation"


@contextmanager
def serving(service: KnowledgeBaseService, port: int = 0) -> Iterator[str]:
    """Answer on a port of 127.0.0.1, a free one where it is 0; gone at the end.

    Yields:
        The URL.
    """
    connections: list[socket.socket] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            connections.append(self.connection)

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, self.path, headers, body)
            told = self.path.startswith(CONTROL)
            answer = _controlled(service, request) if told else service.answer(request)
            with suppress(OSError):
                self._send(answer)

        do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815

        def _send(self, answer: Answer | None) -> None:
            if answer is None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    httpd = Server(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_address[1]}"
    finally:
        service.close()
        httpd.shutdown()
        httpd.server_close()
        for connection in connections:
            # Else a kept-alive connection would go on being answered by its thread.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        thread.join()


def _controlled(service: KnowledgeBaseService, request: Request) -> Answer:
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

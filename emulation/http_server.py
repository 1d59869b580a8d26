"""A small HTTP server on 127.0.0.1: the one base of every server that the emulation, the tests and the benchmarks run.

What is answered belongs to the handlers that derive from `Handler`.
"""

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """Keeps connections open, sends at once and logs nothing."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def read_headers(self) -> dict[str, str]:
        """The headers of the request, names in lower case."""
        return {name.lower(): value for name, value in self.headers.items()}

    def read_body(self) -> bytes:
        """The body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def hang_up(self) -> None:
        """Close the connection, whatever was sent."""
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class Server(ThreadingHTTPServer):
    """Closes the connections that clients keep open when it ends; otherwise their threads would go on answering."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        self._connections: set[Any] = set()
        super().__init__(("127.0.0.1", port), handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle a connection in a thread of its own, and remember it."""
        self._connections.add(request)
        super().process_request(request, client_address)

    def close_request(self, request: Any) -> None:
        """Close a connection."""
        self._connections.discard(request)
        super().close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing where a client has gone; anything else is a fault of the handler."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Stop listening and close all connections."""
        self.shutdown()
        self.server_close()
        for connection in tuple(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @property
    def url(self) -> str:
        """Its endpoint."""
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """A server that answers in a thread of its own until the end of the block."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()

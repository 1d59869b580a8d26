"""A real HTTP server on 127.0.0.1 that answers as a test tells it, well or badly, and counts requests.

Nothing of any site belongs here; a test brings the pages.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from emulation.http_server import Handler, Server, running


@dataclass(frozen=True)
class Request:
    """One request as it came in; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    at: float


@dataclass(frozen=True)
class Answer:
    """One response.

    Attributes:
        delay: Seconds of silence before it.
        claimed_length: `Content-Length` where it is not to be the truth.
        chunked: Send the body in chunks; `broken` ends in the middle of one.
        trickle: Seconds between one byte of the body and the next.

    An answer with an `ETag` or `Last-Modified` becomes a 304 by itself when the request holds the same.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    claimed_length: int | None = None
    chunked: bool = False
    broken: bool = False
    trickle: float = 0.0


Script = Callable[[Request], Answer]


def page(text: str, **headers: str) -> Answer:
    """A page in UTF-8 that says so; `ETag="…"` and the like by keyword, `_` for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body=text.encode(), headers={"Content-Type": "text/html; charset=utf-8"} | named)


def redirect(location: str, status: int = 302) -> Answer:
    """A redirect."""
    return Answer(status=status, headers={"Location": location})


class ScriptedServer:
    """Answers by path; what has no script is a 404, unless told otherwise."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._scripts: dict[str, list[Answer] | Script] = {}
        self._otherwise: list[Answer] = [Answer(status=404, body=b"no such page")]
        self._lock = threading.Lock()
        self.url = ""

    def on(self, path: str, *answers: Answer) -> None:
        """Answer this path with each in turn, the last one for ever."""
        self._scripts[path] = list(answers)

    def otherwise(self, *answers: Answer) -> None:
        """Answer every other path with each in turn, the last one for ever."""
        self._otherwise = list(answers)

    def script(self, path: str, script: Script) -> None:
        """Answer this path with what the function returns; it runs in the request's own thread."""
        self._scripts[path] = script

    def asked(self, path: str) -> list[Request]:
        """The requests for a path so far."""
        return [request for request in self.requests if request.path == path]

    def count(self, path: str) -> int:
        """How many."""
        return len(self.asked(path))

    def forget(self) -> None:
        """Count from zero again."""
        self.requests.clear()

    def answer(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            script = self._scripts.get(request.path, self._otherwise)
            if isinstance(script, list):
                return script.pop(0) if len(script) > 1 else script[0]
        return script(request)


@contextmanager
def serving() -> Iterator[ScriptedServer]:
    """A server on a free port of 127.0.0.1, gone at the end."""
    scripted = ScriptedServer()

    class ScriptHandler(Handler):
        def do_GET(self) -> None:  # noqa: N802
            headers = self.read_headers()
            self.read_body()
            _send(self, scripted.answer(Request(self.path, headers, time.monotonic())), headers)

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815

    with running(Server(ScriptHandler)) as server:
        scripted.url = server.url
        yield scripted


def _send(handler: Handler, answer: Answer, headers: Mapping[str, str]) -> None:
    time.sleep(answer.delay)
    status, body = answer.status, answer.body
    pairs = (("ETag", "if-none-match"), ("Last-Modified", "if-modified-since"))
    known = [name for name, asked in pairs if name in answer.headers and headers.get(asked) == answer.headers[name]]
    if status == 200 and known:
        status, body = 304, b""
    handler.send_response(status)
    for name, value in answer.headers.items():
        handler.send_header(name, value)
    if answer.chunked:
        handler.send_header("Transfer-Encoding", "chunked")
    else:
        length = len(body) if answer.claimed_length is None else answer.claimed_length
        handler.send_header("Content-Length", str(length))
    handler.end_headers()
    if answer.chunked:
        handler.wfile.write(
            b"%x\r\n" % len(body) + (body[: len(body) // 2] if answer.broken else body + b"\r\n0\r\n\r\n")
        )
    elif answer.trickle:
        for byte in body:
            handler.wfile.write(bytes([byte]))
            time.sleep(answer.trickle)
    else:
        handler.wfile.write(body)
    if answer.broken or answer.claimed_length is not None:
        handler.close_connection = True

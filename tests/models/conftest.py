"""A file server on the loopback that can be told to misbehave, and an own folder of models."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


@dataclass
class FileServer:
    """Serves `files`, to whoever gives the user "u" and the `password` if one is set.

    `cuts` holds, for the next requests, how many bytes to send before the connection breaks.
    """

    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    etag: str | None = '"one"'
    ranges: bool = True
    password: str | None = None
    cuts: list[int] = field(default_factory=list)
    seen: list[tuple[str, str | None, str | None]] = field(default_factory=list)

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}"


def _handler(server: FileServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            wanted, condition = self.headers.get("Range"), self.headers.get("If-Range")
            server.seen.append((self.path, wanted, condition))
            if server.password is not None and self.headers.get("Authorization") != _basic(server.password):
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="models"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            data = server.files.get(self.path.lstrip("/"))
            if data is None:
                self.send_error(404)
                return
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and server.ranges else 0
            if condition is not None and condition != server.etag:
                start = 0
            if start >= len(data):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(data)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            if server.etag is not None:
                self.send_header("ETag", server.etag)
            if self.path.endswith("/"):
                self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            if server.cuts:
                self.wfile.write(data[start : start + server.cuts.pop(0)])
                self.close_connection = True
            else:
                self.wfile.write(data[start:])

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def _basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"u:{password}".encode()).decode()


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away in the middle are what these tests are about."""


@pytest.fixture
def server() -> Iterator[FileServer]:
    state = FileServer()
    http = _Quiet(("127.0.0.1", 0), _handler(state))
    state.port = http.server_port
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of models, empty and own to the test."""
    monkeypatch.setenv("SSE_TUI_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setattr("sse_tui.models.download._DELAYS_S", (0.0, 0.0, 0.0))
    return tmp_path / "models"

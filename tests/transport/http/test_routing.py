"""What the stamping transport leaves to httpcore: proxies and HTTP/2."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import sys

import httpx
import pytest

from sse_tui.errors import UsageError
from sse_tui.faults import parse_plan
from sse_tui.recording.records import Chunk, Close, Fault, Phase, Response
from sse_tui.transport import Driver, Timeouts
from sse_tui.transport.http.routing import proxy_for
from tests.transport.turns import QUICK, Marked, run
from tests.transport.wire import CHUNKED, FIN, HOLD, RST, Sleep, Step, chunked, chunks, pipe, response, wire

EVENT = b"id: 1\ndata: a\n\n"
DONE = b"data: [DONE]\n\n"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name.upper()}_PROXY", raising=False)


def test_which_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    monkeypatch.setenv("https_proxy", "proxy:3129")
    monkeypatch.setenv("no_proxy", "inside.example,.local")
    assert proxy_for(httpx.URL("http://example.com/")) == "http://proxy:3128"
    assert proxy_for(httpx.URL("https://example.com/")) == "http://proxy:3129"
    for direct in ("inside.example", "a.local", "127.0.0.1", "127.9.9.9", "localhost", "[::1]"):
        assert proxy_for(httpx.URL(f"http://{direct}/")) is None


async def test_a_stream_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [step for n in range(3) for step in (chunks(b"id: %d\ndata: x\n\n" % n), Sleep(0.01))]
    async with wire([CHUNKED, *steps], [chunked(DONE)]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        ran = await run("http://far.invalid/stream", policy=QUICK, dialect=Marked())
    assert proxy.seen[0].target == "http://far.invalid/stream"
    assert proxy.seen[0].header("accept") == b"text/event-stream"
    assert proxy.seen[1].header("last-event-id") == b"2"
    assert {chunk.clock for chunk in ran.of(Chunk)} == {
        None
    }  # the session's: kernel stamps, where there are any
    assert ran.closes == ["incomplete", "eof"]
    assert [phase.name for phase in ran.of(Phase)][:4] == ["dns", "tcp", "sent", "headers"]
    times = [record.t for record in ran.records]
    assert times == sorted(times)


async def test_faults_and_stop_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with wire([CHUNKED, chunks(EVENT, EVENT), HOLD], [CHUNKED, chunks(EVENT), HOLD]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        cut = await run("http://far.invalid/", plan="reset@event=1")
        await asyncio.wait_for(proxy.gone.wait(), 1)
        assert proxy.seen[0].ended == "rst"

        def on(driver: Driver, record: object) -> None:
            if isinstance(record, Chunk):
                asyncio.get_running_loop().call_later(0.01, driver.arm, parse_plan("stall=10ms@now"))
                asyncio.get_running_loop().call_later(0.1, driver.stop)

        stopped = await run("http://far.invalid/", on=on, virtual=False)
    assert cut.body() == EVENT
    assert len(stopped.of(Fault)) == 1
    assert stopped.outcome == "stopped"


async def test_a_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async with wire() as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
    ran = await run("http://far.invalid/")
    assert ran.driver.error is not None
    assert ran.driver.error.code == "proxy"
    assert f"the proxy 127.0.0.1:{proxy.port}" in ran.driver.error.message


@pytest.mark.parametrize(
    "proxy", ["socks5://user:secret@127.0.0.1:1", "gopher://127.0.0.1:1", "http://user:secret@h:port"]
)
async def test_a_proxy_of_another_kind(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", proxy)
    ran = await run("http://far.invalid/")
    assert ran.driver.error is not None
    assert ran.driver.error.code == "proxy"
    assert "secret" not in str(ran.driver.error)


async def test_timeouts_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with wire([HOLD], [CHUNKED, chunks(EVENT), HOLD]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        first = await run("http://far.invalid/", timeouts=Timeouts(first_byte=0.1))
        idle = await run("http://far.invalid/", timeouts=Timeouts(idle=0.1))
    assert first.driver.error is not None
    assert first.driver.error.code == "first-byte-timeout"
    assert idle.driver.error is not None
    assert idle.driver.error.code == "idle-timeout"


async def test_a_refusal_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with wire([response("407 Proxy Authentication Required", b"who?")]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        ran = await run("http://far.invalid/")
    assert ran.driver.error is not None
    assert ran.driver.error.code == "http-407"


class H2Server:
    """Answers each request with an event stream that ends as told: "end", "reset" or "goaway"."""

    def __init__(self, ending: str) -> None:
        self._ending = ending

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        import h2.config
        import h2.connection
        import h2.events

        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        try:
            while data := await reader.read(65536):
                for event in connection.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        stream = event.stream_id
                        connection.send_headers(
                            stream, [(":status", "200"), ("content-type", "text/event-stream")]
                        )
                        connection.send_data(stream, EVENT)
                        writer.write(connection.data_to_send())
                        await asyncio.sleep(0.02)
                        if self._ending == "end":
                            connection.send_data(stream, EVENT, end_stream=True)
                        elif self._ending == "reset":
                            connection.reset_stream(stream, 2)
                        else:
                            connection.close_connection(error_code=1)
                writer.write(connection.data_to_send())
        except OSError:
            pass
        finally:
            writer.close()


async def test_what_came_in_one_read_is_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    async with wire([chunked(*[EVENT] * 50)]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        ran = await run("http://far.invalid/")
    assert len(ran.of(Chunk)) == 1
    assert ran.body() == EVENT * 50


async def test_a_stall_is_backpressure_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    filler = b"data: " + b"x" * 65_000 + b"\n\n"
    sent: list[int] = []
    async with wire([CHUNKED, chunks(EVENT), Sleep(0.02), *[chunks(filler)] * 400, HOLD]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")

        def on(driver: Driver, record: object) -> None:
            if isinstance(record, Fault):
                asyncio.get_running_loop().call_later(0.2, lambda: sent.append(proxy.seen[0].sent))
                asyncio.get_running_loop().call_later(0.25, driver.stop)

        await run("http://far.invalid/", plan="stall=60s@event=1", virtual=False, on=on)
    assert sent[0] < 400 * 65_000 * 0.9


async def test_silence_in_a_body_is_not_the_wait_for_its_first_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    async with wire([CHUNKED, chunks(EVENT), Sleep(0.3), chunks(EVENT), b"0\r\n\r\n"]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        ran = await run("http://far.invalid/", timeouts=Timeouts(first_byte=0.1, idle=None))
    assert ran.closes == ["eof"]
    assert ran.body() == EVENT * 2


async def test_a_reset_from_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with wire([CHUNKED, chunks(EVENT), Sleep(0.02), RST]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        ran = await run("http://far.invalid/")
    assert ran.closes == ["reset"]
    assert ran.of(Close)[0].detail == "the server reset the connection"


@pytest.mark.parametrize(("step", "close"), [(FIN, "error"), (RST, "reset")])
async def test_a_proxy_that_closes_without_an_answer(
    step: Step, close: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with wire([step]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        ran = await run("http://far.invalid/")
    assert ran.closes == [close]
    assert ran.driver.error is not None
    assert ran.driver.error.code == "no-response"


async def test_a_header_that_cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    async with wire([HOLD]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        ran = await run("http://far.invalid/", headers=[("X", "a\r\nHost: b")])
    assert isinstance(ran.driver.error, UsageError)
    assert ran.driver.error.code == "bad-header"


async def test_a_fault_before_a_proxy_answers_closes_the_connection_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def on(driver: Driver, record: object) -> None:
        if isinstance(record, Phase) and record.name == "sent":
            driver.arm(parse_plan("reset@now"))

    async with wire([HOLD]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        ran = await run("http://far.invalid/", on=on)
        await asyncio.wait_for(proxy.gone.wait(), 1)
        assert proxy.seen[0].ended == "rst"
    assert ran.of(Fault)[0].did == "reset the connection before the first body byte"
    assert ran.closes == ["fault"]


async def test_tls_through_a_proxy(monkeypatch: pytest.MonkeyPatch, h2_context: ssl.SSLContext) -> None:
    """The proxy is asked for a tunnel, and the server's stream comes through it with the kernel's stamps."""
    asked: list[bytes] = []
    server = await asyncio.start_server(H2Server("end"), "127.0.0.1", 0, ssl=h2_context)

    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        there = await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1])
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(pipe(reader, there[1]), pipe(there[0], writer))

    proxy = await asyncio.start_server(tunnel, "127.0.0.1", 0)
    async with server, proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}")
        ran = await run("https://far.invalid/stream", verify=False, http2=True)
        await asyncio.sleep(0.02)
    assert asked == [b"CONNECT far.invalid:443 HTTP/1.1"]
    assert [phase.name for phase in ran.of(Phase)] == ["dns", "tcp", "tls", "sent", "headers", "first_byte"]
    assert ran.of(Response)[0].http_version == "HTTP/2"
    assert ran.body() == EVENT * 2
    assert {chunk.clock for chunk in ran.of(Chunk)} == {None}
    assert ran.closes == ["eof"]


async def test_a_tunnel_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async with wire([response("403 Forbidden", b"no")]) as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
        ran = await run("https://far.invalid/stream")
    assert ran.driver.error is not None
    assert ran.driver.error.code == "proxy"
    assert "The proxy answered 403 Forbidden." in ran.driver.error.message


@pytest.mark.parametrize(("ending", "close"), [("end", "eof"), ("reset", "reset"), ("goaway", "reset")])
async def test_http2(ending: str, close: str, h2_context: ssl.SSLContext) -> None:
    server = await asyncio.start_server(H2Server(ending), "127.0.0.1", 0, ssl=h2_context)
    async with server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        ran = await run(url, verify=False, http2=True)
        await asyncio.sleep(0.02)
    assert ran.of(Response)[0].http_version == "HTTP/2"
    assert ran.body() == EVENT * (2 if ending == "end" else 1)
    assert {chunk.clock for chunk in ran.of(Chunk)} == {None}
    assert [phase.name for phase in ran.of(Phase)] == ["dns", "tcp", "tls", "sent", "headers", "first_byte"]
    assert ran.closes == [close]


def test_httpcore_is_imported_only_for_what_needs_it() -> None:
    code = "import sys, sse_tui.transport; sys.exit('httpcore' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

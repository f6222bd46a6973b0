"""TLS: verification, framing, and the stamps through it. The authority is made by the openssl program."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest

from sse_tui.errors import ConnectError, UsageError
from sse_tui.recording.records import Chunk, Fault, Phase
from sse_tui.transport import SessionClock, Timeouts
from sse_tui.transport.http.dialer import Dialer, nowhere
from sse_tui.transport.http.tls import create_context
from tests.certificates import make_certificate, server_context
from tests.transport.turns import run
from tests.transport.wire import CHUNKED, HOLD, UNTIL_CLOSE, Sleep, chunked, chunks, pipe, wire

EVENT = b"id: 1\ndata: a\n\n"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def context(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    return server_context(certificate)


async def test_a_stream_over_tls(context: ssl.SSLContext, certificate: tuple[Path, Path]) -> None:
    steps = [step for n in range(5) for step in (chunks(b"data: %d\n\n" % n), Sleep(0.01))]
    async with wire([CHUNKED, *steps, b"0\r\n\r\n"], context=context) as server:
        ran = await run(server.url, verify=str(certificate[0]))
    assert [phase.name for phase in ran.of(Phase)] == ["dns", "tcp", "tls", "sent", "headers", "first_byte"]
    assert ran.body() == b"".join(b"data: %d\n\n" % n for n in range(5))
    assert ran.closes == ["eof"]
    assert {chunk.clock for chunk in ran.of(Chunk)} == {None}
    times = [record.t for record in ran.records]
    assert times == sorted(times)


async def test_big_bodies_over_tls(context: ssl.SSLContext, certificate: tuple[Path, Path]) -> None:
    body = b"data: " + b"z" * 100_000 + b"\n\n"
    async with wire([CHUNKED, *[chunks(body)] * 20, b"0\r\n\r\n"], context=context) as server:
        ran = await run(server.url, verify=str(certificate[0]), method="POST", body=b"q" * 300_000)
    assert ran.body() == body * 20
    assert server.seen[0].body == b"q" * 300_000


async def test_an_unknown_authority_is_refused(context: ssl.SSLContext) -> None:
    async with wire([chunked(EVENT)], then=[chunked(EVENT)], context=context) as server:
        ran = await run(server.url)
    assert ran.outcome == "failed"
    assert isinstance(ran.driver.error, ConnectError)
    assert ran.driver.error.code == "tls-verify"
    assert "127.0.0.1" in ran.driver.error.message


@pytest.mark.parametrize("content", [None, b"no certificate"])
async def test_authorities_that_cannot_be_read_are_a_clear_error(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    ran = await run("https://127.0.0.1:1/", verify=str(path))
    assert isinstance(ran.driver.error, UsageError)
    assert ran.driver.error.code == "ca-file"
    assert str(path) in ran.driver.error.message


async def test_verification_can_be_turned_off(context: ssl.SSLContext) -> None:
    async with wire([chunked(EVENT)], context=context) as server:
        ran = await run(server.url, verify=False)
    assert ran.body() == EVENT


async def test_tls_to_a_plain_port_is_a_clear_error() -> None:
    async with wire([b"x"]) as server:
        server.scheme = "https"
        ran = await run(server.url, verify=False, timeouts=Timeouts(connect=0.5))
    assert isinstance(ran.driver.error, ConnectError)
    assert ran.driver.error.code in ("tls", "connect-timeout")


async def test_a_body_until_close_needs_tls_to_say_goodbye(
    context: ssl.SSLContext, certificate: tuple[Path, Path]
) -> None:
    async with wire([UNTIL_CLOSE + EVENT], context=context) as server:
        orderly = await run(server.url, verify=str(certificate[0]))
    assert orderly.closes == ["eof"]
    assert orderly.body() == EVENT


@pytest.mark.parametrize("action", ["cut", "reset"])
async def test_faults_through_tls(
    action: str, context: ssl.SSLContext, certificate: tuple[Path, Path]
) -> None:
    async with wire([CHUNKED, chunks(EVENT, EVENT), HOLD], context=context) as server:
        ran = await run(server.url, verify=str(certificate[0]), plan=f"{action}@event=1")
        await asyncio.wait_for(server.gone.wait(), 1)
    assert ran.body() == EVENT
    assert ran.of(Fault)[0].did.endswith(f"discarded {len(EVENT)} bytes already received")


async def test_tls_within_tls(context: ssl.SSLContext, certificate: tuple[Path, Path]) -> None:
    """As through a proxy that is spoken to by TLS itself: both sessions are ended in order."""
    ended: list[bytes] = []
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readline()).upper())
        ended.append(await reader.read())
        writer.close()
        gone.set()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        there = await asyncio.open_connection("127.0.0.1", far.sockets[0].getsockname()[1])
        await asyncio.gather(pipe(reader, there[1]), pipe(there[0], writer))

    far = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    server = await asyncio.start_server(relay, "127.0.0.1", 0, ssl=context)
    async with far, server:
        clock, trusting = SessionClock(), create_context(str(certificate[0]))
        port = server.sockets[0].getsockname()[1]
        outer = await Dialer(clock, nowhere, 5).tls(
            await Dialer(clock, nowhere, 5).tcp("127.0.0.1", port), trusting, "localhost"
        )
        await outer.write(b"connect\n")
        inner = await Dialer(clock, nowhere, 5).tls(outer, trusting, "localhost")
        await inner.write(b"hello\n")
        read = await inner.read()
        assert read.data == b"HELLO\n"
        assert 0 < read.t <= clock.now()
        inner.close()
        await asyncio.wait_for(gone.wait(), 2)
    assert ended == [b""]


async def test_an_https_proxy_is_verified_as_a_server_is(
    context: ssl.SSLContext, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with wire(*[[chunked(EVENT)]] * 3, context=context) as proxy:
        monkeypatch.setenv("http_proxy", f"https://127.0.0.1:{proxy.port}")
        strange = await run("http://far.invalid/")
        known = await run("http://far.invalid/", verify=str(certificate[0]))
        unverified = await run("http://far.invalid/", verify=False)
    assert strange.driver.error is not None
    assert strange.driver.error.code == "tls-verify"
    assert "The certificate of 127.0.0.1 is not trusted" in strange.driver.error.message
    assert known.body() == unverified.body() == EVENT


async def test_both_ends_of_a_tunnel_are_verified(
    context: ssl.SSLContext, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        there = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(pipe(reader, there[1]), pipe(there[0], writer))

    async with (
        wire(then=[chunked(EVENT)], context=context) as server,
        await asyncio.start_server(tunnel, "127.0.0.1", 0, ssl=context) as proxy,
    ):
        monkeypatch.setenv("https_proxy", f"https://127.0.0.1:{proxy.sockets[0].getsockname()[1]}")
        named = await run(
            "https://far.invalid/", verify=str(certificate[0])
        )  # the certificate is for localhost
        unverified = await run("https://far.invalid/", verify=False)
    assert named.driver.error is not None
    assert "The certificate of far.invalid is not trusted" in named.driver.error.message
    assert unverified.body() == EVENT

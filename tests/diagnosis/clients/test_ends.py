"""The table of ends is what the installed SDKs do with a raw socket, and what is said of a cut comes from it."""

from __future__ import annotations

import pytest

from sse_tui.diagnosis.clients.ends import End, end_of
from sse_tui.diagnosis.clients.known_clients import at_cut
from sse_tui.diagnosis.clients.lens import compare
from sse_tui.recording.records import Close
from tests.diagnosis.clients.measure import CONDITIONS, DIALOGUES, Dialogue, measure
from tests.diagnosis.telling import Wire, only, text


@pytest.mark.parametrize(("body", "end"), CONDITIONS, ids=lambda value: value)
@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda dialogue: f"{dialogue.client.name}-{dialogue.api}")
def test_the_lens_says_what_the_sdk_does(dialogue: Dialogue, body: str, end: End) -> None:
    if not dialogue.measured:
        pytest.skip(
            f"{dialogue.package} {dialogue.installed} is installed; the table is of {dialogue.client.version}"
        )
    found = measure(dialogue, body, end)
    assert found.lens == (found.events, found.raised)


SAID = {
    ("openai-chat", "eof"): "The openai SDK returns normally, as if the answer were complete.",
    ("openai-chat", "incomplete"): "The openai SDK raises APIConnectionError.",
    ("openai-chat", "reset"): "The openai SDK raises APIConnectionError.",
    ("openai-responses", "reset"): "The openai SDK raises APIConnectionError.",
    ("openai-chat", "timeout"): "The openai SDK raises APITimeoutError.",
    ("anthropic-messages", "eof"): "The anthropic SDK returns normally; its helper returns a message",
    ("anthropic-messages", "incomplete"): "The anthropic SDK raises RemoteProtocolError.",
    ("anthropic-messages", "reset"): "The anthropic SDK raises ReadError.",
    ("anthropic-messages", "timeout"): "The anthropic SDK raises ReadTimeout.",
    ("cohere-v2", "reset"): "A client based on httpx raises ReadError.",
    ("cohere-v2", "eof"): "A client that does not look for the end marker",
}


@pytest.mark.parametrize(("dialect", "reason"), SAID)
def test_what_is_said_of_an_sdk_depends_on_the_end(dialect: str, reason: str) -> None:
    assert at_cut(dialect, end_of(Close(t=0, reason=reason))).startswith(SAID[dialect, reason])


@pytest.mark.parametrize("reason", ["eof", "incomplete", "reset", "timeout"])
def test_the_finding_says_it(reason: str) -> None:
    wire = Wire().ask(dialect="openai-chat").good().read(5, text("a")).close(6, reason)
    assert only(wire, "truncated-stream").message.endswith(SAID["openai-chat", reason])


def test_an_end_of_our_own_making() -> None:
    assert end_of(None) == end_of(Close(t=0, reason="client")) == "fin"
    assert end_of(Close(t=0, reason="fault", detail="the connection was reset")) == "reset"
    assert end_of(Close(t=0, reason="fault", detail="the connection was closed")) == "incomplete"


def test_the_standard_reconnects_after_an_error_event() -> None:
    raised = {end: compare(text("a"), end=end)[0].raised for end in ("fin", "incomplete", "reset")}
    names = {end: found and found.name for end, found in raised.items()}
    assert names == {"fin": None, "incomplete": "error event", "reset": "error event"}

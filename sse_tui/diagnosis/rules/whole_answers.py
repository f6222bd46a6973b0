"""Rules about answers that were not streamed, or not in the form that clients of a stream expect."""

from __future__ import annotations

from collections.abc import Iterator

from sse_tui.bodies import Form
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import DELTAS, UNDERSTOOD, Occurrence, rule
from sse_tui.dialects.base import Meta
from sse_tui.eventstream import Event, Ignored, Tail

# By what holds the whole answer: what it is, and what clients do that read deltas only.
_FORMS = {
    "message": "The event holds a whole message where a chunk has a delta",
    "message_start": "message_start holds the whole message, which should come in content_block events after it",
    "response": "The event holds a whole response, which should come in response.output_text.delta events",
    "generated_text": "The event holds the whole generated_text, which should come token by token",
}


# Objects of APIs that have another name when they are streamed.
_OBJECTS = ("chat.completion", "response")


@rule(
    "warning",
    DELTAS,
    advice='In the server or proxy, honour "stream": true and send deltas; in the client, send "stream": true and read '
    "message where delta is missing.",
    reference="Amm1rr/WebAI-to-API#55; OpenAI's and Anthropic's API references on streaming",
)
def whole_object(event: Event, facts: Facts) -> Occurrence | None:
    """The answer came as a whole object, as if no stream had been asked for: clients that read deltas show nothing."""
    if facts.conn.body.form is Form.OBJECT:
        return None  # that is said of the whole body
    for value in _metas(facts, "whole-object"):
        form = str(value)
        name = next((name for name in _OBJECTS if f'"{name}"' in event.data), None)
        named = f" (object {name!r})" if name else ""
        native = any(member == "output" for member in _metas(facts, "wrapped"))  # DashScope's own form
        return Occurrence(
            f"{_FORMS[form]}{named}: the text was read from there, but clients that read deltas show nothing.",
            "info" if native else None,
            evidence={"holds": form, "object": name},
        )
    return None


@rule(
    "info",
    DELTAS,
    advice="In the gateway, pass the provider's chunk on as it is; in the client, take the chunk out of that member.",
    reference="OpenAI API reference, the chat completion chunk object",
)
def wrapped_payload(_: Event, facts: Facts) -> Occurrence | None:
    """The chunk is nested in an object of a gateway's own, where SDKs do not look for it."""
    for wrapper in _metas(facts, "wrapped"):
        return Occurrence(
            f"The chunk stands in the member {wrapper!r} of another object: SDKs look for choices at the top level.",
            evidence={"member": wrapper},
        )
    return None


@rule(
    "info",
    *UNDERSTOOD,
    advice="In the client, read audio.transcript for the text, and take audio.expires_at for the end of the audio.",
    reference="openai/openai-python#2507; openai/openai-node#1991",
)
def audio_answer(_: Event | Ignored | Tail, facts: Facts) -> Occurrence | None:
    """The answer is spoken: its text is the transcript of the audio, and its tokens are pieces of sound."""
    if facts.turn.audio_seen or not any(True for _ in _metas(facts, "audio")):
        return None
    facts.turn.audio_seen = True
    return Occurrence(
        "The answer comes as audio, in pieces: the text shown is its transcript, and the first piece of audio or text "
        "counts as the first token. Some servers end such an answer with audio.expires_at, without a finish reason."
    )


def _metas(facts: Facts, name: str) -> Iterator[object]:
    return (delta.value for delta in facts.entry.deltas if isinstance(delta, Meta) and delta.name == name)

"""The marks by which the streams of the dialects end, as they stand on the wire."""

from __future__ import annotations

DONE = "[DONE]"

MARKS = {
    "message_stop": "anthropic-messages",
    "response.completed": "openai-responses",
    "message-end": "cohere-v2",
    "stream-end": "cohere-v2",
    "chat.end": "lmstudio",
    "conversation.response.done": "mistral-conversations",
    "transcript.text.done": "openai-transcription",
    "interaction.completed": "gemini-interactions",
}
"""By the name of an event, or the type of its payload: the dialect whose stream it ends."""

IN_BYTES = (DONE, *MARKS, '"stop":true', '"finishReason"')
"""What an unfinished event holds where it is the one that ends the stream."""

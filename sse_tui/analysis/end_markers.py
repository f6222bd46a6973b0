"""What shows that an answer is whole, in the dialects that have it, in words."""

from __future__ import annotations

END_MARKERS = {
    "openai-chat": "a finish reason and [DONE]",
    "openai-completions": "a finish reason and [DONE]",
    "openai-responses": "response.completed",
    "anthropic-messages": "message_stop",
    "gemini": "a finishReason",
    "gemini-interactions": "interaction.completed",
    "dify": "message_end or workflow_finished",
    "cohere-v2": "message-end",
    "bedrock-converse": "messageStop",
    "bedrock-invoke": "a reason to stop",
    "tgi": "generated_text",
    "llamacpp-native": '"stop":true',
    "vercel-ui": "a finish part and [DONE]",
    "mcp": "the response to the request",
}

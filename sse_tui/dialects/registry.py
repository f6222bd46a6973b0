"""All dialects by name, and the two that detect which one to use."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.dialects.auto import Detecting, DetectingLines
from sse_tui.dialects.base import Dialect
from sse_tui.dialects.generic import Generic
from sse_tui.dialects.ignoring import Ignoring
from sse_tui.dialects.line_dialects import GenericLines
from sse_tui.dialects.providers.anthropic import AnthropicMessages
from sse_tui.dialects.providers.bedrock.bedrock_converse import BedrockConverse
from sse_tui.dialects.providers.bedrock.bedrock_invoke import BedrockInvoke
from sse_tui.dialects.providers.cohere import CohereV2
from sse_tui.dialects.providers.dify import Dify
from sse_tui.dialects.providers.gemini import Gemini
from sse_tui.dialects.providers.gemini.gemini_interactions import GeminiInteractions
from sse_tui.dialects.providers.kubernetes import KubernetesWatch
from sse_tui.dialects.providers.langgraph import LangGraph
from sse_tui.dialects.providers.llamacpp_native import LlamaCppNative
from sse_tui.dialects.providers.lmstudio import LMStudio
from sse_tui.dialects.providers.mcp import ModelContextProtocol
from sse_tui.dialects.providers.mistral_conversations import MistralConversations
from sse_tui.dialects.providers.ollama import Ollama
from sse_tui.dialects.providers.openai_assistants import OpenAIAssistants
from sse_tui.dialects.providers.openai_chat import OpenAIChat
from sse_tui.dialects.providers.openai_completions import OpenAICompletions
from sse_tui.dialects.providers.openai_responses import OpenAIResponses
from sse_tui.dialects.providers.openai_transcription import OpenAITranscription
from sse_tui.dialects.providers.pubsub import Mercure, Wikimedia
from sse_tui.dialects.providers.replicate import Replicate
from sse_tui.dialects.providers.tgi import TextGenerationInference
from sse_tui.dialects.providers.vercel_ui import VercelUI
from sse_tui.dialects.providers.watsonx import Watsonx
from sse_tui.dialects.providers.workers_ai import WorkersAI
from sse_tui.dialects.providers.writer_completions import WriterCompletions
from sse_tui.errors import UsageError
from sse_tui.text.nearest import did_you_mean


class ReadingBedrock(BedrockInvoke):
    """Reads the payloads of Bedrock's models in any of the dialects."""


_MOST_USED_FIRST: tuple[type[Dialect], ...] = (
    OpenAIChat,
    OpenAIResponses,
    AnthropicMessages,
    Gemini,
    OpenAICompletions,
    CohereV2,
    BedrockConverse,
    ReadingBedrock,
    TextGenerationInference,
    LlamaCppNative,
    Ollama,
    ModelContextProtocol,
    VercelUI,
    LangGraph,
    GeminiInteractions,
    Dify,
    LMStudio,
    MistralConversations,
    OpenAIAssistants,
    OpenAITranscription,
    Watsonx,
    Replicate,
    WorkersAI,
    WriterCompletions,
    Mercure,
    Wikimedia,
    KubernetesWatch,
    GenericLines,
    Generic,
)

READERS: dict[str, type[Dialect]] = {dialect.name: dialect for dialect in _MOST_USED_FIRST}
ReadingBedrock.readers = READERS


class AutoLines(DetectingLines):
    """Detects which of all dialects a body of JSON lines is in."""

    readers = READERS


class Auto(Detecting):
    """Detects which of all dialects a response is in."""

    readers = READERS
    line_reader = AutoLines


def names() -> list[str]:
    """What `create` accepts beside "auto", the most used first."""
    return list(READERS)


def senders() -> list[str]:
    """The dialects that can send a chat request: what a profile may name."""
    return [name for name, dialect in READERS.items() if _can_send(dialect)]


def _can_send(dialect: type[Dialect]) -> bool:
    return any("prepare" in vars(base) for base in dialect.__mro__ if base is not Dialect)


def dialect_class(name: str) -> type[Dialect]:
    """The dialect called `name`, or "auto". Raises `UsageError` that names the nearest one."""
    if name == Auto.name:
        return Auto
    try:
        return READERS[name]
    except KeyError:
        valid = [*READERS, Auto.name]
        hint = f"{did_you_mean(name.lower().replace('_', '-'), valid)} Valid names: {', '.join(valid)}."
        raise UsageError("unknown-dialect", f"There is no dialect {name!r}.", hint.lstrip()) from None


def create(name: str, ignored: Sequence[str] = ()) -> Dialect:
    """A reader for one response, which leaves out the pieces of text that `ignored` matches, see `Ignoring`.

    Raises `UsageError` for a name that is not there.
    """
    dialect = dialect_class(name)()
    return Ignoring(dialect, ignored) if ignored else dialect

"""From a request to the tokens of its prompt, with the model's chat template and tokenizer."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from sse_tui.engine.context_room import prompt_too_long
from sse_tui.engine.interface import GenRequest
from sse_tui.engine.template import ChatTemplate
from sse_tui.engine.token_names import names_pattern
from sse_tui.errors import EngineError

if TYPE_CHECKING:
    from sse_tui.engine.native import Model

# llama.cpp copies the text that it is given for every special token in it, so a text of many is given in slices of
# about this many characters.
_SLICE = 2048
# The tokens of a prompt that does not fit are counted up to this many contexts.
_COUNTED_CONTEXTS = 4


class Prompter:
    """Turns requests into tokens. Any thread may, also while the model decodes: only the vocabulary is read.

    `message_tokens` is the least that the template adds to a message, as measured with short ones.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.template = ChatTemplate(
            model.chat_template(),
            bos=model.special_text("bos"),
            eos=model.special_text("eos"),
            controls=model.control_names(),
        )
        # Of control tokens' names that a person typed: there are few, and a prompt may repeat one very often.
        self._typed_name = lru_cache(1024)(partial(model.tokenize, special=False))
        self._cuts = names_pattern(model.parsed_names())
        self.message_tokens = self._message_tokens()

    def tokens(self, request: GenRequest) -> array[int]:
        """A raw prompt is used as it is, control tokens included; messages go through the template.

        Raises `EngineError`, also for a prompt of several times the context; a shorter one may still not fit.
        """
        rendered = (
            [(request.prompt, True)] if request.prompt is not None else self.template.render(request.messages)
        )
        tokens = array("i")
        for text, special in rendered:
            for part in self._slices(text) if special else (text,):
                tokens += self._model.tokenize(part, special=True) if special else self._typed_name(part)
                if len(tokens) > _COUNTED_CONTEXTS * self._model.n_ctx:
                    raise prompt_too_long(f"at least {len(tokens)}", self._model.n_ctx)
        bos = self._model.bos
        if bos is not None and tokens[:1] != array("i", [bos]):
            tokens.insert(0, bos)
        return tokens

    def _slices(self, text: str) -> Iterator[str]:
        """The text, cut before names of tokens: llama.cpp splits it there anyway, so the tokens are the same."""
        start = 0
        if self._cuts is not None and len(text) > _SLICE:
            for found in self._cuts.finditer(text):
                if found.start() - start >= _SLICE:
                    yield text[start : found.start()]
                    start = found.start()
        yield text[start:]

    def _message_tokens(self) -> int:
        roles = ("user", "assistant") * 2
        messages = [{"role": role, "content": ""} for role in roles]
        try:
            counts = [
                len(self.tokens(GenRequest(id="", messages=messages[:end])))
                for end in range(1, len(roles) + 1)
            ]
        except EngineError:  # a template that wants other messages
            return 1
        # One less than the smallest difference, since the text around a message's content may merge with it.
        return max(1, min(after - before for before, after in pairwise(counts)) - 1)

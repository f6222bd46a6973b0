"""The chat template of a model: messages in, the prompt's segments out.

What a person typed must not act as a control token: ``<|im_end|>`` in a message would end its own turn. So every
control token's name inside a message is put between two marks before the template runs, and the rendered prompt is
cut at the marks: outside them control tokens are parsed, inside they are not. The rest of the text, and so its
tokenisation, is exactly what the template alone gives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NoReturn

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sse_tui.engine.token_names import names_pattern
from sse_tui.errors import EngineError

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)

# Two private-use characters of plane 15; removed from messages, so that only this module can set them.
_OPEN, _CLOSE = "\U000f5e01", "\U000f5e02"
# Transformers' ``{% generation %}`` tags only mark training data.
_TRAINING_TAGS = re.compile(r"\{%-?\s*(end)?generation\s*-?%\}")

Segment = tuple[str, bool]
"""Text, and whether names of control tokens in it are control tokens."""


class ChatTemplate:
    """A compiled template. `source` None means ChatML (`fallback` is then true). Raises `EngineError`."""

    def __init__(
        self, source: str | None, *, bos: str = "", eos: str = "", controls: Collection[str] = ()
    ) -> None:
        self.fallback = source is None
        self._tokens = {"bos_token": bos, "eos_token": eos}
        self._controls = names_pattern(controls)
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = _tojson
        environment.globals["raise_exception"] = _raise_exception
        environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
        try:
            self._template = environment.from_string(
                _TRAINING_TAGS.sub("", CHATML if source is None else source)
            )
        except jinja2.TemplateError as error:
            raise EngineError(
                "template-broken", f"The model's chat template cannot be parsed: {error}."
            ) from error

    def render(
        self, messages: Sequence[dict[str, Any]], *, add_generation_prompt: bool = True
    ) -> list[Segment]:
        """The prompt of these messages. Raises `EngineError` "template-failed" when the template rejects them."""
        plain = [_flat_content(message) for message in messages]
        try:
            text = self._template.render(
                messages=self._marked(plain), add_generation_prompt=add_generation_prompt, **self._tokens
            )
        except Exception as error:  # a template is a program: it may raise anything
            raise EngineError(
                "template-failed", f"The model's chat template rejects these messages: {error}."
            ) from error
        return segments(text)

    def _marked(self, value: Any) -> Any:
        """The same value with every control token's name in its strings between marks."""
        if isinstance(value, str):
            clean = value.replace(_OPEN, "").replace(_CLOSE, "")
            return clean if self._controls is None else self._controls.sub(rf"{_OPEN}\g<0>{_CLOSE}", clean)
        if isinstance(value, dict):
            return {key: self._marked(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._marked(item) for item in value]
        return value


def segments(text: str) -> list[Segment]:
    """Rendered text cut at the marks; without any, one segment."""
    parts, at = list[str](), 0
    # Not by a pattern: where closing marks are missing, it would search to the end from each opening one.
    while (opened := text.find(_OPEN, at)) >= 0 and (closed := text.find(_CLOSE, opened)) >= 0:
        parts += text[at:opened], text[opened + 1 : closed]
        at = closed + 1
    parts.append(text[at:])
    # The odd parts were between marks. A template that truncates may have cut a mark off: drop strays.
    cut = [(part.replace(_OPEN, "").replace(_CLOSE, ""), index % 2 == 0) for index, part in enumerate(parts)]
    return [segment for segment in cut if segment[0]]


def _flat_content(message: dict[str, Any]) -> dict[str, Any]:
    """The message with its content as one string: the text parts of a list joined, null as ""."""
    content = message.get("content")
    if isinstance(content, str):
        return message
    if content is None:
        return {**message, "content": ""}
    if isinstance(content, list):
        texts = []
        for part in content:
            text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
            if not isinstance(text, str):
                kind = part.get("type") if isinstance(part, dict) else type(part).__name__
                raise EngineError(
                    "content-unsupported", f"This model accepts only text, not content of type {kind!r}."
                )
            texts.append(text)
        return {**message, "content": "".join(texts)}
    raise EngineError("content-unsupported", "A message's content must be a string or a list of text parts.")


def _tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    """JSON as Transformers' templates expect it: no HTML escaping."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)


def _raise_exception(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)

"""Words that servers send for the end of a stream in place of OpenAI's ``[DONE]``: other spellings, other cases.

None of them is an end mark to the clients of such an API, which look for ``[DONE]`` as it is.
"""

from __future__ import annotations

import re

_LONGEST = 24  # characters
_WORDS = (
    r"(?:done|end|eos|eof|finish(?:ed)?|completed?|stop|closed?|end[ _-]of[ _-](?:stream|text|sequence)"
    r"|stream[ _-](?:end|done))"
)
_MARK = re.compile(
    rf"""["'\s]{{0,8}}(?:\[{_WORDS}\]|</?\|?{_WORDS}\|?>|\({_WORDS}\)|{_WORDS})[.!"'\s]{{0,8}}""",
    re.I,
)


def odd_end_mark(text: str) -> str:
    """The end mark that `text` is in another spelling than ``[DONE]``; "" where it is none."""
    if len(text) > _LONGEST or _MARK.fullmatch(text) is None:
        return ""
    mark = text.strip()
    return "" if mark == "[DONE]" else mark

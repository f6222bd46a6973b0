"""Plain text that reads like an error: what proxies and frameworks write where JSON or an event is due.

``Internal Server Error``, ``upstream error: connection reset``, ``502 Bad Gateway``, ``ValueError: …``. Whether such a
text is an error depends on where it stands: in the middle of a model's answer it is only text.
"""

from __future__ import annotations

import re
from http import HTTPStatus

from sse_tui.dialects.base import StreamFault

_LONGEST = 4_000
"""Characters; what is longer is no error message of a line."""

# Each phrase as it is often written, with and without a hyphen. One of a single word means something without a number
# beside it only where no other message would be that word.
_OLD = {"payload too large": 413, "unprocessable entity": 422, "request time-out": 408, "server error": 500}
_CODES = {status.phrase.lower(): status.value for status in HTTPStatus if status >= 400} | _OLD
_CODES |= {phrase.replace("timeout", "time-out"): code for phrase, code in _CODES.items()}
_ANY = "|".join(re.escape(phrase) for phrase in _CODES)
_ALONE = "|".join(
    re.escape(phrase) for phrase in _CODES if " " in phrase or phrase in ("unauthorized", "forbidden")
)

# A status line or its phrase, and nothing else.
_EXACT = re.compile(
    rf"\W{{0,4}}(?:(?:HTTP(?:/[\d.]+)?|error|status(?: code)?)[\s:]{{1,3}})?"
    rf"(?:(?P<code>[45]\d\d)[\s:,.-]{{1,3}}(?:{_ANY})|(?P<phrase>{_ALONE}))\W{{0,4}}"
    r"|\W{0,4}(?:HTTP(?:/[\d.]+)?|HTTP error|status code)[\s:]{1,3}(?P<bare>[45]\d\d)\W{0,4}",
    re.I,
)
# What a part of the system that streams says of itself, under that label.
_LABELLED = re.compile(
    r"\[?(?:(?:internal|upstream|server|stream(?:ing)?|api|model|llm|inference|gateway|proxy|backend|provider)[\s_-]){1,3}"
    r"error\]?\s?:",
    re.I,
)

_HEADING = re.compile(r"<(?:title|h1)\b[^>]{0,80}>\s{0,40}([^<]{3,160})", re.I)
_TITLE = re.compile(
    r"(?:HTTP |error )?([45]\d\d)[\s:,.-]{1,3}.{0,40}(?:gateway|time-?d? ?-?out|unavailable|forbidden|unauthori[sz]ed"
    r"|not found|denied|too many|too large|server|error|bad request|not allowed|down|unreachable).{0,40}",
    re.I,
)

_OF = (
    r"(?:internal|upstream|server|stream(?:ing)?|api|model|llm|inference|generation|request|connection|network|proxy"
    r"|gateway|backend|runtime|engine|provider|fatal|unexpected|unhandled|http|sse|unknown|worker|bad|an?|the)"
)
_PART = r"(?:request|upstream|connection|stream|gateway|model|server|service|worker|engine)s?"
_BROKEN = (
    r"(?:timed out|timeout|failed|refused|reset|closed|aborted|overloaded|unavailable|unreachable|crashed|terminated"
    r"|not available|not found|disconnected)"
)
_LIKE = re.compile(
    r"\W{0,4}(?:"
    + "|".join(
        (
            # "upstream error: …", "[ERROR] …", "An error occurred", "Error 429: …"
            rf"(?:{_OF}[\s_-]){{0,4}}(?:error|exception|failure)(?:\W{{0,4}}$|\s?[\])(:,=-]|\s\d|\s(?:occurred|while|during)\b)",
            # "openai.RateLimitError: …", "java.io.IOException: …"
            r"(?:\w{1,40}\.){0,6}\w{0,60}(?:Error|Exception)(?:\s?[:(]|$)",
            r"Traceback \(most recent call last\)",
            # "503 Service Unavailable: …", "Service Unavailable, try later"
            rf"(?:(?:HTTP(?:/[\d.]+)?|error|status(?: code)?)[\s:]{{1,3}})?[45]\d\d[\s:,.-]{{1,3}}(?:{_ANY})\b",
            rf"(?:{_ALONE})\s?[:.,;!(-]",
            # "Rate limit exceeded", "You have reached your quota"
            r"(?:\w{1,30}\W{1,3}){0,4}(?:rate.?limit(?:s|ed)?|quota|(?:token|usage|spending|request) limit)"
            r"(?:\W{1,3}\w{1,30}){0,4}?\W{1,3}(?:exceeded|reached|hit|exhausted)\b",
            r"you (?:have )?(?:exceeded|reached|hit) (?:your|the)\b",
            r"too many (?:requests|concurrent)\b",
            # "upstream timed out", "the model is overloaded"
            rf"(?:{_OF}[\s_-]){{0,4}}{_PART}(?: (?:has|have|is|was|are|has been|is currently|currently))? {_BROKEN}\b",
            r"(?:context deadline exceeded|no healthy upstream|upstream connect error|broken pipe|unexpected EOF)\b",
            r"(?:CUDA (?:error|out of memory)|out of memory|overloaded)\b",
            r"(?:incorrect|invalid|missing|expired) (?:api.?key|token|credentials)\b",
            r"(?:access|permission) denied\b",
            r"insufficient (?:quota|balance|credits?|funds)\b",
            r"(?:failed to|unable to|could not|something went wrong)\b",
            # "Server is busy, please try again later", "ECONNRESET", "timeout"
            r"[^\n]{0,120}?\b(?:try|retry)(?: it)? (?:again )?(?:later|in \d|in a )",
            r"E(?:CONN(?:RESET|REFUSED|ABORTED)|TIMEDOUT|PIPE|AI_AGAIN|NOTFOUND|HOSTUNREACH)\b",
            r"socket hang up\b|fetch failed\b",
            r"(?:time[d-]?[ -]?out|abort(?:ed)?|error|failed)\W{0,4}$",
            # "The system is busy", "request timed out", "try again later", "balance too low" in Chinese
            r"[^\n]{0,60}?(?:系统繁忙|服务(?:器)?(?:繁忙|错误|异常|不可用)|请求(?:失败|超时|错误|过于频繁)|稍后(?:再试|重试)|余额不足|内部错误)",
        )
    )
    + ")",
    re.I,
)


def fault_in_text(text: str, *, exact: bool = False) -> StreamFault | None:
    """The error that a text reports; None where it does not read like one.

    `exact`: only a status line counts, or what an upstream says of itself (``upstream error: …``).
    """
    said = text[:_LONGEST].strip()
    if said.startswith("<"):
        return _in_page(said)
    if len(text) > _LONGEST:
        return None
    found = _EXACT.fullmatch(said) if len(said) <= 80 else None
    if found is not None:
        code = found["code"] or found["bare"]
        return StreamFault(None, int(code) if code else _CODES[found["phrase"].lower()], said)
    like = _LABELLED.match(said) if exact else _LIKE.match(said)
    return StreamFault(None, None, said) if like else None


def _in_page(html: str) -> StreamFault | None:
    """The error that a page of a proxy is by its title or heading: ``502 Bad Gateway``."""
    for found in _HEADING.finditer(html):
        title = found[1].rpartition("|")[2].strip()
        status = _TITLE.fullmatch(title)
        if status is not None:
            return StreamFault(None, int(status[1]), title[status.end(1) :].lstrip(" \t:,.-") or title)
    return None

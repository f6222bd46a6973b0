"""Which headers, query parameters and fields of a JSON body carry a secret, by their name."""

from __future__ import annotations

import re

# As the header of a recording lists them, "*" for anything: the part of a name that says it, compared without case.
_PARTS = {
    "*authorization*": "authorization",
    "*cookie*": "cookie",
    # "tokens" counts tokens: x-ratelimit-remaining-tokens, max_tokens.
    "*token*": r"(?<!idempotency[-_])token(?!s|iz|[-_]?count)",
    "*secret*": "secret",
    "*api-key*": r"api[-_]?key",
    "*session-id*": r"session[-_]?id",
    "*password*": r"passw(?:or)?d",
    "*credential*": "credential",
    "*signature*": "signature",
    "*access-key*": r"access[-_]?key",
    "*auth-key*": r"auth[-_]?key",
    "*subscription-key*": r"subscription[-_]?key",
}
_PARAMETERS = ("key", "sig", "auth", "pwd", "pass", "jwt", "code_verifier")
LISTED = (*_PARTS, *_PARAMETERS)
"""The table, for people."""

_HEADER = re.compile("|".join(_PARTS.values()), re.IGNORECASE)
_PARAMETER = re.compile("|".join(_PARAMETERS), re.IGNORECASE)
# In a JSON body a plain "token" is often none: stop_token, pad_token, the token of an answer.
_FIELD = re.compile(
    r"authorization|api[-_]?key|secret|passw(?:or)?d|(?:access|auth|refresh|bearer|session|security|id)[-_]?token",
    re.IGNORECASE,
)
_SUSPICIOUS = re.compile(r"auth(?!or)|key", re.IGNORECASE)


def is_secret_header(name: str) -> bool:
    """Whether a header of this name carries a secret."""
    return _HEADER.search(name) is not None


def is_secret_parameter(name: str) -> bool:
    """Whether a query parameter of this name carries a secret."""
    return is_secret_header(name) or _PARAMETER.fullmatch(name) is not None


def is_secret_field(name: str) -> bool:
    """Whether a string of this name in a JSON body is a secret."""
    return _FIELD.search(name) is not None


def may_be_secret(name: str) -> bool:
    """Whether a value of this name had better not be shown, where nothing is lost without it."""
    return is_secret_parameter(name) or _SUSPICIOUS.search(name) is not None

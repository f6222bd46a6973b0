"""Recognises headers, query parameters and JSON fields that contain secrets by their names."""

from __future__ import annotations

import re

# By what the header of a recording lists ("*" matches anything): the part of the name, compared without case.
_PARTS = {
    "*authorization*": "authorization",
    "*cookie*": "cookie",
    # Not "tokens", which counts them: x-ratelimit-remaining-tokens, max_tokens.
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
"""What the header of a recording lists."""

_HEADER = re.compile("|".join(_PARTS.values()), re.IGNORECASE)
_PARAMETER = re.compile("|".join(_PARAMETERS), re.IGNORECASE)
# In JSON a plain "token" is often something else: stop_token, pad_token, a token of the answer.
_FIELD = re.compile(
    r"authorization|api[-_]?key|secret|passw(?:or)?d|(?:access|auth|refresh|bearer|session|security|id)[-_]?token",
    re.IGNORECASE,
)
_SUSPICIOUS = re.compile(r"auth(?!or)|key", re.IGNORECASE)


def is_secret_header(name: str) -> bool:
    """Whether a header of this name contains a secret."""
    return _HEADER.search(name) is not None


def is_secret_parameter(name: str) -> bool:
    """Whether a query parameter of this name contains a secret."""
    return is_secret_header(name) or _PARAMETER.fullmatch(name) is not None


def is_secret_field(name: str) -> bool:
    """Whether a string field of this name in a JSON body is a secret."""
    return _FIELD.search(name) is not None


def may_be_secret(name: str) -> bool:
    """Whether to hide a value of this name where nothing is lost by hiding too much."""
    return is_secret_parameter(name) or _SUSPICIOUS.search(name) is not None

"""Recognises headers, query parameters and JSON fields that contain secrets by their names, and keys by their form."""

from __future__ import annotations

import re

# By what the header of a recording lists ("*" matches anything): the part of the name, compared without case.
_PARTS = {
    "*authorization*": "authorization",
    "*authentication*": "authentication",
    "*cookie*": "cookie",
    # Not "tokens", which counts them: x-ratelimit-remaining-tokens, max_tokens.
    "*token*": r"(?<!idempotency[-_])token(?!s|iz|[-_]?count)",
    "*secret*": "secret",
    "*api-key*": r"api[-_]?key",
    "*session-id*": r"session[-_]?id",
    "*password*": r"passw(?:or)?d",
    "*passphrase*": "passphrase",
    "*credential*": "credential",
    "*signature*": "signature",
    "*access-key*": r"access[-_]?key",
    "*jwt*": r"(?<![a-z])jwt(?![a-z])",
    "*hmac*": r"(?<![a-z])hmac(?![a-z])",
    # The name's last word: X-Functions-Key, X-Litellm-Key, Private-Key, app_key; Helicone-Auth, X-Auth. The exceptions
    # identify something and give no access to it.
    "*-key": r"(?<![a-z])(?<!idempotency[-_])(?<!websocket[-_])(?<!cache[-_])(?<!public[-_])(?<!primary[-_])"
    r"(?<!foreign[-_])(?<!surrogate[-_])(?<!partition[-_])(?<!routing[-_])(?<!sort[-_])(?<!group[-_])key$"
    r"|(?:app|auth|master|private|account|functions|subscription)key$",
    "*-auth": r"(?<![a-z])auth$",
}
_PARAMETERS = (
    *("sig", "pwd", "pass", "code", "code_verifier", "sas", "session", "sid", "ticket", "otp"),
    *("assertion", "client_assertion"),
)
LISTED = (*_PARTS, *_PARAMETERS)
"""What the header of a recording lists."""

KEY_FORMS = (
    r"(?<![A-Za-z0-9_-])(sk-(?:proj-|ant-|or-)?[A-Za-z0-9_-]{24,}|AIza[A-Za-z0-9_-]{35}|gh[pousr]_[A-Za-z0-9]{36}"
    r"|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,}|hf_[A-Za-z]{34}|gsk_[A-Za-z0-9]{40,}|AKIA[A-Z0-9]{16}"
    r"|xox[abeprs]-[0-9A-Za-z-]{24,}|Bearer [A-Za-z0-9._~+/-]{24,})"
)
"""A regular expression for keys of an unmistakable form; one that is already masked does not match."""

_HEADER = re.compile("|".join(_PARTS.values()), re.IGNORECASE)
_PARAMETER = re.compile("|".join(_PARAMETERS), re.IGNORECASE)
# In JSON a plain "token" is often something else: stop_token, pad_token, a token of the answer. A "signature" is one of
# a model's reasoning, which clients send back.
_FIELD = re.compile(
    r"authorization|authentication|api[-_]?key|secret|passw(?:or)?d|passphrase|credential|session[-_]?id"
    r"|(?:access|auth|refresh|bearer|session|security|id|api|bot|csrf|xsrf|client|user|device)[-_]?token"
    r"|(?<![a-z])(?:private|access|auth|master|app|account|subscription|functions|encryption|signing|litellm)[-_]?key$"
    r"|^(?:pass|pwd|auth|jwt|hmac|sas|otp)$",
    re.IGNORECASE,
)
_VAGUE_FIELD = re.compile(r"key|token", re.IGNORECASE)
_COOKIE = re.compile(
    r"sess|auth|token|jwt|secret|passw|credential|api[-_]?key|(?<![a-z])(?:sid|ssid|hsid|csrf|xsrf)(?![a-z])|[-_.]sid$"
    r"|cf_clearance|__cf_bm",
    re.IGNORECASE,
)
_SUSPICIOUS = re.compile(r"auth(?!or)|key", re.IGNORECASE)


def is_secret_header(name: str) -> bool:
    """Whether a header of this name contains a secret."""
    return _HEADER.search(name) is not None


def is_secret_parameter(name: str) -> bool:
    """Whether a query parameter of this name contains a secret."""
    return _HEADER.search(name) is not None or _PARAMETER.fullmatch(name) is not None


def is_secret_field(name: str) -> bool:
    """Whether a string field of this name in a JSON body is a secret."""
    return _FIELD.search(name) is not None


def may_be_secret_field(name: str) -> bool:
    """Whether a string field of this name is a secret unless it holds words: ``{"key": "genre"}`` is a filter."""
    return _VAGUE_FIELD.fullmatch(name) is not None


def is_session_cookie(name: str) -> bool:
    """Whether a cookie of this name lets whoever has it in, as opposed to one that keeps a preference."""
    return _COOKIE.search(name) is not None


def may_be_secret(name: str) -> bool:
    """Whether to hide a value of this name where nothing is lost by hiding too much."""
    return is_secret_parameter(name) or _SUSPICIOUS.search(name) is not None

"""Tells values that can be secrets from ordinary words, which must stay readable wherever they occur.

What a header or a field holds is masked by its name, whatever it is. But a value that is then searched for in the whole
session has to look like a secret: an answer is full of the words that cookies and careless keys consist of (``theme=
default``, ``Bearer none``).
"""

from __future__ import annotations

import re
from urllib.parse import unquote

SHORTEST = 6
# What the documentation of local servers suggests where a key is required, and our own placeholders: they are not
# secrets, and answers are full of such words.
STAND_INS = frozenset(
    [
        "ollama",
        "lm-studio",
        "lmstudio",
        "llama.cpp",
        "llamacpp",
        "not-needed",
        "no-key-needed",
        "no-key-required",
        "sk-no-key-required",
        "not-required",
        "unused",
        "anonymous",
        "api-key",
        "api_key",
        "apikey",
        "bearer",
        "secret",
        "redacted",
        "[redacted]",
    ]
)
# A value whose name does not say that it is a secret has to be as long as one.
_LONG = 16
# How many characters of a value must not be explained by words, numbers and dates.
_RANDOM = 8
# For each letter, those that often follow it in English. Of the pairs in a word nearly all are among them, of the pairs
# in random letters 40 %.
_FOLLOWERS = (
    "abcdgiklmnprstuvy baceilorsuy cacehiklortuy dadeilosu eabcdefghilmnpqrstvwxy faefilortuy gaehilnorsu haeiort "
    "iabcdefglmnoprstvxz ju keis ladeilostuvy mabeimopsu nacdefghilnopstuvy oabcdefgiklmnoprstuvw paehiloprstuy qu "
    "racdefgiklmnoprstuvy sacehiklopstuwy tacdehilmoprstuy uabcdegilmnprst vaeio waehior xceiptx yimnpst zae"
)
_PAIRS = frozenset(entry[0] + letter for entry in _FOLLOWERS.split() for letter in entry[1:])
_RUN = re.compile(r"[A-Za-z0-9]+")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]|[0-9]+")
_HEX = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{16,}", re.IGNORECASE)
_CASES = re.compile(r"[^\W\d_]+")


def can_be_known(value: str) -> bool:
    """Whether a value can be searched for: it has at least `SHORTEST` characters and is not a stand-in for a key."""
    return len(value) >= SHORTEST and value.lower() not in STAND_INS


def is_word(value: str) -> bool:
    """Whether a value is one ordinary word: ``content``, ``Default``."""
    if len(value) >= _LONG or _CASES.fullmatch(value) is None:
        return False
    if not (value.islower() or value.isupper() or value.istitle()):
        return False
    return len(value) <= 8 or _reads_as_word(value.lower(), 0.6)


def is_made_of_words(value: str) -> bool:
    """Whether a value consists of words, short numbers and dates: ``light-high-contrast``, ``gpt-4o-mini``."""
    value = unquote(value)
    unexplained = 0
    for found in _RUN.finditer(value):
        unexplained += _unexplained(found.group())
        if unexplained >= _RANDOM:
            return False
    return True


def is_random(value: str) -> bool:
    """Whether a value is long and irregular enough to be a secret although its name does not call it one."""
    return len(value) >= _LONG and not is_made_of_words(value)


def _unexplained(run: str) -> int:
    parts = _PART.findall(run)
    # Letters and digits, capitals and small letters alternate: random, or an encoding.
    if len(run) >= _RANDOM and (len(run) < 3 * len(parts) or _HEX.fullmatch(run)):
        return len(run)
    if len(run) >= 4 and len(run) < 2 * len(parts):
        return len(run)
    return sum(
        len(part) for part in parts if (len(part) > 8 if part.isdigit() else not _reads_as_word(part.lower()))
    )


def _reads_as_word(word: str, share: float = 0.7) -> bool:
    pairs = [word[at : at + 2] for at in range(len(word) - 1)]
    # Pairs of other alphabets are not judged: no key is written in them.
    known = sum(pair in _PAIRS or not pair.isascii() for pair in pairs)
    return len(word) < 4 or known >= share * len(pairs)

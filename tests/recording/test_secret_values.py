"""Words stay readable, keys do not: the values that are searched for."""

from __future__ import annotations

import base64
import random
import re
import string
import uuid
from collections import Counter
from collections.abc import Callable
from pydoc_data.topics import topics

import pytest

from sse_tui.recording.secret_values import is_made_of_words, is_random, is_word

DICE = random.Random(3)


def common_words(count: int) -> list[str]:
    """The most frequent words of the Python manual, of a length that could be masked."""
    found = Counter(re.findall(r"\b[a-z]{6,15}\b", " ".join(topics.values())))
    return [word for word, _ in found.most_common(count)]


def test_no_common_word_is_a_secret() -> None:
    words = common_words(2000)
    assert len(words) > 1500
    for word in words:
        for spelled in (word, word.title(), word.upper()):
            assert is_word(spelled)
            assert not is_random(spelled)


def test_hardly_any_pair_of_words_is_one() -> None:
    words = common_words(2000)
    pairs = [DICE.choice(words) + DICE.choice("-_. /:") + DICE.choice(words) for _ in range(4000)]
    assert sum(map(is_random, pairs)) < 40


@pytest.mark.parametrize(
    "value",
    ["en-US,en;q=0.9,de;q=0.8", "Europe/Amsterdam", "2026-11-30T23:24:09Z", "gpt-4o-mini-2024-07-18",
     "claude-3-5-sonnet-20241022", "content_block_delta", "chat.completion.chunk", "%7B%22theme%22%3A%22dark%22%7D",
     "meta-llama/Llama-3.1-8B-Instruct", "internationalization", "text/event-stream; charset=utf-8",
     "https://www.example.com/index.html", "192.168.100.100:8080", "v1beta1/projects/demo"],
)  # fmt: skip
def test_what_servers_keep_in_cookies_and_answers_repeat(value: str) -> None:
    assert is_made_of_words(value)
    assert not is_random(value)


def letters(alphabet: str, size: int) -> str:
    return "".join(DICE.choices(alphabet, k=size))


KEYS: dict[str, Callable[[], str]] = {
    "uuid": lambda: str(uuid.UUID(int=DICE.getrandbits(128), version=4)),
    "hex": lambda: letters("0123456789abcdef", 32),
    "base64": lambda: base64.b64encode(DICE.randbytes(24)).decode(),
    "base32": lambda: letters(string.ascii_uppercase + "234567", 24),
    "base36": lambda: letters(string.ascii_lowercase + string.digits, 24),
    "letters": lambda: letters(string.ascii_lowercase, 24),
    "prefixed": lambda: "sk-proj-" + letters(string.ascii_letters + string.digits, 24),
}


@pytest.mark.parametrize("kind", KEYS)
def test_keys_are_secrets(kind: str) -> None:
    made = [KEYS[kind]() for _ in range(2000)]
    assert sum(not is_random(key) for key in made) < 60
    assert not any(is_word(key) for key in made)


def test_letters_of_other_alphabets_are_words() -> None:
    assert is_word("настройка")
    assert not is_random("предпочтительная-тема")


def test_a_long_value_is_judged_at_once() -> None:
    assert is_made_of_words("word " * 40_000)
    assert is_random("a1B2" * 50_000)

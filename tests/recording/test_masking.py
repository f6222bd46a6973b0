from __future__ import annotations

import base64
import itertools
import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.recording.masking import EAGER, MOST, KnownSecrets, SecretSearch
from sse_tui.recording.secret_forms import encodings
from sse_tui.recording.secret_values import STAND_INS, is_made_of_words

SECRET = "sk-0123456789abcdef"


def masked(known: KnownSecrets, pieces: list[bytes], conn: int = 1) -> list[bytes]:
    return [known.mask_body(conn, piece) for piece in pieces]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(min(place, len(data)) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def test_every_split_in_two_hides_all_but_the_first_bytes() -> None:
    before, after = b'data: {"key":"', b'"}\n\n'
    whole = before + SECRET.encode() + after
    for place in range(len(whole) + 1):
        known = KnownSecrets()
        known.learn(SECRET)
        first, second = masked(known, cut(whole, [place]))
        assert (len(first), len(second)) == (place, len(whole) - place)
        shown = place - len(before) if 0 < place - len(before) < EAGER else 0
        hidden = SECRET.encode()[:shown] + b"*" * (len(SECRET) - shown)
        assert first + second == before + hidden + after


def beginning(secret: str, form: bytes) -> int:
    """How much of a form is masked before the rest of it is there: of words, more than the first one."""
    least = min(EAGER, len(form) // 2)
    word = re.match(rb"[A-Za-z0-9]+[^A-Za-z0-9]+[A-Za-z0-9]", form)
    if form != secret.encode() or word is None or not is_made_of_words(secret):
        return least
    return max(least, word.end())


secrets = st.text(st.characters(exclude_categories=["Cs"]), min_size=6, max_size=24).filter(
    lambda text: (
        len(text.strip()) >= 6 and not set("#*") & set(text) and text.strip().lower() not in STAND_INS
    )
)


@settings(deadline=None, max_examples=400)
@given(st.data(), secrets, st.lists(st.integers(0, 120), max_size=40))
def test_a_secret_in_any_form_and_any_pieces(data: st.DataObject, secret: str, places: list[int]) -> None:
    secret = secret.strip()
    known = KnownSecrets()
    known.learn(secret)
    form = data.draw(st.sampled_from(sorted(encodings(secret))))
    body = b"##" + form + b"####" + form + b"#"
    if data.draw(st.booleans()):
        places = list(range(len(body)))
    out = masked(known, cut(body, places))
    assert [len(piece) for piece in out] == [len(piece) for piece in cut(body, places)]
    joined = b"".join(out)
    assert form not in joined
    for start in (2, 6 + len(form)):
        part = joined[start : start + len(form)]
        visible = part.rstrip(b"*")
        # Only a beginning shows, too short to have been taken for one when its read ended; another form, of
        # which less is enough, may have masked some of it.
        assert all(shown in (byte, ord("*")) for shown, byte in zip(visible, form, strict=False))
        assert len(visible) < beginning(secret, form) or len(form) < 2
    assert joined.replace(b"*", b"").count(b"#") == 7


@settings(deadline=None)
@given(st.lists(st.binary(max_size=50), max_size=20))
def test_bodies_without_the_secret_are_left_alone(pieces: list[bytes]) -> None:
    known = KnownSecrets()
    assert masked(known, pieces) == pieces
    known.learn("\u2603" * 20)
    assert masked(known, pieces) == pieces


def test_connections_do_not_mix() -> None:
    known = KnownSecrets()
    known.learn(SECRET)
    half, rest = SECRET[:4].encode(), SECRET[4:].encode()
    assert known.mask_body(1, half) == half
    assert known.mask_body(2, rest) == rest
    assert known.mask_body(1, rest) == b"*" * len(rest)
    known.mask_body(3, half)
    known.forget(3)
    assert known.mask_body(3, rest) == rest


def test_secrets_that_overlap_are_masked_to_their_ends() -> None:
    known = KnownSecrets()
    for secret in ("a1c2e3g4", "e3g4i5k6", "a1c2e3g4i5", "m1o2q3s4"):
        known.learn(secret)
    assert known.mask_text("<a1c2e3g4i5k6>", "X") == "<X>"
    assert known.mask_text("a1c2e3g4m1o2q3s4", "X") == "XX"
    assert known.mask_body(1, b"<a1c2e3g4i5k6>") == b"<************>"
    known.learn("-+-+-+-")
    assert known.mask_text("<-+-+-+-+->", "X") == "<X>"


@pytest.mark.parametrize("value", ["", "short", " pad ", "ollama", "OLLAMA", "[redacted]"])
def test_what_is_not_worth_remembering(value: str) -> None:
    known = KnownSecrets()
    known.learn(value)
    assert not known
    assert known.mask_text(f"a {value} b", "X") == f"a {value} b"


def test_the_number_of_a_server_s_secrets_is_bounded_and_those_in_use_stay() -> None:
    known = KnownSecrets()
    for number in range(MOST * 3):
        known.learn(SECRET, keep=False)
        known.learn(f"cookie-number-{number:05}", keep=False)
    assert known.mask_text(SECRET, "X") == "X"
    assert known.mask_text("cookie-number-00000", "X") == "cookie-number-00000"
    assert known.mask_text(f"cookie-number-{MOST * 3 - 1:05}", "X") == "X"


def test_secrets_of_the_requests_stay_whatever_the_server_sets() -> None:
    known = KnownSecrets()
    known.learn(SECRET)
    for number in range(MOST * 3):
        known.learn(f"cookie-number-{number:05}", keep=False)
    assert known.mask_body(1, SECRET.encode()) == b"*" * len(SECRET)
    assert len(known.values) == MOST + 1


def test_a_long_value_is_masked_whole_and_costs_little() -> None:
    long = "".join(random.Random(5).choices("abcdefABCDEF0123456789", k=5000))
    known = KnownSecrets()
    known.learn(long)
    body = b"data: " + long.encode() + b"\n\n"
    assert b"".join(masked(known, cut(body, list(range(0, 5000, 37))))).count(b"*") > 4900
    assert known.mask_body(2, body) == b"data: " + b"*" * 5000 + b"\n\n"


def escaped(dice: random.Random, text: str, share: float) -> bytes:
    """`text` with some of its characters escaped, in any of the ways in use."""
    ways = ("\\u%04x", "\\u%04X", "\\\\u%04x", "%%%02x", "%%%02X", "%%25%02x", "\\x%02x")
    return "".join(dice.choice(ways) % ord(char) if dice.random() < share else char for char in text).encode()


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
@pytest.mark.parametrize(
    "secret", [SECRET, "sk-Zq/9_x+0=Rt5.~k", "my-test-key-1", "Schl\u00fcssel-0815-4711-x9"]
)
def test_characters_that_are_escaped_without_need(share: float, secret: str) -> None:
    dice = random.Random(11)
    for _ in range(300):
        form = escaped(dice, secret, share)
        body = b'data: {"m":"' + form + b'","n":1}\n\n'
        known = KnownSecrets()
        known.learn(secret)
        pieces = cut(body, dice.sample(range(len(body)), 3) if share < 1 else [])
        out = masked(known, pieces)
        assert list(map(len, out)) == list(map(len, pieces))
        joined = b"".join(out)
        assert joined.endswith(b'","n":1}\n\n')
        assert form not in joined
        if len(pieces) == 1:
            assert joined == b'data: {"m":"' + b"*" * len(form) + b'","n":1}\n\n'
        assert SecretSearch([secret]).feed(body) == secret
        assert secret not in known.mask_text(body.decode(), "X")


@pytest.mark.parametrize("word", ["finish_reason", "content_block_delta", "my-test-key", "tool_calls"])
def test_a_key_of_ordinary_words_costs_no_answer_its_fields(word: str) -> None:
    known = KnownSecrets()
    known.learn(word)
    for body in (
        f'data: {{"{word}":null, "{word}" : 1}}',
        f'data: {{"a":"{{\\"{word}\\":1,\\"{word}\\" :2}}"}}',
    ):
        for places in ([], list(range(len(body)))):
            assert b"".join(masked(known, cut(body.encode(), places))) == body.encode()
    longer = f'data: {{"x{word}":1,"a":"{word}s"}}'.encode()
    assert known.mask_body(6, longer) == longer
    echo = f'data: {{"error":"bad key {word}","list":["{word}"],"a":"{word}"}}'.encode()
    out = known.mask_body(7, echo)
    assert word.encode() not in out
    assert len(out) == len(echo)


def letters_of_each_class(size: int) -> list[str]:
    return [char * size for char in "aA0 .-_/\\%\"'{:,=@?&;#<\n\u00e9"] + [
        "ab" * (size // 2), "\\u00" * (size // 5), "%25" * (size // 3), "\\\\" * (size // 2), "a://" * (size // 4),
    ]  # fmt: skip


@pytest.mark.parametrize("size", [20_000, 200_000])
def test_the_time_grows_with_the_size(size: int) -> None:
    for text in letters_of_each_class(size):
        known = KnownSecrets()
        known.learn(SECRET)
        known.learn("my-test-key")
        if size < 100_000:
            known.learn(text[:60])
        began = time.process_time()
        known.mask_text(text, "X")
        known.mask_body(1, text.encode())
        SecretSearch([SECRET, "my-test-key"]).feed(text.encode())
        assert time.process_time() - began < size / 100_000, text[:4]


def test_base64_of_a_text_that_holds_it() -> None:
    dice = random.Random(7)
    known = KnownSecrets()
    known.learn(SECRET)
    for _ in range(200):
        raw = dice.randbytes(dice.randrange(9)) + SECRET.encode() + dice.randbytes(dice.randrange(9))
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            text = known.mask_body(1, encode(raw))
            padded = text.replace(b"*", b"A")
            decoded = base64.b64decode(padded.translate(bytes.maketrans(b"-_", b"+/")))
            assert len(decoded) == len(raw)
            assert SECRET.encode()[1:-1] not in decoded


@settings(deadline=None, max_examples=200)
@given(st.data(), secrets, st.lists(st.integers(0, 120), max_size=40))
def test_search_finds_every_form_in_any_pieces(data: st.DataObject, secret: str, places: list[int]) -> None:
    form = data.draw(st.sampled_from(sorted(encodings(secret.strip()))))
    search = SecretSearch([secret.strip()])
    found = [search.feed(piece) for piece in cut(b"##" + form + b"#", places)]
    assert secret.strip() in found


def test_search_tells_which_value_and_nothing_of_what_is_not_there() -> None:
    search = SecretSearch(["first-value", "second-value"])
    assert search.feed(b"nothing of second-valu") is None
    assert search.feed(b"e here") == "second-value"
    assert SecretSearch([]).feed(b"anything") is None

from __future__ import annotations

import base64
import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.recording.masking import EAGER, MOST, STAND_INS, KnownSecrets, SecretSearch, encodings

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
        assert len(visible) < min(EAGER, len(form) // 2) or len(form) < 2
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
    for secret in ("abcdefgh", "efghijkl", "abcdefghij", "mnopqr"):
        known.learn(secret)
    assert known.mask_text("<abcdefghijkl>", "X") == "<X>"
    assert known.mask_text("abcdefghmnopqr", "X") == "XX"
    assert known.mask_body(1, b"<abcdefghijkl>") == b"<************>"
    known.learn("-+-+-+-")
    assert known.mask_text("<-+-+-+-+->", "X") == "<X>"


@pytest.mark.parametrize("value", ["", "short", " pad ", "ollama", "OLLAMA", "[redacted]"])
def test_what_is_not_worth_remembering(value: str) -> None:
    known = KnownSecrets()
    known.learn(value)
    assert not known
    assert known.mask_text(f"a {value} b", "X") == f"a {value} b"


def test_the_number_of_secrets_is_bounded_and_those_in_use_stay() -> None:
    known = KnownSecrets()
    for number in range(MOST * 3):
        known.learn(SECRET)
        known.learn(f"cookie-number-{number:05}")
    assert known.mask_text(SECRET, "X") == "X"
    assert known.mask_text("cookie-number-00000", "X") == "cookie-number-00000"
    assert known.mask_text(f"cookie-number-{MOST * 3 - 1:05}", "X") == "X"


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

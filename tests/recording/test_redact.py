from __future__ import annotations

import base64
import gzip
import json
import time
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.errors import RecordingError
from sse_tui.recording import Redactor, Writer, read_recording
from sse_tui.recording.record_lines import decode_record, encode_line
from sse_tui.recording.records import (
    Chunk,
    Close,
    End,
    Fault,
    Header,
    Headers,
    Note,
    Phase,
    Reconnect,
    Record,
    Request,
    Response,
    chunk,
)
from tests.recording.test_masking import letters_of_each_class
from tests.samples import KEY_HEADERS

SECRET = 'sk-Ab/9+x"Zq\\7 é&K'
PLAIN = "sk-proj-0123456789abcdef"


def request(
    url: str = "http://h/", headers: Headers | None = None, body: str | None = None, t: int = 0
) -> Request:
    return Request(t=t, turn=1, conn=1, method="POST", url=url, headers=headers or [], body=body)


def forms(secret: str) -> list[tuple[bytes, bytes]]:
    """The ways in which a secret may come back, and what of each must then not be found."""
    raw = secret.encode()
    whole = [
        raw,
        json.dumps(secret)[1:-1].encode(),
        json.dumps(json.dumps(secret)[1:-1])[1:-1].encode(),
        json.dumps(secret, ensure_ascii=False)[1:-1].encode(),
        quote(secret, safe="").encode(),
        quote_plus(secret).encode(),
    ]
    # Inside of a base64 text, at each alignment; the characters at the ends depend on the neighbours.
    encoded = [(base64.b64encode(before + raw + b"!"), len(before)) for before in (b"", b"u", b"u:", b"me:")]
    encoded += [
        (base64.urlsafe_b64encode(before + raw), len(before)) for before in (b"", b"u", b"u:", b"me:")
    ]
    return [(form, form) for form in whole] + [(text, text[size * 4 // 3 + 2 : -4]) for text, size in encoded]


def echoes(secret: str) -> list[Record]:
    """Everything that a careless peer or user may repeat a secret in."""
    echo = [form.decode() for form, _ in forms(secret)]
    return [
        Response(
            t=2, turn=1, conn=1, status=401, http_version="HTTP/1.1", headers=[("X-Echo", e) for e in echo]
        ),
        Phase(t=2, turn=1, conn=1, name="headers", dt=1),
        *(
            chunk(3, b'data: {"error":"bad key ' + form + b'"}\n\n', turn=1, conn=1)
            for form, _ in forms(secret)
        ),
        *(chunk(3, b"\xff" + form + b"\xff", turn=1, conn=1) for form, _ in forms(secret)),
        Fault(t=4, turn=1, conn=1, plan=f"cut@text={secret}", at=secret, did=secret),
        Close(t=4, turn=1, conn=1, reason="error", detail=f"failed: {' '.join(echo)}"),
        Reconnect(t=5, turn=1, delay_ms=1, last_event_id=secret, policy="last-event-id"),
        request(
            f"http://h/p/{quote(secret, safe='')}?q={quote_plus(secret)}", [("X-Other", secret)], secret, t=6
        ),
        request(body=json.dumps({"messages": [{"content": f"my key is {secret}"}]}), t=6),
        Note(t=7, text=f"it was {secret}"),
        End(t=8, reason=secret),
    ]


def recorded(folder: Path, records: list[Record], redactor: Redactor | None = None) -> bytes:
    path = folder / "a.sse.jsonl"
    with Writer(path, Header(), redactor or Redactor()) as writer:
        for record in records:
            writer.write(record)
    assert read_recording(path).skipped.damage == []
    assert len(list(read_recording(path))) == len(records)
    return path.read_bytes()


def assert_gone(data: bytes, secret: str) -> None:
    """Neither the file nor what is inside its base64 has the secret in any form."""
    texts = [data]
    for line in data.splitlines():
        fields = json.loads(line)
        texts += [base64.b64decode(fields[key]) for key in ("b64", "body_b64") if key in fields]
        texts += [value.encode() for value in fields.values() if isinstance(value, str)]
    for text in texts:
        for _, form in forms(secret):
            assert form not in text


HEADER_NAMES = [
    "Authorization",
    "authorization",
    "Proxy-Authorization",
    "X-Api-Key",
    "api-key",
    "apikey",
    "x-goog-api-key",
    "X-Auth-Token",
    "X-Amz-Security-Token",
    "Client-Secret",
    "Mcp-Session-Id",
    "Ocp-Apim-Subscription-Key",
    "X-Password",
    *KEY_HEADERS,
]


@pytest.mark.parametrize("name", HEADER_NAMES)
@pytest.mark.parametrize("secret", [PLAIN, SECRET.replace(" ", "")])
def test_a_secret_header_and_all_its_echoes(tmp_path: Path, name: str, secret: str) -> None:
    data = recorded(tmp_path, [request(headers=[("Accept", "a"), (name, secret)]), *echoes(secret)])
    assert_gone(data, secret)
    first = next(iter(read_recording(tmp_path / "a.sse.jsonl")))
    assert isinstance(first, Request)
    assert first.headers == [("Accept", "a"), (name, "[redacted]")]


@pytest.mark.parametrize(
    "value",
    [f"Bearer {SECRET}", f"Token {SECRET}", f"Basic {base64.b64encode(f'me:{SECRET}'.encode()).decode()}"],
)
def test_a_scheme_before_the_secret(tmp_path: Path, value: str) -> None:
    data = recorded(tmp_path, [request(headers=[("Authorization", value)]), *echoes(SECRET)])
    assert_gone(data, SECRET)
    assert value.partition(" ")[2].encode() not in data


def test_the_scheme_itself_is_an_ordinary_word(tmp_path: Path) -> None:
    body = b"data: Bearer of good news, Basic rules\n\ndata: Bearer"
    data = recorded(
        tmp_path, [request(headers=[("Authorization", f"Bearer {PLAIN}")]), chunk(1, body, turn=1, conn=1)]
    )
    assert json.dumps(body.decode()).encode() in data


def test_parts_of_a_signature(tmp_path: Path) -> None:
    signature = "fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024"
    value = (
        "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE00/20261130/x/s3/aws4_request, "
        f"SignedHeaders=host;x-amz-date, Signature={signature}"
    )
    echo = chunk(1, f"{signature} SignedHeaders=host".encode(), turn=1, conn=1)
    data = recorded(tmp_path, [request(headers=[("Authorization", value)]), echo])
    assert b"fe5f80f7" not in data
    assert b"SignedHeaders=host" in data


def test_cookies_of_both_directions(tmp_path: Path) -> None:
    records: list[Record] = [
        request(headers=[("Cookie", 'lang=en; sid=sid-from-request-1; q="q7Xz0-9kLm2-Value"')]),
        Response(
            t=1,
            turn=1,
            conn=1,
            status=200,
            http_version="HTTP/1.1",
            headers=[
                ("Set-Cookie", "sid=sid-from-answer-3; Path=/stream; SameSite=Strict"),
                ("X", "sid-from-answer-3"),
            ],
        ),
        chunk(2, b"sid-from-request-1 q7Xz0-9kLm2-Value sid-from-answer-3 /stream Strict", turn=1, conn=1),
    ]
    data = recorded(tmp_path, records)
    for secret in ("sid-from-request-1", "q7Xz0-9kLm2-Value", "sid-from-answer-3"):
        assert_gone(data, secret)
    assert b"/stream Strict" in data


def test_a_session_id_of_the_server_is_known_from_then_on(tmp_path: Path) -> None:
    session = "5f1c0c9e-8f6b-4c57-a0cc-000000000001"
    head = Response(
        t=1, turn=1, conn=1, status=200, http_version="HTTP/2", headers=[("mcp-session-id", session)]
    )
    assert_gone(recorded(tmp_path, [head, *echoes(session)]), session)


@pytest.mark.parametrize(
    "name",
    [
        "Last-Event-ID",
        "Accept",
        "X-RateLimit-Remaining-Tokens",
        "anthropic-ratelimit-tokens-limit",
        "Idempotency-Key",
    ],
)
def test_headers_that_tell_no_secret(name: str) -> None:
    headers = [(name, "41-some-value")]
    kept = Redactor().record(request(headers=headers))
    assert isinstance(kept, Request)
    assert kept.headers == headers


PARAMETERS = [
    "key",
    "api_key",
    "api-key",
    "apikey",
    "access_token",
    "token",
    "sig",
    "signature",
    "X-Amz-Signature",
    "client_secret",
    "subscription-key",
    "sessionId",
    "api%5Fkey",
    "code",
    "sas",
    "session",
    "app_key",
    "hmac",
    "passphrase",
]


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_secret_parameter_and_all_its_echoes(tmp_path: Path, name: str) -> None:
    url = f"https://h.example/v1?alt=sse&{name}={quote_plus(SECRET)}&max_tokens=1000000#top"
    data = recorded(tmp_path, [request(url), *echoes(SECRET)])
    assert_gone(data, SECRET)
    first = next(iter(read_recording(tmp_path / "a.sse.jsonl")))
    assert isinstance(first, Request)
    assert first.url == f"https://h.example/v1?alt=sse&{name}=redacted&max_tokens=1000000#top"


@pytest.mark.parametrize(
    ("url", "redacted"),
    [
        ("https://me:pass-word-1@h:8/p?a=b@c", "https://redacted@h:8/p?a=b@c"),
        ("https://pass-word-1@h/", "https://redacted@h/"),
        ("https://pass-word-1:@h/", "https://redacted@h/"),
        ("https://me:pass%2Dword-1@h", "https://redacted@h"),
        ("http://h/cb#access_token=pass-word-1&state=9", "http://h/cb#access_token=redacted&state=9"),
        ("http://h/?a=1;token=pass-word-1;;&&=&b", "http://h/?a=1;token=redacted;;&&=&b"),
        ("http://h/a@b?x=%zz&key=", "http://h/a@b?x=%zz&key="),
        ("", ""),
        ("not a url", "not a url"),
    ],
)
def test_urls(tmp_path: Path, url: str, redacted: str) -> None:
    data = recorded(tmp_path, [request(url), chunk(1, b"pass-word-1", turn=1, conn=1)])
    first = next(iter(read_recording(tmp_path / "a.sse.jsonl")))
    assert isinstance(first, Request)
    assert first.url == redacted
    if redacted != url:
        assert_gone(data, "pass-word-1")


def test_urls_inside_of_other_text(tmp_path: Path) -> None:
    location = [("Location", f"https://u:{PLAIN}@h/next?key=other-secret-2")]
    records: list[Record] = [
        Response(t=0, turn=1, conn=1, status=307, http_version="HTTP/1.1", headers=location),
        Close(t=1, reason="error", detail="no route to http://h/?token=third-secret-3 (tried twice)"),
        Note(t=2, text="see http://h/?sig=fourth-secret-4&a=b"),
        Reconnect(t=3, delay_ms=1, last_event_id="", policy="p", url="http://h/?token=fifth-secret-5"),
    ]
    data = recorded(tmp_path, records)
    for secret in (PLAIN, "other-secret-2", "third-secret-3", "fourth-secret-4", "fifth-secret-5"):
        assert_gone(data, secret)
    assert b"tried twice" in data
    assert b"&a=b" in data


def test_fields_of_the_body_that_carry_a_secret(tmp_path: Path) -> None:
    body = {
        "messages": [{"role": "user", "content": "hi"}],
        "stop_token": "<|im_end|>",
        "mcp_servers": [{"url": "http://m", "authorization_token": SECRET}],
        "tools": [{"headers": {"Authorization": f"Bearer {PLAIN}"}}],
        "schema": {"password": {"type": "string"}},
    }
    data = recorded(
        tmp_path,
        [
            request(body=json.dumps(body)),
            *echoes(SECRET),
            *echoes(PLAIN),
            chunk(9, b"<|im_end|>", turn=1, conn=1),
        ],
    )
    assert_gone(data, SECRET)
    assert_gone(data, PLAIN)
    assert data.count(b"<|im_end|>") == 2
    first = next(iter(read_recording(tmp_path / "a.sse.jsonl")))
    assert isinstance(first, Request)
    assert json.loads(first.body or "")["mcp_servers"][0] == {
        "url": "http://m",
        "authorization_token": "[redacted]",
    }


@pytest.mark.parametrize(
    "name",
    ["key", "token", "pass", "auth", "credentials", "private_key", "client_secret", "password", "session_id"],
)
def test_a_field_of_the_body_and_all_its_echoes(tmp_path: Path, name: str) -> None:
    body = f'{{"{name}" : {json.dumps(SECRET)},"n":1}}'
    data = recorded(tmp_path, [request(body=body), *echoes(SECRET)])
    assert_gone(data, SECRET)
    first = next(iter(read_recording(tmp_path / "a.sse.jsonl")))
    assert isinstance(first, Request)
    assert first.body == f'{{"{name}" : "[redacted]","n":1}}'


def test_short_values_of_fields_are_masked_where_they_are_named() -> None:
    body = '{"password":"abc","auth":"none","filter":{"key":"genre","value":"rock"},"token":"created_at","secret":""}'
    out = Redactor().record(request(body=body))
    assert isinstance(out, Request)
    assert json.loads(out.body or "") == {
        "password": "[redacted]",
        "auth": "[redacted]",
        "filter": {"key": "genre", "value": "rock"},
        "token": "created_at",
        "secret": "",
    }


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_urls_and_json_inside_of_a_body(depth: int, tmp_path: Path) -> None:
    inner = {
        "image_url": f"https://user:{PLAIN}x@h/a.png?a=1",
        "other": f"https://h/?x=1&sig={PLAIN}y&b=2",
        "slashes": "https:\\/\\/h\\/?x=1\\u0026code=" + PLAIN + "z",
        "password": f"{PLAIN}w",
    }
    text: object = inner
    for _ in range(depth):
        text = {"arguments": json.dumps(text)}
    data = recorded(
        tmp_path, [request(body=json.dumps(text)), *(e for x in "xyzw" for e in echoes(PLAIN + x))]
    )
    for letter in "xyzw":
        assert_gone(data, PLAIN + letter)
    first = next(iter(read_recording(tmp_path / "a.sse.jsonl")))
    assert isinstance(first, Request)
    left = json.loads(first.body or "")
    for _ in range(depth):
        left = json.loads(left["arguments"])
    assert left["image_url"] == "https://redacted@h/a.png?a=1"
    assert left["other"] == "https://h/?x=1&sig=redacted&b=2"


@pytest.mark.parametrize(
    "cookie",
    ["lang=content", "theme=default", "session=content", "session=finish_reason", "tz=America/New_York",
     "since=2026-11-30T23:24:09Z", "model=claude-3-5-sonnet-20241022", "ui=prefers-dark-mode-theme", "auth=choices"],
)  # fmt: skip
@pytest.mark.parametrize("sent", ["Set-Cookie", "Cookie"])
def test_a_preference_in_a_cookie_is_no_secret(cookie: str, sent: str) -> None:
    redactor = Redactor()
    value = cookie.partition("=")[2]
    if sent == "Cookie":
        record: Record = request(headers=[(sent, f"a=1; {cookie}")])
    else:
        record = Response(t=0, turn=1, conn=1, status=200, http_version="HTTP/1.1", headers=[(sent, cookie)])
    out = redactor.record(record)
    assert isinstance(out, Request | Response)
    assert out.headers == [(sent, "[redacted]")]
    answer = chunk(1, f'data: {{"{value}":"{value} {value}"}}\n\n'.encode(), turn=1, conn=1)
    assert redactor.record(answer) is answer


@pytest.mark.parametrize(
    "key", ["none", "test", "default", "content", "finish", "Password", "anything", "EMPTY"]
)
def test_a_key_that_is_a_word_is_no_secret(key: str) -> None:
    redactor = Redactor()
    redactor.record(request(headers=[("Authorization", f"Bearer {key}"), ("x-api-key", key)]))
    answer = chunk(1, f'data: {{"{key}":"{key} {key}"}}\n\n'.encode(), turn=1, conn=1)
    assert redactor.record(answer) is answer


def test_no_number_of_cookies_pushes_a_key_out() -> None:
    redactor = Redactor()
    redactor.record(
        request(headers=[("Authorization", f"Bearer {PLAIN}"), ("Cookie", "sid=a1b2c3d4e5f6a7b8")])
    )
    for number in range(60):
        cookies = [("Set-Cookie", f"sid=a1b2c3d4e5f6a7b8-{number}-{at}") for at in range(70)]
        redactor.record(Response(t=0, turn=1, conn=1, status=200, http_version="HTTP/1.1", headers=cookies))
        jar = "; ".join(value for _, value in cookies)
        redactor.record(request(headers=[("Authorization", f"Bearer {PLAIN}"), ("Cookie", jar)]))
    echo = chunk(1, f"{PLAIN} a1b2c3d4e5f6a7b8".encode(), turn=1, conn=1)
    masked = redactor.record(echo)
    assert isinstance(masked, Chunk)
    assert masked.text == "*" * len(PLAIN) + " " + "*" * 16
    assert len(redactor.secrets) < 100


def test_the_time_grows_with_the_size() -> None:
    for text in letters_of_each_class(50_000):
        began = time.process_time()
        redactor = Redactor()
        redactor.record(
            request(f"http://h/?a={text}", [("Authorization", f"Bearer {PLAIN}"), ("X", text)], text)
        )
        redactor.record(
            request(text, [("Cookie", text), ("Key", text)], f'{{"a":"{text}","password":"{text}"}}')
        )
        redactor.record(
            Response(
                t=0,
                turn=1,
                conn=1,
                status=200,
                http_version="HTTP/1.1",
                headers=[("Set-Cookie", text), ("X", text)],
            )
        )
        redactor.record(Reconnect(t=0, delay_ms=0, last_event_id=text, policy="always"))
        redactor.record(Close(t=0, turn=1, conn=1, reason="error", detail=text))
        assert time.process_time() - began < 1.5, text[:4]


def test_a_form_body(tmp_path: Path) -> None:
    form = [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")]
    data = recorded(tmp_path, [request(headers=form, body=f"a=1&client_secret={quote_plus(SECRET)}&b=2")])
    assert_gone(data, SECRET)
    assert b"a=1&client_secret=redacted&b=2" in data


def test_a_body_that_is_not_utf8(tmp_path: Path) -> None:
    body = base64.b64encode(b"\xff" + PLAIN.encode() + b"\xfe").decode()
    record = Request(
        t=0, turn=1, conn=1, method="POST", url="http://h", headers=[("api-key", PLAIN)], body_b64=body
    )
    assert_gone(recorded(tmp_path, [record]), PLAIN)
    first = next(iter(read_recording(tmp_path / "a.sse.jsonl")))
    assert isinstance(first, Request)
    assert first.data == b"\xff[redacted]\xfe"


@pytest.mark.parametrize("named", ["header", "body"])
def test_a_compressed_request(named: str, tmp_path: Path) -> None:
    """As a client sends it that compresses its bodies; kevin1024/vcrpy#132 asks for the same."""
    plain = json.dumps(
        {"password": PLAIN, "echo": f"my {PLAIN}"} if named == "body" else {"echo": PLAIN, "n": 1}
    )
    body = base64.b64encode(gzip.compress(plain.encode())).decode()
    headers = [("Content-Encoding", "gzip"), *([("x-api-key", PLAIN)] if named == "header" else [])]
    record = Request(t=0, turn=1, conn=1, method="POST", url="http://h", headers=headers, body_b64=body)
    assert_gone(recorded(tmp_path, [record, *echoes(PLAIN)]), PLAIN)
    first = next(iter(read_recording(tmp_path / "a.sse.jsonl")))
    assert isinstance(first, Request)
    assert gzip.decompress(first.data).decode() == plain.replace(PLAIN, "[redacted]")
    harmless = Request(
        t=0, turn=1, conn=1, method="POST", url="http://h", headers=headers[:1],
        body_b64=base64.b64encode(gzip.compress(b"nothing")).decode(),
    )  # fmt: skip
    assert Redactor().record(harmless) == harmless


def test_names_of_the_user(tmp_path: Path) -> None:
    redactor = Redactor(["X-Tenant", "x-corp-*"])
    records = [
        request(
            "http://h/?x-tenant=tenant-number-7",
            [("x-Corp-Badge", "badge-number-8"), ("x-corporate", "kept-here")],
        )
    ]
    data = recorded(tmp_path, [*records, *echoes("tenant-number-7"), *echoes("badge-number-8")], redactor)
    assert_gone(data, "tenant-number-7")
    assert_gone(data, "badge-number-8")
    assert b"kept-here" in data


def test_patterns_of_the_user(tmp_path: Path) -> None:
    redactor = Redactor(extra_patterns=[r"acme-\d+", "größ[a-z]+", "x*"])
    records: list[Record] = [
        request("http://h/acme-1?q=acme-2", [("X", "acme-3"), ("Y", "größer")], "acme-4444 größte"),
        chunk(1, "é acme-5555 größen\n".encode(), turn=1, conn=1),
        chunk(2, b"\xff acme-6", turn=1, conn=1),
        chunk(3, b"666 ", turn=1, conn=1),
        Close(t=4, turn=1, conn=1, reason="error", detail="acme-7"),
        Note(t=5, text="acme-8 and on"),
    ]
    data = recorded(tmp_path, records, redactor)
    assert b"acme-" not in data
    assert "größ".encode() not in data
    assert b"and on" in data
    chunks = [record for record in read_recording(tmp_path / "a.sse.jsonl") if isinstance(record, Chunk)]
    assert [record.data for record in chunks] == ["é ********* ********\n".encode(), b"\xff ******", b"*** "]
    with pytest.raises(RecordingError, match="not a valid regular expression") as caught:
        Redactor(extra_patterns=["("])
    assert caught.value.code == "recording-pattern"


def test_a_key_known_from_the_configuration(tmp_path: Path) -> None:
    redactor = Redactor()
    redactor.learn(PLAIN)
    assert_gone(recorded(tmp_path, echoes(PLAIN), redactor), PLAIN)


@pytest.mark.parametrize("key", ["ollama", "lm-studio", "x", "EMPTY", "not-needed", "[redacted]"])
def test_stand_ins_for_a_key_do_not_garble_the_answer(key: str) -> None:
    redactor = Redactor()
    asked = redactor.record(request(headers=[("Authorization", f"Bearer {key}")]))
    assert isinstance(asked, Request)
    assert asked.headers == [("Authorization", "[redacted]")]
    answer = chunk(1, f'data: {{"model":"{key}/llama"}}\n\n'.encode(), turn=1, conn=1)
    assert redactor.record(answer) is answer


def test_an_event_id_stays_the_same_in_body_header_and_record() -> None:
    redactor = Redactor()
    redactor.learn(PLAIN)
    event_id = f"{PLAIN}_7"
    body = redactor.record(chunk(1, f"id: {event_id}\n".encode(), turn=1, conn=1))
    again = redactor.record(Reconnect(t=2, delay_ms=0, last_event_id=event_id, policy="last-event-id"))
    asked = redactor.record(request(headers=[("Last-Event-ID", event_id)]))
    assert isinstance(body, Chunk)
    assert isinstance(again, Reconnect)
    assert isinstance(asked, Request)
    expected = "*" * len(PLAIN) + "_7"
    assert (body.text, again.last_event_id, asked.headers[0][1]) == (f"id: {expected}\n", expected, expected)


def test_a_closed_connection_leaves_nothing_behind() -> None:
    redactor = Redactor()
    redactor.learn(PLAIN)
    half, rest = (chunk(1, part.encode(), turn=1, conn=1) for part in (PLAIN[:4], PLAIN[4:]))
    assert redactor.record(half) is half
    redactor.record(Close(t=2, turn=1, conn=1, reason="eof"))
    assert redactor.record(rest) is rest


def test_a_relative_location(tmp_path: Path) -> None:
    head = Response(
        t=0,
        turn=1,
        conn=1,
        status=302,
        http_version="HTTP/2",
        headers=[("location", f"/cb?token={PLAIN}&a=b"), (":path", f"/cb?key={PLAIN}")],
    )
    data = recorded(tmp_path, [head, *echoes(PLAIN)])
    assert_gone(data, PLAIN)
    assert b"/cb?token=redacted&a=b" in data


anything = st.text(max_size=30) | st.sampled_from(
    [
        "\udc80\ud800secret",
        "Basic %%%",
        "Basic /w==",
        "Bearer",
        "a=b; c",
        "http://a:b@[::1",
        '{"api_key":"abcdefg"}',
    ]
)


@settings(deadline=None)
@given(st.sampled_from(["Authorization", "Cookie", "Location", "X", "Last-Event-ID"]), anything, anything)
def test_it_takes_whatever_text_it_is_given(name: str, one: str, two: str) -> None:
    records: list[Record] = [
        request(one, [(name, two)], two),
        request(f"http://{one}@h/?key={two}", [(name, one)], one),
        Response(t=0, turn=1, conn=1, status=200, http_version=one, headers=[(name, one), ("X", two)]),
        chunk(0, one.encode("utf-8", "surrogatepass"), turn=1, conn=1),
        Close(t=0, turn=1, conn=1, reason="error", detail=one),
        Note(t=0, text=two),
    ]
    redactor = Redactor(extra_patterns=["s+"])
    for record in records:
        out = redactor.record(record)
        assert type(out) is type(record)
        assert decode_record(encode_line(out))


def test_redacting_twice_changes_nothing_more() -> None:
    records = [request(f"http://u:{PLAIN}@h/?key={PLAIN}", [("api-key", PLAIN)], PLAIN), *echoes(PLAIN)]
    first = Redactor()
    once = [first.record(record) for record in records]
    second = Redactor()
    assert [second.record(record) for record in once] == once

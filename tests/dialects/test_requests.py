"""What each dialect that can chat sends, and what a recorded request asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sse_tui.dialects import dialect_class, names, senders
from sse_tui.dialects.base import Message, Prepared
from sse_tui.dialects.request import endpoint, last_user, plain_prompt
from sse_tui.errors import UsageError

TALK = [
    Message("system", "Be brief."),
    Message("user", "Hi"),
    Message("assistant", "Hello."),
    Message("user", "Grüße 😀"),
]
ALL = {"temperature": 0.5, "top_p": 0.9, "top_k": 40, "min_p": 0.1, "max_tokens": 9, "seed": 1, "stop": ["x"]}


def prepare(dialect: str, base_url: str = "http://h", model: str = "m", **params: Any) -> Prepared:
    return dialect_class(dialect).prepare(base_url, model, TALK, params)


def body(dialect: str, **params: Any) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(prepare(dialect, **params).body)
    return decoded


def test_who_can_send() -> None:
    assert senders() == [
        *("openai-chat", "openai-responses", "anthropic-messages", "gemini", "openai-completions"),
        *("cohere-v2", "tgi", "llamacpp-native", "ollama"),
    ]


@pytest.mark.parametrize("dialect", senders())
def test_every_request(dialect: str) -> None:
    prepared = prepare(dialect)
    assert prepared.method == "POST"
    headers = dict(prepared.headers)
    assert headers["content-type"] == "application/json"
    accept = "application/x-ndjson" if dialect == "ollama" else "text/event-stream"
    assert headers["accept"] == accept
    assert dialect_class(dialect).prompt_of(prepared.body.decode()) == "Grüße 😀"


@pytest.mark.parametrize("dialect", [name for name in names() if name not in senders()])
def test_the_others_say_that_they_cannot(dialect: str) -> None:
    with pytest.raises(UsageError) as caught:
        prepare(dialect)
    assert caught.value.code == "dialect-cannot-send"


@pytest.mark.parametrize(
    ("dialect", "base", "url"),
    [
        ("openai-responses", "https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
        ("openai-responses", "http://h/v1/responses/", "http://h/v1/responses"),
        ("openai-completions", "http://h/v1", "http://h/v1/completions"),
        ("anthropic-messages", "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("anthropic-messages", "https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"),
        ("anthropic-messages", "http://h/anthropic/v1/messages?beta=true", "http://h/anthropic/v1/messages?beta=true"),
        ("gemini", "https://g.example", "https://g.example/v1beta/models/m:streamGenerateContent?alt=sse"),
        ("gemini", "https://g.example/v1/", "https://g.example/v1/models/m:streamGenerateContent?alt=sse"),
        ("gemini", "https://g/v1/x/publishers/google?key=a",
         "https://g/v1/x/publishers/google/models/m:streamGenerateContent?key=a&alt=sse"),
        ("cohere-v2", "https://api.cohere.com", "https://api.cohere.com/v2/chat"),
        ("cohere-v2", "https://api.cohere.com/v2", "https://api.cohere.com/v2/chat"),
        ("tgi", "http://h:8080", "http://h:8080/generate_stream"),
        ("tgi", "http://h:8080/v1", "http://h:8080/generate_stream"),
        ("llamacpp-native", "http://h:8080/v1/", "http://h:8080/completion"),
        ("llamacpp-native", "http://h/completion", "http://h/completion"),
        ("ollama", "http://h:11434", "http://h:11434/api/chat"),
        ("ollama", "http://h:11434/api", "http://h:11434/api/chat"),
        ("ollama", "http://h:11434/v1", "http://h:11434/api/chat"),
    ],
)  # fmt: skip
def test_where_it_goes(dialect: str, base: str, url: str) -> None:
    assert prepare(dialect, base).url == url


def test_models_that_are_resource_names() -> None:
    assert (
        prepare("gemini", "http://h/v1", "models/g-2").url
        == "http://h/v1/models/g-2:streamGenerateContent?alt=sse"
    )
    assert endpoint("http://h", "models/a b?c:x") == "http://h/models/a%20b%3Fc:x"


def test_responses() -> None:
    sent = body("openai-responses", temperature=0.5, max_tokens=9)
    assert sent == {
        "model": "m",
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "Grüße 😀"},
        ],
        "stream": True,
        "store": False,
        "temperature": 0.5,
        "max_output_tokens": 9,
    }


def test_messages() -> None:
    sent = body("anthropic-messages", stop=["x"], top_k=4)
    assert (sent["system"], sent["max_tokens"], sent["stream"]) == ("Be brief.", 4096, True)
    assert (sent["stop_sequences"], sent["top_k"]) == (["x"], 4)
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "user"]
    assert body("anthropic-messages", max_tokens=9)["max_tokens"] == 9
    prepared = prepare("anthropic-messages")
    assert dict(prepared.headers)["anthropic-version"] == "2023-06-01"


def test_contents() -> None:
    sent = body("gemini", **{name: value for name, value in ALL.items() if name != "min_p"})
    assert sent["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert sent["contents"][1] == {"role": "model", "parts": [{"text": "Hello."}]}
    assert sent["generationConfig"] == {
        "temperature": 0.5, "topP": 0.9, "topK": 40, "maxOutputTokens": 9, "seed": 1, "stopSequences": ["x"],
    }  # fmt: skip
    assert "generationConfig" not in body("gemini")


def test_cohere() -> None:
    sent = body("cohere-v2", top_p=0.9, top_k=4, stop=["x"])
    assert (sent["p"], sent["k"], sent["stop_sequences"], sent["stream"]) == (0.9, 4, ["x"], True)
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}


def test_tgi() -> None:
    sent = body("tgi", max_tokens=9, temperature=0.5)
    assert sent["inputs"].startswith("Be brief.\n\nUser: Hi\n\nAssistant: Hello.")
    assert sent["inputs"].endswith("\n\nAssistant:")
    stop = {"stop": ["\n\nUser:"]}
    sampled = {"max_new_tokens": 9, "temperature": 0.5, "do_sample": True}
    assert sent["parameters"] == {"details": True, **sampled, **stop}
    assert body("tgi", temperature=0, top_p=1)["parameters"] == {"details": True, **stop}, "it refuses both"


def test_llamacpp() -> None:
    sent = body("llamacpp-native", **ALL)
    assert (sent["n_predict"], sent["min_p"], sent["stream"], sent["return_progress"]) == (9, 0.1, True, True)
    assert sent["model"] == "m"


def test_ollama() -> None:
    sent = body("ollama", **ALL)
    assert sent["options"]["num_predict"] == 9
    assert sent["options"]["stop"] == ["x"]
    assert (sent["stream"], sent["messages"][0]["role"]) == (True, "system")
    assert "options" not in body("ollama")


def test_completions() -> None:
    sent = body("openai-completions", **ALL)
    assert {name: sent[name] for name in ALL} == ALL
    assert sent["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("dialect", senders())
def test_extra_members_come_last(dialect: str) -> None:
    sent = body(dialect, extra={"model": "other", "stream": None, "x": 1})
    assert (sent["model"], sent["x"]) == ("other", 1)
    assert "stream" not in sent
    assert "extra" not in sent


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        ("openai-responses", "seed"),
        ("anthropic-messages", "seed"),
        ("gemini", "min_p"),
        ("cohere-v2", "min_p"),
    ],
)
def test_what_a_provider_has_no_name_for(dialect: str, name: str) -> None:
    with pytest.raises(UsageError, match=name) as caught:
        prepare(dialect, **{name: 1})  # type: ignore[arg-type]
    assert caught.value.code == "unsupported-parameter"
    assert dialect in caught.value.hint


@pytest.mark.parametrize("dialect", senders())
def test_an_unknown_parameter(dialect: str) -> None:
    with pytest.raises(UsageError, match="temprature"):
        prepare(dialect, temprature=1)


@pytest.mark.parametrize(
    ("dialect", "header", "value"),
    [
        ("openai-chat", "Authorization", "Bearer k"),
        ("anthropic-messages", "x-api-key", "k"),
        ("gemini", "x-goog-api-key", "k"),
        ("cohere-v2", "Authorization", "Bearer k"),
        ("auto", "Authorization", "Bearer k"),
    ],
)
def test_how_the_key_goes(dialect: str, header: str, value: str) -> None:
    auth = dialect_class(dialect).auth
    assert (auth.header, auth.value("k")) == (header, value)


def test_a_lone_question_is_sent_as_it_is() -> None:
    assert plain_prompt([Message("user", "Once upon")]) == "Once upon"
    assert plain_prompt([Message("system", "S"), Message("user", "U")]) == "S\n\nUser: U\n\nAssistant:"


@pytest.mark.parametrize("dialect", ["openai-completions", "llamacpp-native"])
def test_a_conversation_as_text_stops_before_the_user_speaks(dialect: str) -> None:
    assert body(dialect)["stop"] == ["\n\nUser:"]
    assert body(dialect, stop=["x"])["stop"] == ["x"]
    lone = dialect_class(dialect).prepare("http://h", "m", [Message("user", "Once upon")], {})
    assert "stop" not in json.loads(lone.body)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("Once upon", "Once upon"),
        ("S\n\nUser: U\n\nAssistant:", "U"),
        ("User: a\n\nAssistant: b\n\nUser: c\n\nd\n\nAssistant:", "c\n\nd"),
        ("no user\n\nAssistant:", "no user\n\nAssistant:"),
        ("", ""),
    ],
)
def test_the_last_words_in_a_prompt(prompt: str, said: str) -> None:
    assert last_user(prompt) == said


@pytest.mark.parametrize(
    ("dialect", "request_body", "prompt"),
    [
        ("openai-responses", {"input": "text"}, "text"),
        (
            "openai-responses",
            {"input": [{"role": "user", "content": [{"type": "input_text", "text": "t"}]}]},
            "t",
        ),
        (
            "anthropic-messages",
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "t"}]}]},
            "t",
        ),
        ("gemini", {"contents": [{"parts": [{"text": "t"}]}]}, "t"),
        ("gemini", {"contents": 3}, None),
        ("ollama", {"prompt": "t"}, "t"),
        ("llamacpp-native", {"prompt": [1, 2]}, None),
        ("tgi", {"inputs": "t"}, "t"),
        ("tgi", {}, None),
    ],
)
def test_the_prompt_of_other_bodies(dialect: str, request_body: Any, prompt: str | None) -> None:
    assert dialect_class(dialect).prompt_of(json.dumps(request_body)) == prompt


@pytest.mark.parametrize("dialect", senders())
def test_the_prompt_of_a_request_whose_dialect_is_not_known(dialect: str) -> None:
    assert dialect_class("auto").prompt_of(prepare(dialect).body.decode()) == "Grüße 😀"


@pytest.mark.parametrize("dialect", [*senders(), "auto"])
@pytest.mark.parametrize(
    "text", ["", "nonsense", "[]", "{}", "null", '{"messages":3,"input":3,"contents":[3]}']
)
def test_no_prompt_in_something_else(dialect: str, text: str) -> None:
    assert dialect_class(dialect).prompt_of(text) is None

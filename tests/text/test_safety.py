"""Nothing of other people's text acts where it is shown, and ordinary text stays as it is."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.text import safety
from sse_tui.text.safety import TextPolicy

POLICIES = {name: policy for name, policy in vars(safety).items() if isinstance(policy, TextPolicy)}
SINKS: dict[str, Callable[[str], str]] = {**POLICIES, "html": safety.html}
DIRECTION = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
odd = st.text(st.characters() | st.characters(categories=["Cc", "Cf", "Cs", "Mn", "Zl", "Zp"]), max_size=40)


def acts(char: str) -> bool:
    return char in DIRECTION or unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs")


def test_every_sink_of_the_program_has_its_policy() -> None:
    assert set(SINKS) == {"terminal", "pane", "pane_line", "document", "html", "xml", "log_line", "json_line"}


@pytest.mark.parametrize("sink", SINKS)
@given(odd)
def test_nothing_that_acts_is_left(sink: str, text: str) -> None:
    shown = SINKS[sink](text)
    assert {char for char in shown if acts(char)} <= set("\t\n\r")
    shown.encode()


@pytest.mark.parametrize("sink", ["pane", "pane_line"])
@given(odd, st.text(max_size=2))
def test_a_pane_shows_one_character_for_each(sink: str, text: str, before: str) -> None:
    assert len(POLICIES[sink](text, before)) == len(text)


@pytest.mark.parametrize("sink", POLICIES)
@given(odd)
def test_what_is_safe_stays_as_it_is(sink: str, text: str) -> None:
    shown = POLICIES[sink](text)
    assert POLICIES[sink](shown) == shown


@given(odd)
def test_a_line_of_json_keeps_its_value(text: str) -> None:
    line = json.dumps({"text": text}, ensure_ascii=False)
    assert json.loads(safety.json_line(line)) == {"text": text}


@given(odd)
def test_what_is_made_for_xml_is_xml(text: str) -> None:
    from xml.sax.saxutils import escape

    ElementTree.fromstring(f"<a>{escape(safety.xml(text))}</a>")


@given(odd)
def test_a_message_in_a_log_is_one_line(text: str) -> None:
    assert len(safety.log_line(f"a{text}b").splitlines()) == 1


@given(odd)
def test_a_line_is_one_line(text: str) -> None:
    assert len(safety.terminal.line(f"a{text}b").splitlines()) == 1


ALL = "\x1b[2J\x9b31m\u202e\u200b\u2028\t\n\r\x7f\x85\U000e0041\ud800\ufffe"


@pytest.mark.parametrize(
    ("sink", "shown"),
    [
        ("terminal", "␛[2J\\x9b31m\\u202e\\u200b\\u2028\t\n␍␡\\x85\\U000e0041\ufffd\ufffd"),
        ("pane", "␛[2J␦31m␦·· \n␍␡␦·\ufffd\ufffd"),
        ("pane_line", "␛[2J␦31m␦··␉↵␍␡␦·\ufffd\ufffd"),
        ("document", "␛[2J\ufffd31m\ufffd··\t\n␍␡\ufffd·\ufffd\ufffd"),
        ("html", "␛[2J\ufffd31m\ufffd··\t\n␍␡\ufffd·\ufffd\ufffd"),
        ("xml", "\ufffd[2J\ufffd31m\ufffd··\t\n\r\ufffd\ufffd·\ufffd\ufffd"),
        ("log_line", "\\x1b[2J\\x9b31m\\u202e\\u200b\\u2028\\t\\n\\r\\x7f\\x85\\U000e0041\\ud800\\ufffe"),
    ],
)
def test_the_signs_of_a_sink(sink: str, shown: str) -> None:
    assert SINKS[sink](ALL) == shown


REPORTS = [
    # GingerGraham/bash-logger#36: a message clears the screen and writes a false one.
    ("ok\x1b[2J\x1b[H\x1b[31mFAKE\x1b[0m", "ok␛[2J␛[H␛[31mFAKE␛[0m"),
    # rsyslog/rsyslog#1138: the cursor goes up and overwrites an earlier line.
    ("HELLO\n\x1b[2AAAAA\x1b[2B", "HELLO\n␛[2AAAAA␛[2B"),
    # scottcrosby-securebine/kali-mcp-server#80: a Server header sets the title; a link goes elsewhere (OSC 0, OSC 8).
    ("Apache\x1b]0;PWNED\x07\x1b]8;;http://evil/\x07", "Apache␛]0;PWNED␇␛]8;;http://evil/␇"),
    # CVE-2025-58160, tracing-subscriber: what a user typed reaches the terminal through the log.
    ("user \x1b]2;t\x1b\\ logged in", "user ␛]2;t␛\\ logged in"),
    # billybox1926-jpg/snipcontext#196: the 8-bit forms, DCS and OSC.
    ("a\x90p\x9dq", "a\\x90p\\x9dq"),
    # sipeed/picoclaw#2377: colours, and an override of direction after them.
    ("\x1b[31mred\x1b[0m\u202e", "␛[31mred␛[0m\\u202e"),
    # CVE-2021-42574, Trojan Source: the comment seems to end where it does not.
    (
        "/*\u202e } \u2066if (admin)\u2069 \u2066 begin*/",
        "/*\\u202e } \\u2066if (admin)\\u2069 \\u2066 begin*/",
    ),
    # Gitlawb/node#183: marks of direction, which are no controls for most languages' libraries.
    ("a\u200eb\u200fc\u061cd", "a\\u200eb\\u200fc\\u061cd"),
    # aaif-goose/goose#3920: ASCII hidden in the tags block.
    ("Hi\U000e0052\U000e0075\U000e006e", "Hi\\U000e0052\\U000e0075\\U000e006e"),
    # AlexanderMattTurner/agent-sanitizer#146: the same behind the flag that may have tags.
    ("🏴\U000e0072\U000e006d\U000e007f", "🏴\\U000e0072\\U000e006d\\U000e007f"),
    # uber/ADR#45: bytes hidden in variation selectors, behind an emoji or a letter.
    ("😀\U000e0101\U000e0102", "😀\\U000e0101\\U000e0102"),
    ("x\ufe0f\ufe01", "x\\ufe0f\\ufe01"),
    # DouglasdeMoura/chroncal#369: a word that is split where nothing is seen.
    ("pass\u200bword\ufeff", "pass\\u200bword\\ufeff"),
    # mullvad/unicop#50: joiners that join nothing.
    ("a\u200d\u200d\u200cb", "a\\u200d\\u200d\\u200cb"),
]


@pytest.mark.parametrize(("text", "shown"), REPORTS)
def test_reported_attacks_on_a_terminal_are_shown(text: str, shown: str) -> None:
    assert safety.terminal(text) == shown


ORDINARY = [
    "plain text, 漢字, é, “quoted” — 1\u00a0000 km",
    # opena2a-org/hackmyagent#409, guillaumemeyer/watermarks-remover#22: emoji of several characters.
    "🧑\u200d🚀 👨\u200d👩\u200d👧 ⚖\ufe0f ❤\ufe0f\u200d🔥 👩🏽\u200d💻 🏳\ufe0f\u200d🌈 1\ufe0f\u20e3 #\ufe0f\u20e3",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    # duckduckgo/content-scope-scripts#2973: Persian; then Hindi, Sinhala, Bengali, and an abbreviation in Persian.
    "می\u200cروم نمی\u200cخواهم",
    "क्\u200dष क्\u200cष ශ්\u200dරී র\u200d্য ه\u200d",
    "葛\U000e0100城 ≨\ufe00",
    "⠋⠙ ▁▂▃ █",
]


@pytest.mark.parametrize("text", ORDINARY)
@pytest.mark.parametrize("sink", POLICIES)
def test_ordinary_text_is_not_touched(sink: str, text: str) -> None:
    assert POLICIES[sink](text) == text


@pytest.mark.parametrize("text", ORDINARY[:2] + ORDINARY[3:])
def test_text_in_pieces_is_shown_as_it_is_whole(text: str) -> None:
    shown, before = "", ""
    for piece in text:
        shown += safety.terminal(piece, before)
        before = piece
    assert shown == text


def test_a_joiner_at_the_beginning_of_a_piece_is_judged_by_what_came_before() -> None:
    assert safety.pane("\u200d💻", "👩") == "\u200d💻"
    assert safety.pane("\u200d💻", "a") == safety.pane("\u200d💻") == "·💻"
    assert safety.pane("b", "\x1b") == "b"


def test_mark_up_is_text_in_html() -> None:
    assert safety.html("<b a='1'>&\x1b</b>") == "&lt;b a=&#x27;1&#x27;&gt;&amp;␛&lt;/b&gt;"


def test_data_for_a_pipe_is_exact_but_for_what_utf8_cannot_hold() -> None:
    assert safety.encodable("a\x1b\u202e\ud800b") == "a\x1b\u202e\ufffdb"


@given(st.text())
def test_what_is_pasted_holds_nothing_that_no_key_types(text: str) -> None:
    pasted = safety.typed(text)
    assert not any(acts(char) and char not in "\n\t\u2028\u2029" and char not in DIRECTION for char in pasted)
    pasted.encode()
    assert safety.typed(pasted) == pasted


def test_pasted_line_ends_become_line_feeds() -> None:
    assert safety.typed("a\r\nb\rc\n\td\x1b[31m\x00") == "a\nb\nc\n\td[31m"

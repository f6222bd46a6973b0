"""The forms of a report: what a reader must find in each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from sse_tui.metrics import Bounds
from sse_tui.offline.report import Report, html, junit, markdown, plain, report_json
from sse_tui.recording.records import Close, Fault, Note, chunk
from tests.offline.report.stories import EVIL, MS, report_of, story


def test_plain_text_of_a_broken_stream(broken: Report) -> None:
    lines = plain.render(broken).splitlines()
    assert lines[0] == "a.sse.jsonl"
    assert "  outcome  truncated: the connection closed before the end of the body" in lines
    assert any(line.startswith("  E truncated-stream  conn 1") for line in lines)
    assert "  | partial" in lines
    assert any(line.strip().startswith("FAIL  complete  (no)") for line in lines)
    assert "     1     200       2    280      3  incomplete" in lines
    assert all(line == line.rstrip() for line in lines)


def test_nothing_wrong_is_said_in_one_line(healthy: Report) -> None:
    text = plain.render(healthy)
    assert "0 of 3 expectations failed" in text
    assert "E " not in text.replace("E2E", "").replace("TTF", "")


def test_advice_is_given_once_a_rule(made: Callable[..., Report]) -> None:
    bad = b"".join(b"data: {no json %d\n\n" % number for number in range(3))
    report = made(story("a", end=bad))
    found = [finding for finding in report.findings if finding.rule == "invalid-json-event"]
    assert len(found) > 1
    # What a line breaks in the plain text is whole in the page.
    assert html.render(report).count(escape(found[0].advice)) == 1
    assert plain.render(report).count(f"see {found[0].reference}") == 1
    assert markdown.render(report).count(markdown.prose(found[0].advice)) == 1


def test_json_of_one_turn_is_that_turn(healthy: Report) -> None:
    out = report_json.render(healthy)
    assert out["text"] == "Hello there"
    assert out["clocks"]["ttft"] == 100.0
    assert out["recording"]["clock"] == "read"
    assert [one["passed"] for one in out["expectations"]] == [True, True, True]
    assert {
        "rule",
        "severity",
        "message",
        "advice",
        "reference",
        "conn",
        "start",
        "end",
        "event",
        "t_ms",
    } <= set(report_json.render(report_of(story("a", close="reset", end=b"x")))["findings"][0])


def test_json_of_several_turns_has_them_all() -> None:
    report = report_of([*story("a"), *story("b", turn=2, conn=2)])
    assert [turn["text"] for turn in report_json.render(report)["turns"]] == ["a", "b"]
    assert report_json.render(report_of([]))["turns"] == []


def test_junit_has_a_case_an_expectation_and_a_rule(broken: Report) -> None:
    root = ElementTree.fromstring(junit.render(broken))
    cases = {(case.get("classname"), case.get("name")): case for case in root.iter("testcase")}
    assert cases["sse-tui.expect", "complete"].find("failure") is not None
    assert cases["sse-tui.rule", "truncated-stream"].find("failure") is not None
    infos = [case for case in cases.values() if case.find("failure") is None]
    assert infos
    suite = root.find("testsuite")
    assert suite is not None
    assert int(suite.get("failures") or 0) == sum(case.find("failure") is not None for case in cases.values())
    assert int(suite.get("tests") or 0) == len(cases)


def test_junit_fails_on_what_it_is_told_to(broken: Report) -> None:
    def failing(fail_on: str) -> int:
        root = ElementTree.fromstring(junit.render(broken, fail_on))
        return sum(case.get("classname") == "sse-tui.rule" and case.find("failure") is not None
                   for case in root.iter("testcase"))  # fmt: skip

    assert failing("never") == 0
    assert 0 < failing("error") < failing("warning")


def test_what_fails_a_report(healthy: Report, broken: Report) -> None:
    assert not healthy.failed("error")
    assert report_of(story("a"), "ttft<1").failed("never")
    assert broken.failed("error")
    plainly = report_of(story("a", close="reset", end=b"x"))
    assert plainly.failed("error")
    assert not plainly.failed("never")


def test_markdown_is_tables_and_lists(broken: Report) -> None:
    text = markdown.render(broken)
    assert text.startswith("## Stream report: `a.sse.jsonl`\n")
    assert "- **error** `truncated-stream`" in text
    assert "- [ ] `complete`: `no`" in text
    assert "```text\npartial\n```" in text


class Seen(HTMLParser):
    """Tags, the attributes that load or run something, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loading: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loading += [
            f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "style") or name.startswith("on")
        ]
        if tag not in ("meta", "line", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_one_page_that_loads_nothing(broken: Report) -> None:
    page = html.render(broken)
    seen = Seen(page)
    assert not seen.open
    assert seen.loading == []
    assert "script" not in seen.tags
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page
    assert "prefers-color-scheme:dark" in page
    assert 'name="viewport"' in page
    assert seen.tags.count("svg") == 1
    assert "truncated-stream" in seen.text
    assert "partial" in seen.text


def test_the_timeline_draws_reads_tokens_silence_faults_and_findings(made: Callable[..., Report]) -> None:
    records = story("a", "b")
    late = [
        Fault(t=2000 * MS, turn=1, conn=1, plan="cut@event=2", at="event 2", did="closed"),
        Note(t=2000 * MS, text="here"),
        Close(t=2000 * MS, turn=1, conn=1, reason="fault", detail="cut"),
    ]
    page = html.render(made([*records[:-2], *late]))
    drawn = page[page.index("<svg") : page.index("</svg>")]
    assert len(re.findall('<rect class="reads"', drawn)) == 2
    assert len(re.findall('<rect class="tokens"', drawn)) == 2
    assert "1,880.0 ms</text>" in drawn
    assert "<title>fault: cut@event=2: closed</title>" in drawn
    assert "<title>note: here</title>" in drawn
    assert "<title>truncated-stream</title>" in drawn
    places = [float(value) for value in re.findall(r'x1?="(\d+\.\d+)%"', drawn)]
    assert max(places) <= 100


def test_a_long_timeline_has_no_more_bars_than_a_short_one(made: Callable[..., Report]) -> None:
    records = [chunk(t * MS, b"data: x\n\n" * (t % 3), turn=1, conn=1) for t in range(1, 20_000)]
    page = html.render(made(records))
    assert page.count("<rect") < 1500
    assert len(page) < 250_000


BOUNDS = Bounds(ttft_p50_ms=150, ttft_p99_ms=500, tpot_ms=20, tbt_p99_ms=100, completion=0.999, errors=0.001)


def test_objectives_are_judged_where_times_are_known(made: Callable[..., Report]) -> None:
    report = made(story("a", "b", "c"), bounds=replace(BOUNDS, tpot_ms=10))
    rows = [" ".join(line.split()) for line in plain.render(report).splitlines()]
    assert "TTFT p50 < 150.0 ms 100.0 ms (p50, n = 1) pass" in rows
    assert "TPOT < 10.0 ms 20.0 ms (p50, n = 1) fail" in rows
    assert "completion > 99.9 % 100 % (n = 1) pass" in rows
    assert "<b>fail</b> TPOT" in html.render(report)
    assert "| TPOT | < 10.0 ms |" in markdown.render(report)
    assert [row["state"] for row in report_json.render(report)["slo"]].count("fail") == 1
    assert not report.failed("error")
    untimed = made(story("a"), bounds=BOUNDS, clock="none")
    assert "Objectives" not in plain.render(untimed)
    assert "slo" not in report_json.render(untimed)


def test_many_connections_are_not_all_drawn(made: Callable[..., Report]) -> None:
    records = [
        record for conn in range(1, 41) for record in story("a", conn=conn, close="reset", t=conn * 10**9)
    ]
    page = html.render(made(records))
    assert page.count("<svg") == 24
    assert "16 further connections" in page


def test_without_times_the_line_goes_by_bytes(made: Callable[..., Report]) -> None:
    page = html.render(made(story("a"), clock="none"))
    assert "captured without times" in page
    assert re.search(r">byte \d+</text>", page)


# What means harm must be in the report, and mean nothing.


def test_hostile_html(hostile: Report) -> None:
    page = html.render(hostile)
    seen = Seen(page)
    assert "script" not in seen.tags
    assert seen.loading == []
    assert not seen.open
    assert "alert(1)" in seen.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", page)


def test_hostile_markdown(hostile: Report) -> None:
    text = markdown.render(hostile)
    outside = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", text)
    outside = re.sub(r"(?s)(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", outside)
    assert "<script>" not in outside
    assert "@all" not in outside
    assert "#1 " not in outside
    assert "https://evil" not in outside
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "alert(1)" in text


def test_hostile_junit(hostile: Report) -> None:
    root = ElementTree.fromstring(junit.render(hostile))
    assert {element.tag for element in root.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "system-out",
    }  # fmt: skip
    assert "alert(1)" in "".join(root.itertext())


def test_hostile_json_and_text(hostile: Report) -> None:
    assert json.loads(json.dumps(report_json.render(hostile)))["text"] == EVIL * 2
    text = plain.render(hostile)
    assert "alert(1)" in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)


@pytest.mark.parametrize(
    "text", ["", "`", "``x`", "a\n\nb", "```\n# x", "|", "\\", "<b>", "1. x", "- x", "_a_ b_c"]
)
def test_code_and_prose_of_any_text(text: str) -> None:
    span = markdown.code(text)
    assert "\n" not in span
    block = markdown.fence(text)
    opening, closing = block.split("\n")[0], block.split("\n")[-1]
    assert opening == f"{closing}text"
    assert closing not in block.split("\n")[1:-1]
    shown = markdown.prose(text)
    assert not re.match(r"(?:[#+-]|\d+[.)])\s", shown)
    assert "<b>" not in shown

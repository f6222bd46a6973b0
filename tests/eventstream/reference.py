"""The standard, as plainly as it can be written: whole body in, items out. Slow, and obviously right."""

from __future__ import annotations

import re

from sse_tui.eventstream import RETRY_MAX, Comment, Event, Ignored, Item, NoData, Retry, Tail


def interpret(body: bytes, last_event_id: str = "") -> list[Item]:
    skipped = 3 if body.startswith(b"\xef\xbb\xbf") else 0
    text = body[skipped:].decode("utf-8", errors="replace")
    texts = re.split(r"\r\n|\n|\r", text)
    places = list(re.finditer(rb"[^\r\n]*(\r\n|\n|\r|\Z)", body[skipped:]))
    unterminated = texts.pop()

    items: list[Item] = []
    data, event_type, id_buffer = "", "", last_event_id
    block: int | None = None
    names_event = False
    kept: list[str] = []
    after = skipped
    for line, place in zip(texts, places, strict=False):
        start = skipped + place.start()
        end = skipped + place.start(1) + 1
        after = skipped + place.end()
        if line == "":
            if data:
                assert block is not None
                items.append(Event(event_type or "message", data[:-1], id_buffer, block, end))
            elif names_event:
                assert block is not None
                items.append(NoData(event_type, id_buffer, block, end))
            data, event_type, block, names_event, kept = "", "", None, False, []
            continue
        if line.startswith(":"):
            items.append(Comment(line[1:], start, end))
            continue
        block = start if block is None else block
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data += value + "\n"
        elif name == "event":
            event_type, names_event = value, True
        elif name == "id" and "\0" not in value:
            id_buffer, names_event = value, True
        elif name == "retry" and re.fullmatch(r"[0-9]+", value, re.ASCII):
            digits = value.lstrip("0") or "0"
            beyond = digits if len(digits) > 16 or int(digits) > RETRY_MAX else ""
            items.append(Retry(RETRY_MAX if beyond else int(digits), start, end, beyond))
            continue
        else:
            items.append(Ignored(line, start, end))
            continue
        kept.append(line + "\n")
    if block is not None or unterminated:
        items.append(Tail("".join(kept) + unterminated, after if block is None else block, len(body)))
    return items

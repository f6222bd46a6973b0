"""The texts of a bundle: what is in it, how to make it happen again, and what it was made with."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version

from sse_tui.errors import RecordingError
from sse_tui.offline.export.curl_command import curl_command
from sse_tui.offline.export.tape import TapedConnection
from sse_tui.offline.report import Report, markdown
from sse_tui.version import __version__

LIBRARIES = (
    *("httptools", "httpx", "llama-cpp-python", "msgspec", "starlette", "textual", "uvicorn", "uvloop"),
)
RECORDING = "recording.sse.jsonl"

_CONTENTS = {
    "report.md": "what is in the stream and what is wrong with it; paste it into the issue",
    RECORDING: "every byte and its time: `sse-tui open` shows it, `sse-tui replay` serves it",
    "reproduce.sh": "the requests as curl commands",
    "versions.txt": "what this was made with",
    "screenshot.svg": "the recording as sse-tui shows it",
}


def versions() -> str:
    """A line a part: the program, Python, the system, and the libraries that matter to it."""
    lines = [
        f"sse-tui {__version__}",
        f"{platform.python_implementation()} {platform.python_version()}",
        platform.platform(),
    ]
    for name in LIBRARIES:
        try:
            lines.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name} is not installed")
    return "\n".join(lines) + "\n"


def reproduction(asked: Sequence[TapedConnection]) -> str:
    """A shell script that sends the first request of each turn again; "" where no request is known."""
    parts: list[str] = []
    for conn in asked:
        try:
            command = curl_command(conn)
        except RecordingError:
            continue
        title = f"# Turn {conn.turn}.\n" if len(asked) > 1 else ""
        parts.append(title + command)
    return "#!/bin/sh\n" + "\n".join(parts) if parts else ""


def issue(report: Report, script: str) -> str:
    """The report, and beneath it how to reproduce it and the versions: one text for an issue."""
    parts = [markdown.render(report), "### Reproduction\n"]
    if script:
        parts += ["The request, sent again:\n", markdown.fence(script.rstrip("\n"), "sh") + "\n"]
    parts += [
        "The recorded answer, at its recorded pace, for any client:\n",
        markdown.fence(f"sse-tui replay {RECORDING}   # prints the URL", "sh") + "\n",
        "### Versions\n",
        markdown.fence(versions().rstrip("\n")) + "\n",
    ]
    return "\n".join(parts)


def readme(names: Iterable[str], secrets: int, unsearched: Sequence[int] = ()) -> str:
    """What each file is, and what was done about secrets; `unsearched` connections have a body we cannot decode."""
    rows = "\n".join(
        f"- `{name}`: {_CONTENTS.get(name, 'a picture of the screen')}" for name in sorted(names)
    )
    searched = (
        f"{secrets} secret value{'s' if secrets != 1 else ''} known by name, by form or from the configuration "
        f"{'were' if secrets != 1 else 'was'} masked, and searched for in every file afterwards: as written, "
        "URL-encoded, in base64, in JSON escapes, and across the borders of reads."
        if secrets
        else "No secret value was known by name, by form or from the configuration, so none was searched for."
    )
    if unsearched:
        searched += (
            "\nNot searched, being compressed in a way that sse-tui cannot undo: the body of connection "
        )
        searched += f"{', '.join(map(str, unsearched))}."
    return f"""# A stream, as it came

{rows}

Watch it: `sse-tui open {RECORDING}`. Serve it to your own client: `sse-tui replay {RECORDING}`.

## Secrets

{searched}
Headers, query parameters and body fields named like secrets read `[redacted]`. A secret that nothing names cannot be
known: read `report.md` before you share this.
"""

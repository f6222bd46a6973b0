"""The texts of a bundle: what is in it, how to reproduce it, and what it was made with."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version

from sse_tui.offline.export.curl_command import curl_command
from sse_tui.offline.export.tape import TapedConnection
from sse_tui.offline.report import Report, markdown
from sse_tui.text.wording import many
from sse_tui.version import __version__

LIBRARIES = ("httptools", "httpx", "llama-cpp-python", "msgspec", "starlette", "textual", "uvicorn", "uvloop")
RECORDING = "recording.sse.jsonl"

_CONTENTS = {
    "report.md": "what is in the stream and what is wrong with it; paste it into the issue",
    RECORDING: "every byte with its time; `sse-tui open` shows it, `sse-tui replay` serves it",
    "reproduce.sh": "the requests as curl commands",
    "versions.txt": "the versions of sse-tui, Python and the libraries",
    "screenshot.svg": "the recording as sse-tui shows it",
}


def versions() -> str:
    """One line each: sse-tui, Python, the system and the libraries it uses."""
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


def reproduction(report: Report) -> str:
    """A shell script that sends the first request of each turn again; "" where no request is known."""
    requests = [(turn.number, turn.request) for turn in report.turns if turn.request is not None]
    commands = [
        (f"# Turn {turn}.\n" if len(requests) > 1 else "")
        + curl_command(TapedConnection(request.conn, turn, request.t, request))
        for turn, request in requests
    ]
    return "#!/bin/sh\n" + "\n".join(commands) if commands else ""


def issue(report: Report, script: str) -> str:
    """The report, and beneath it how to reproduce it and the versions: one text for an issue."""
    parts = [markdown.render(report), "### Reproduction\n"]
    if script:
        parts += ["To send the request again:\n", markdown.fence(script.rstrip("\n"), "sh") + "\n"]
    parts += [
        "To serve the recorded response to any client, at its original pace:\n",
        markdown.fence(f"sse-tui replay {RECORDING}   # prints the URL", "sh") + "\n",
        "### Versions\n",
        markdown.fence(versions().rstrip("\n")) + "\n",
    ]
    return "\n".join(parts)


def readme(
    names: Iterable[str], secrets: int, used: int | None = None, unsearched: Sequence[int] = ()
) -> str:
    """What each file is, and what was done about secrets.

    `used` further secrets of the session itself were searched for by their hashes, None if there are no hashes. The
    bodies of `unsearched` connections cannot be decoded.
    """
    rows = "\n".join(
        f"- `{name}`: {_CONTENTS.get(name, 'a picture of the screen')}" for name in sorted(names)
    )
    searched = (
        f"{many(secrets, 'secret value')} known by name, by pattern or from the configuration "
        f"{'were' if secrets != 1 else 'was'} masked, then searched for in every file: as written, "
        "URL-encoded, in base64, in JSON escapes, and across read boundaries."
        if secrets
        else "No secret value was known by name, by pattern or from the configuration, so none was searched for."
    )
    if used is None:
        searched += (
            "\nWhich secrets the session itself used is not known here, unless the requests show them."
        )
    elif used:
        searched += f"\n{many(used, 'secret value')} that the session used, of which only hashes are kept, "
        searched += (
            f"{'were' if used != 1 else 'was'} searched for in every body, header and answer, and not found."
        )
    if unsearched:
        searched += "\nNot searched, because sse-tui cannot decompress it: the body of connection "
        searched += f"{', '.join(map(str, unsearched))}."
    return f"""# A recorded stream

{rows}

Watch it: `sse-tui open {RECORDING}`. Serve it to your own client: `sse-tui replay {RECORDING}`.

## Secrets

{searched}
Headers, query parameters and body fields with the name of a secret read `[redacted]`. Other secrets cannot be
recognised: read `report.md` before you share this.
"""

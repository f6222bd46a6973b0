"""The ``sse-tui`` command: runs a command line, and turns every way a run can end into an exit code.

``--help`` and ``--version`` are answered here without click and without the commands, so that they come at once.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

from sse_tui.cli.exits import Exit, Terminated
from sse_tui.errors import SseTuiError

COMPLETE_VAR = "_SSE_TUI_COMPLETE"
_BUG = "a bug in sse-tui; set SSE_TUI_TRACEBACK=1 to see the traceback"


def main(args: Sequence[str] | None = None) -> None:
    """Entry point of the console script. Never returns."""
    sys.exit(_run(sys.argv[1:] if args is None else list(args)))


def _run(args: list[str]) -> int:
    try:
        if instruction := os.environ.get(COMPLETE_VAR):
            from sse_tui.cli.group import complete

            return complete(COMPLETE_VAR, instruction)
        if args in (["--help"], ["-h"], ["--version"]):
            return _answer(args[0])
        from sse_tui.cli.group import run

        return run(args)
    except BrokenPipeError as error:
        from sse_tui.cli import output

        if sys.stdout is None or not output.Output().abandoned():
            return _bug(error)
        output.discard()
        return Exit.OK
    except SseTuiError as error:
        return _failed(error, error.exit_code)
    except KeyboardInterrupt:
        from sse_tui.cli import narration

        narration.interrupted()
        return Exit.INTERRUPTED
    except Terminated as ended:
        return 128 + ended.number
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            return _bug(error)
        why = f"Too many open files ({error.strerror}). Raise the limit: ulimit -n 256."
        return _failed(why, Exit.FAILED)
    except Exception as error:
        return _bug(error)


def _answer(option: str) -> int:
    if option == "--version":
        from sse_tui.version import __version__

        text = f"sse-tui {__version__}\n"
    else:
        from sse_tui.cli.help_page import help_text

        text = help_text()
    if sys.stdout is None:
        return Exit.OK
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from sse_tui.cli.output import stdout_failed

        raise stdout_failed(error) from error
    return Exit.OK


def _bug(error: Exception) -> int:
    if os.environ.get("SSE_TUI_TRACEBACK"):
        from sse_tui.cli import narration

        narration.traceback(error)
    return _failed(f"{type(error).__name__}: {error} ({_BUG})", Exit.INTERNAL)


def _failed(problem: SseTuiError | str, code: int) -> int:
    from sse_tui.cli import narration

    narration.error(problem)
    return code

"""The ``sse-tui`` command: finds the subcommand, and turns every way a run can end into an exit code."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

import sse_tui
from sse_tui.cli import narration, output
from sse_tui.cli.exits import Exit, Terminated, exit_of
from sse_tui.errors import SseTuiError
from sse_tui.text.nearest import did_you_mean

# In the order in which --help shows them.
COMMANDS = (
    "chat",
    "ask",
    "inspect",
    "tail",
    "open",
    "report",
    "export",
    "replay",
    "lens",
    "minimize",
    "bundle",
    "serve",
    "models",
    "config",
    "doctor",
    "completion",
)
_OWN_OPTIONS = ("-h", "--help", "--version")
_DEFECT = "a defect in sse-tui; run it with SSE_TUI_TRACEBACK=1 to see where"
COMPLETE_VAR = "_SSE_TUI_COMPLETE"
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(click.Group):
    """Loads a subcommand's module when it is asked for; without a subcommand it is ``chat``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"sse_tui.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}. {did_you_mean(args[0], COMMANDS)}".rstrip())
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """``sse-tui --model x`` is ``sse-tui chat --model x``."""
        before: list[str] = []
        rest = list(args)
        while rest and rest[0].split("=")[0] == "--config":
            count = 1 if "=" in rest[0] else 2
            before += rest[:count]
            rest = rest[count:]
        if not ctx.resilient_parsing and (
            not rest or (rest[0].startswith("-") and rest[0] not in _OWN_OPTIONS)
        ):
            rest.insert(0, "chat")
        return super().parse_args(ctx, [*before, *rest])


_EPILOG = """\b
Exit codes:
  0    done
  1    a finding, an expectation or a check failed, or stdout could not be written
  2    wrong usage or configuration
  3    no connection, no model, or an HTTP error
  4    the stream broke, or reported an error
  70   a defect in sse-tui
  130  interrupted (143: terminated)"""


@click.group(cls=Commands, context_settings=CONTEXT, epilog=_EPILOG)
@click.option("--config", "config", metavar="FILE", help="Configuration file to use instead of the user's.")
@click.version_option(sse_tui.__version__, prog_name="sse-tui", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, config: str | None) -> None:
    """Chat with, inspect, break and record streamed LLM output and server-sent events.

    Without a command: chat with the default profile, the local model if nothing is configured.
    """
    ctx.obj = config


def main(args: Sequence[str] | None = None) -> None:
    """Entry point of the console script. Never returns."""
    sys.exit(_run(sys.argv[1:] if args is None else list(args)))


def _run(args: list[str]) -> int:
    # Not click's own main(): that answers a broken pipe with exit 1, and prints on an interrupt.
    try:
        if instruction := os.environ.get(COMPLETE_VAR):
            return _complete(instruction)
        with cli.make_context("sse-tui", args) as context:
            result: Any = cli.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
        return int(result) if isinstance(result, int) else Exit.OK
    except click.exceptions.Exit as done:
        # --help and --version.
        return done.exit_code
    except BrokenPipeError as error:
        if sys.stdout is None or not output.Output().abandoned():
            return _defect(error)
        output.discard()
        return Exit.OK
    except SseTuiError as error:
        narration.error(error)
        return exit_of(error)
    except click.exceptions.NoArgsIsHelpError as error:
        # A group without its subcommand: the help is the answer.
        narration.say(error.format_message())
        return Exit.USAGE
    except click.ClickException as error:
        narration.error(_usage(error))
        return Exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        narration.interrupted()
        return Exit.INTERRUPTED
    except Terminated as ended:
        return 128 + ended.number
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            return _defect(error)
        narration.error(f"Too many files are open ({error.strerror}). Raise the limit: ulimit -n 256.")
        return Exit.FAILED
    except Exception as error:
        return _defect(error)


def _complete(instruction: str) -> int:
    from click.shell_completion import shell_complete

    return shell_complete(cli, {}, "sse-tui", COMPLETE_VAR, instruction)


def _defect(error: Exception) -> Exit:
    if os.environ.get("SSE_TUI_TRACEBACK"):
        narration.traceback(error)
    narration.error(f"{type(error).__name__}: {error} ({_DEFECT})")
    return Exit.INTERNAL


def _usage(error: click.ClickException) -> str:
    """click's message as one line, with the command whose help answers it."""
    message = error.format_message()
    message = message if message.endswith("?") else message.rstrip(".") + "."
    context = getattr(error, "ctx", None)
    return f"{message} See: {context.command_path} --help" if context is not None else message

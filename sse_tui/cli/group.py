"""The command group: finds a command, imports its module when it is asked for, and runs it."""

from __future__ import annotations

import errno
import importlib
import sys
from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli import help_page, narration
from sse_tui.cli.exits import Exit
from sse_tui.cli.output import stdout_failed
from sse_tui.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
_OWN_OPTIONS = ("-h", "--help", "--version")
CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": help_page.WIDEST}


class Commands(click.Group):
    """Loads a command's module when it is asked for; without a command it is ``chat``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(help_page.COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in help_page.COMMANDS:
            return None
        module = importlib.import_module(f"sse_tui.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def get_help(self, ctx: click.Context) -> str:
        return help_page.help_text().rstrip("\n")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands by the table and the options; click's own would import every command for its help."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=text)
            for name, text in help_page.COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in help_page.COMMANDS and not ctx.resilient_parsing:
            # Imported here: a command that exists needs no comparison with the others.
            from sse_tui.text.nearest import did_you_mean

            ctx.fail(f"No such command {args[0]!r}. {did_you_mean(args[0], help_page.COMMANDS)}".rstrip())
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


@click.group(
    cls=Commands,
    context_settings=CONTEXT,
    help="\n\n".join(help_page.ABOUT),
    epilog=f"\b\n{help_page.EXIT_CODES}",
)
@click.option("--config", "config", metavar="FILE", help=help_page.OPTIONS["--config FILE"])
@click.version_option(__version__, prog_name="sse-tui", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, config: str | None) -> None:
    ctx.obj = config


def run(args: list[str]) -> int:
    """Run a command line and return its exit code. Errors of the program itself are raised."""
    # Not click's own main(): that answers a broken pipe with exit 1, and prints on an interrupt.
    try:
        with cli.make_context("sse-tui", args) as context:
            result: Any = cli.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
        return int(result) if isinstance(result, int) else Exit.OK
    except OSError as error:
        # Only click itself writes --help and --version without `Output`.
        if error.errno not in _CANNOT_WRITE:
            raise
        raise stdout_failed(error) from error
    except click.exceptions.Exit as done:
        # --help and --version.
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        # A group without its subcommand: the help is the answer.
        narration.say(error.format_message())
        return Exit.USAGE
    except click.ClickException as error:
        narration.error(_usage(error))
        return Exit.USAGE
    except click.Abort:
        raise KeyboardInterrupt from None


def complete(variable: str, instruction: str) -> int:
    """Answer a shell's request, which came in the environment variable, for completions or for its script."""
    from click.shell_completion import shell_complete

    return shell_complete(cli, {}, "sse-tui", variable, instruction)


def _usage(error: click.ClickException) -> str:
    """click's message as one line, with the command whose help answers it."""
    message = error.format_message()
    message = message if message.endswith("?") else message.rstrip(".") + "."
    context = getattr(error, "ctx", None)
    return f"{message} See: {context.command_path} --help" if context is not None else message

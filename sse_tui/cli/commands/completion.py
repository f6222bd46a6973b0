"""``sse-tui completion``: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click

from sse_tui.cli.output import Output


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a shell completion script.

    \b
    bash:  eval "$(sse-tui completion bash)"      in ~/.bashrc
    zsh:   eval "$(sse-tui completion zsh)"       in ~/.zshrc
    fish:  sse-tui completion fish > ~/.config/fish/completions/sse-tui.fish
    """
    from click.shell_completion import get_completion_class

    from sse_tui.cli.group import cli
    from sse_tui.cli.main import COMPLETE_VAR

    script = get_completion_class(shell)
    assert script is not None
    # `source_template` and not `source()`: that starts bash to look at its version.
    made = script(cli, {}, "sse-tui", COMPLETE_VAR)
    Output().line(made.source_template % made.source_vars())

"""``sse-tui bundle``: everything that a bug report about a stream needs, without its secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sse_tui.cli import narration
from sse_tui.cli.options import config_option, dialect_option, load_config
from sse_tui.cli.output import Output
from sse_tui.errors import UsageError
from sse_tui.text.wording import many

if TYPE_CHECKING:
    from sse_tui.config import Loaded


@click.command("bundle")
@click.argument("source", metavar="FILE|-")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="OUT",
    help="Zip file to create, or a folder if the name does not end in .zip. Default: FILE's name with "
    ".bundle.zip, in the current folder.",
)
@click.option("--screenshot", is_flag=True, help="Add a screenshot of the TUI showing the recording.")
@click.option(
    "--secret",
    "secrets",
    multiple=True,
    metavar="VALUE",
    help="A secret that the bundle must not contain; may be repeated.",
)
@click.option(
    "--secret-env",
    multiple=True,
    metavar="NAME",
    help="Environment variable that holds such a secret; may be repeated.",
)
@dialect_option
@config_option
def command(
    source: str,
    output: str | None,
    screenshot: bool,
    secrets: tuple[str, ...],
    secret_env: tuple[str, ...],
    stream_dialect: str | None,
) -> int:
    """Bundle a stream for a bug report.

    The bundle holds the recording with its secrets masked, a report to paste into an issue, the request as a curl
    command, and versions. Every file is searched for every known secret; if one is found, the bundle is deleted and the
    exit code is 1. FILE may be anything that sse-tui opens; - is stdin. Prints the path of the bundle.
    """
    from sse_tui.cli.ending import ended
    from sse_tui.cli.reading import stdin
    from sse_tui.offline.bundle import make_bundle, new_bundle_path

    loaded = load_config()
    known = (*secrets, *_from_environment(secret_env, os.environ), *configured_secrets(loaded, os.environ))
    out = Path(output) if output else new_bundle_path("stdin" if source == "-" else source, Path.cwd())

    def pictures(recording: Path) -> Mapping[str, str]:
        if not screenshot:
            return {}
        from sse_tui.cli.launch import picture

        return {"screenshot.svg": picture(recording, stream_dialect)}

    with narration.Status(f"bundling {source}"):
        bundle = make_bundle(
            stdin() if source == "-" else Path(source),
            out,
            config=loaded.config,
            secrets=known,
            dialect=stream_dialect,
            pictures=pictures,
        )
    Output().line(str(bundle.path))
    searched = f"searched for {many(bundle.secrets, 'known secret')}, found none"
    narration.say(f"sse-tui: {', '.join(bundle.files)}; {searched}")
    return ended(bundle.report.findings)


def configured_secrets(loaded: Loaded, environ: Mapping[str, str]) -> list[str]:
    """The keys of the configuration: every profile's environment variable, and the selected profile's command.

    Other profiles' commands are not run: they may ask for a passphrase. Values too short to be secrets are left out.
    """
    from sse_tui.config import api_key
    from sse_tui.recording.secret_values import can_be_known

    config = loaded.config
    names = [profile.api_key_env for profile in config.profiles.values()] + [config.server.token_env]
    found = [environ.get(name, "").strip() for name in names if name]
    selected = config.selected
    if selected.api_key_command is not None and not (
        selected.api_key_env and environ.get(selected.api_key_env, "").strip()
    ):
        found.append(api_key(selected, environ) or "")
    return [value for value in dict.fromkeys(found) if can_be_known(value)]


def _from_environment(names: tuple[str, ...], environ: Mapping[str, str]) -> list[str]:
    for name in names:
        if not environ.get(name):
            from sse_tui.config import not_set

            raise UsageError("secret-not-set", *not_set(name, "--secret-env"))
    return [environ[name] for name in names]

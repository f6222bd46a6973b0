"""``sse-tui models``: what the local engine can run, and getting or deleting it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sse_tui.cli import narration
from sse_tui.cli.options import config_option, load_config
from sse_tui.cli.output import Output

if TYPE_CHECKING:
    from sse_tui.models import Progress


@click.group("models")
def command() -> None:
    """List, download and delete local models."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_them(as_json: bool) -> None:
    """List the catalogue and what is downloaded."""
    from sse_tui.models import list_models

    out = Output()
    for model in list_models():
        if as_json:
            out.json(
                {
                    "name": model.name,
                    "title": model.title,
                    "licence": model.licence,
                    "size": model.size,
                    "path": str(model.path) if model.path is not None else None,
                }
            )
        else:
            where = str(model.path) if model.path is not None else "not downloaded"
            out.line(f"{model.name:<28} {model.size / 1e6:>9.1f} MB  {model.licence or '-':<12} {where}")


@command.command("pull")
@click.argument("name", required=False)
@config_option
def pull(name: str | None, config: str | None) -> None:
    """Download a model and check it; without NAME the configured one. Prints its path.

    NAME is a name of the catalogue, the address of a GGUF file, or hf:OWNER/REPO/FILE.
    """
    chosen = name or load_config(config).config.local.model
    Output().line(str(fetch(chosen)))


@command.command("path")
@click.argument("name", required=False)
@config_option
def path(name: str | None, config: str | None) -> None:
    """Print where a model's file is; an error when it is not there."""
    from sse_tui.errors import ModelError
    from sse_tui.models import resolve

    chosen = name or load_config(config).config.local.model
    found = resolve(chosen)
    if not isinstance(found, Path):
        raise ModelError(
            "model-missing", f"{chosen} is not downloaded.", f"Run: sse-tui models pull {chosen}"
        )
    Output().line(str(found))


@command.command("rm")
@click.argument("name")
def rm(name: str) -> None:
    """Delete a downloaded model."""
    from sse_tui.models import remove

    narration.say(f"sse-tui: {remove(name) / 1e6:.1f} MB freed")


def fetch(name: str) -> Path:
    """The file of a model, downloaded with a progress bar if it is not there."""
    from sse_tui.models import ensure

    with narration.Status() as status:

        def show(progress: Progress) -> None:
            status.update(f"{progress.stage} {name} {narration.bar(progress.done, progress.total)}")

        return ensure(name, show)

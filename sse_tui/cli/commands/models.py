"""``sse-tui models``: lists, downloads and deletes the models of the local engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sse_tui.cli import narration
from sse_tui.cli.options import config_option, load_config
from sse_tui.cli.output import Output

if TYPE_CHECKING:
    from sse_tui.models import DownloadProgress


@click.group("models")
def command() -> None:
    """List, download and delete local models."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def list_them(as_json: bool) -> None:
    """List the catalogue and the downloaded models."""
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
    """Download a model, verify it and print its path.

    NAME is a name from the catalogue, the URL of a GGUF file, or hf:OWNER/REPO/FILE; by default the configured model.
    """
    chosen = name or load_config(config).config.local.model
    Output().line(str(fetch(chosen)))


@command.command("path")
@click.argument("name", required=False)
@config_option
def path(name: str | None, config: str | None) -> None:
    """Print the path of a downloaded model."""
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

    narration.say(f"sse-tui: freed {remove(name) / 1e6:.1f} MB")


def fetch(name: str) -> Path:
    """The file of a model; downloaded first, with a progress bar, if it is missing."""
    from sse_tui.models import ensure

    with narration.Status() as status:

        def show(progress: DownloadProgress) -> None:
            status.update(f"{progress.stage} {name} {narration.bar(progress.done, progress.total)}")

        return ensure(name, show)

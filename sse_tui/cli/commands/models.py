"""``sse-tui models``: lists, downloads and deletes the models of the local engine."""

from __future__ import annotations

from pathlib import Path

import click

from sse_tui.cli import narration
from sse_tui.cli.options import config_option, json_option, load_config
from sse_tui.cli.output import Output


@click.group("models")
def command() -> None:
    """List, download and delete local models."""


@command.command("list")
@json_option(help="Print one JSON object per line.")
def list_them(as_json: bool) -> None:
    """List the catalogue and the downloaded models."""
    from sse_tui.models import list_models

    out = Output()
    for model in list_models():
        path = str(model.path) if model.path is not None else None
        if as_json:
            shown = {name: getattr(model, name) for name in ("name", "title", "licence", "size")}
            out.json({**shown, "path": path})
        else:
            where = path or "not downloaded"
            out.line(f"{model.name:<28} {model.size / 1e6:>9.1f} MB  {model.licence or '-':<12} {where}")


@command.command("pull")
@click.argument("name", required=False)
@config_option
def pull(name: str | None) -> None:
    """Download a model, verify it and print its path.

    NAME is a name from the catalogue, the URL of a GGUF file, or hf:OWNER/REPO/FILE; by default the configured model.
    """
    from sse_tui.models import ensure

    chosen = name or load_config().config.local.model
    with narration.Status() as status:
        path = ensure(
            chosen, lambda at: status.update(f"{at.stage} {chosen} {narration.bar(at.done, at.total)}")
        )
    Output().line(str(path))


@command.command("path")
@click.argument("name", required=False)
@config_option
def path(name: str | None) -> None:
    """Print the path of a downloaded model."""
    from sse_tui.errors import ModelError
    from sse_tui.models import resolve

    chosen = name or load_config().config.local.model
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

"""``sse-tui serve``: the local endpoint by itself."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from sse_tui.cli import narration
from sse_tui.cli.options import config_option, engine_option, load_config, local_options
from sse_tui.errors import UsageError

if TYPE_CHECKING:
    from sse_tui.config import Loaded
    from sse_tui.server.serve_options import ServeOptions
    from sse_tui.server.status import EndpointStatus, StatusWatcher

Engine: TypeAlias = Literal["llamacpp", "scripted"]


@click.command("serve")
@engine_option
@click.option("-m", "--model", metavar="NAME", help="Model name from the catalogue, or a GGUF file.")
@local_options
@click.option("--n-seq", type=int, metavar="N", help="Answers decoded in parallel.")
@click.option("--host", metavar="ADDRESS", help="Address to listen on; other than loopback requires a token.")
@click.option("--port", type=int, metavar="PORT", help="Port to listen on; 0 picks a free one.")
@click.option("--token-env", metavar="NAME", help="Environment variable that holds the bearer token.")
@click.option("--heartbeat", type=float, metavar="S", help="Send a heartbeat after S seconds without data.")
@click.option(
    "--grace", type=float, metavar="S", help="Keep generating this long after the last reader leaves."
)
@click.option("--max-connections", type=int, metavar="N", help="Connections open at the same time.")
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Serve requests to this host name without a token too.",
)
@click.option(
    "--allow-origin", multiple=True, metavar="ORIGIN", help="Let web pages of this origin use the endpoint."
)
@click.option("--script", metavar="TEXT", help="Answer of the scripted engine.")
@click.option(
    "--ttft-ms",
    type=float,
    default=200.0,
    metavar="MS",
    help="The scripted engine's delay before the first token.",
)
@click.option(
    "--gap-ms", type=float, default=20.0, metavar="MS", help="The scripted engine's delay between tokens."
)
@click.option("--supervised", is_flag=True, hidden=True)
@config_option
def command(engine: Engine, model: str | None, supervised: bool, **given: Any) -> int:
    """Serve the local model over HTTP.

    The API is OpenAI-compatible, and its streams resume with Last-Event-ID. On ctrl+c or SIGTERM it ends running
    answers with a last event, then exits.
    """
    # Profiles play no part in serving, so a wrong one must not be an error here.
    from sse_tui.config import LOCAL_PROFILE
    from sse_tui.server.supervised import TOKEN_VARIABLE, main_supervised, run_server

    loaded = load_config({**given, "profile": LOCAL_PROFILE})
    token = os.environ.get(TOKEN_VARIABLE) if supervised else _token(loaded, given["token_env"])
    options = _options(loaded, engine, model, token, given)
    if supervised:
        return main_supervised(options, ensure_model)
    with narration.Status(f"starting {options.model or options.engine}") as status:
        run_server(options, ensure_model, _narrator(status, token, loaded.config.server.token_env))
    return 0


def ensure_model(name: str | None, progress: Callable[[int, int | None], None]) -> Path:
    """The file of a model by catalogue name or path; downloaded first if it is missing."""
    from sse_tui import models

    return models.ensure(name or models.DEFAULT_MODEL, lambda report: progress(report.done, report.total))


def _token(loaded: Loaded, asked: str | None) -> str | None:
    token = os.environ.get(loaded.config.server.token_env)
    if token is None and asked is not None:
        from sse_tui.config import not_set

        raise UsageError("token-not-set", *not_set(asked, "--token-env"))
    return token


def _options(
    loaded: Loaded, engine: Engine, model: str | None, token: str | None, given: dict[str, Any]
) -> ServeOptions:
    import msgspec

    from sse_tui.engine.interface import ModelOptions
    from sse_tui.server.serve_options import ServeOptions
    from sse_tui.server.settings import ServerSettings

    local = loaded.config.local
    chosen = local.model if model is None else model
    settings = msgspec.convert(loaded.config.server, ServerSettings, from_attributes=True)
    return ServeOptions(
        settings=msgspec.structs.replace(settings, token=token),
        engine=engine,
        model=chosen if engine == "llamacpp" else None,
        model_options=msgspec.convert(local, ModelOptions, from_attributes=True),
        script=given["script"],
        ttft_ms=given["ttft_ms"],
        gap_ms=given["gap_ms"],
    )


def _narrator(shown: narration.Status, token: str | None, variable: str) -> StatusWatcher:
    def tell(status: EndpointStatus) -> None:
        if status.state == "downloading":
            shown.update("downloading " + narration.bar(status.done, status.total))
            return
        if status.state in ("starting", "loading", "stopping"):
            shown.update(f"{status.state} ...")
            return
        shown.clear()
        if status.state == "ready":
            url = status.url.rstrip("/")
            narration.say(f"sse-tui: serving {status.model} at {url}/v1  (ctrl+c to stop)")
            narration.say(f"  {_example(url, status.model, variable if token else None)}")

    return tell


def _example(url: str, model: str, variable: str | None) -> str:
    """A curl command that works when pasted."""
    body = json.dumps({"model": model, "stream": True, "messages": [{"role": "user", "content": "Hello"}]})
    auth = f' -H "Authorization: Bearer ${variable}"' if variable else ""
    return f"curl -N {url}/v1/chat/completions -H 'Content-Type: application/json'{auth} -d '{body}'"

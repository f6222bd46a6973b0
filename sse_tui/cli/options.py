"""Options that several commands share, and how their values become the configuration of the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from sse_tui.config import SELECTED, Loaded, Override, load

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]

# The parameter of a command -> the key that it sets.
_KEYS: dict[str, tuple[str, ...]] = {
    "profile": ("profile",),
    "base_url": ("profiles", SELECTED, "base_url"),
    "dialect": ("profiles", SELECTED, "dialect"),
    "model": ("profiles", SELECTED, "model"),
    "system": ("profiles", SELECTED, "system"),
    "temperature": ("profiles", SELECTED, "temperature"),
    "top_p": ("profiles", SELECTED, "top_p"),
    "top_k": ("profiles", SELECTED, "top_k"),
    "min_p": ("profiles", SELECTED, "min_p"),
    "max_tokens": ("profiles", SELECTED, "max_tokens"),
    "seed": ("profiles", SELECTED, "seed"),
    "stop": ("profiles", SELECTED, "stop"),
    "reconnect": ("profiles", SELECTED, "reconnect"),
    "connect_timeout": ("timeouts", "connect_s"),
    "first_byte_timeout": ("timeouts", "first_byte_s"),
    "idle_timeout": ("timeouts", "idle_s"),
    "total_timeout": ("timeouts", "total_s"),
    "n_gpu_layers": ("local", "n_gpu_layers"),
    "n_ctx": ("local", "n_ctx"),
    "n_threads": ("local", "n_threads"),
    "n_seq": ("local", "n_seq"),
    "host": ("server", "host"),
    "port": ("server", "port"),
    "token_env": ("server", "token_env"),
    "heartbeat": ("server", "heartbeat_s"),
    "grace": ("server", "grace_s"),
    "theme": ("ui", "theme"),
}


def load_config(config: str | None, given: Mapping[str, Any] | None = None) -> Loaded:
    """The configuration with the options of the command over it.

    `config` is the command's own ``--config``, else the one before the command. `given` holds the command's
    parameters by name; those that set no key, or were not given, are left out.
    """
    context = click.get_current_context(silent=True)
    chosen = config or (context.find_root().obj if context is not None else None)
    if chosen:
        # The local endpoint runs in a process of its own, which reads the same file.
        os.environ["SSE_TUI_CONFIG"] = str(Path(chosen).absolute())
    overrides = [
        Override(
            _KEYS[name], list(value) if isinstance(value, tuple) else value, "--" + name.replace("_", "-")
        )
        for name, value in (given or {}).items()
        if name in _KEYS and value is not None and value != ()
    ]
    return load(Path(chosen) if chosen else None, overrides=overrides)


def _together(*options: Decorator[Any]) -> Decorator[Any]:
    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


config_option = click.option("--config", metavar="FILE", help="Configuration file to use.")

profile_options = _together(
    click.option("-p", "--profile", metavar="NAME", help="Profile of the configuration to talk to."),
    click.option(
        "--base-url", "--url", "base_url", metavar="URL", help="API to talk to, up to and with /v1."
    ),
    click.option("--dialect", metavar="NAME", help="The API's dialect, for example openai-chat."),
    click.option("-m", "--model", metavar="NAME", help="Model; for the local profile also a GGUF file."),
    click.option("-s", "--system", metavar="TEXT", help="System prompt."),
    config_option,
)

sampling_options = _together(
    click.option("--max-tokens", type=int, metavar="N", help="Longest answer."),
    click.option("-t", "--temperature", type=float, metavar="T", help="0 is greedy and repeatable."),
    click.option("--top-p", type=float, metavar="P", help="Nucleus sampling."),
    click.option("--top-k", type=int, metavar="K", help="Sample from the K likeliest tokens."),
    click.option("--min-p", type=float, metavar="P", help="Drop tokens below P times the likeliest one."),
    click.option("--seed", type=int, metavar="N", help="Seed of the sampler."),
    click.option("--stop", multiple=True, metavar="TEXT", help="Stop at this text; may be repeated."),
)

local_options = _together(
    click.option("--n-gpu-layers", type=int, metavar="N", help="Layers to offload; -1 for all."),
    click.option("--n-ctx", type=int, metavar="N", help="Context size in tokens."),
    click.option("--n-threads", type=int, metavar="N", help="CPU threads; default: cores less one."),
)

timeout_options = _together(
    click.option("--connect-timeout", type=float, metavar="S", help="Seconds to wait for a connection."),
    click.option("--first-byte-timeout", type=float, metavar="S", help="Seconds to wait for the first byte."),
    click.option("--idle-timeout", type=float, metavar="S", help="Seconds of silence to bear."),
    click.option(
        "--total-timeout", "--max-time", "total_timeout", type=float, metavar="S", help="Seconds for all."
    ),
)

stream_options = _together(
    click.option(
        "--reconnect",
        type=click.Choice(["never", "last-event-id", "always"]),
        help="What to do when the stream breaks. Default: last-event-id for GET and the local endpoint.",
    ),
    click.option(
        "--fault", metavar="PLAN", help="Break the stream, e.g. cut@event=41; or a name of [faults]."
    ),
)

recording_options = _together(
    click.option("--record", type=click.Path(dir_okay=False), metavar="FILE", help="Record to FILE."),
    click.option("--no-record", is_flag=True, help="Do not record."),
)

engine_option = click.option(
    "--engine",
    type=click.Choice(["llamacpp", "scripted"]),
    default="llamacpp",
    show_default=True,
    help="Token source of the local endpoint; scripted is a labelled stand-in without a model.",
)

"""Options that several commands share, and how their values become the configuration of the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sse_tui.errors import UsageError

if TYPE_CHECKING:
    from sse_tui.config import Loaded

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]

# Parameters of commands that set the key of the same name in the selected profile.
_PROFILE_KEYS = {
    "base_url", "dialect", "model", "system", "temperature", "top_p", "top_k", "min_p", "max_tokens", "seed",
    "stop", "reconnect", "max_reconnects",
}  # fmt: skip
# The other parameters that set a key, and the key.
_KEYS: dict[str, tuple[str, ...]] = {
    "profile": ("profile",),
    "connect_timeout": ("timeouts", "connect_s"),
    "first_byte_timeout": ("timeouts", "first_byte_s"),
    "idle_timeout": ("timeouts", "idle_s"),
    "total_timeout": ("timeouts", "total_s"),
    "finish_wait": ("timeouts", "finish_wait_s"),
    "n_gpu_layers": ("local", "n_gpu_layers"),
    "n_ctx": ("local", "n_ctx"),
    "n_threads": ("local", "n_threads"),
    "n_seq": ("local", "n_seq"),
    "host": ("server", "host"),
    "port": ("server", "port"),
    "token_env": ("server", "token_env"),
    "heartbeat": ("server", "heartbeat_s"),
    "grace": ("server", "grace_s"),
    "max_connections": ("server", "max_connections"),
    "allow_host": ("server", "allow_hosts"),
    "allow_origin": ("server", "allow_origins"),
    "theme": ("ui", "theme"),
    "ignore_content": ("dialect", "ignore_content"),
}


def chosen_config() -> str | None:
    """The value of ``--config``: the command's own, else the one before the command."""
    chosen: str | None = click.get_current_context().find_root().obj
    return chosen


def load_config(given: Mapping[str, Any] | None = None) -> Loaded:
    """The configuration with the options of the command over it.

    `given` holds the command's parameters by name; those that set no key, or were not given, are left out.
    """
    from sse_tui.config import SELECTED, Override, load

    if chosen := chosen_config():
        # The local endpoint runs in a process of its own, which reads the same file.
        os.environ["SSE_TUI_CONFIG"] = str(Path(chosen).absolute())
    overrides = []
    for name, value in (given or {}).items():
        key = ("profiles", SELECTED, name) if name in _PROFILE_KEYS else _KEYS.get(name)
        if name == "ignore":
            overrides += [Override(("rules", rule), "off", "--ignore") for rule in value]
        if key is not None and value is not None and value != ():
            option = "--" + name.replace("_", "-")
            overrides.append(Override(key, list(value) if isinstance(value, tuple) else value, option))
    return load(Path(chosen) if chosen else None, overrides=overrides)


def _choose_config(context: click.Context, _option: click.Parameter, path: str | None) -> None:
    if path:
        context.find_root().obj = path


def _known_dialect(_context: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    """The name of a dialect; None, for "auto" too, to detect it. Raises `UsageError`."""
    if name is None or name == "auto":
        return None
    from sse_tui import dialects

    if name not in dialects.names():
        known = ", ".join(dialects.names())
        raise UsageError("unknown-dialect", f"There is no dialect {name!r}.", f"Known: {known}.")
    return name


def together(*options: Decorator[Any]) -> Decorator[Any]:
    """One decorator that adds several options, in the order of the help."""

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


# The commands do not see its value: `load_config` does.
config_option = click.option(
    "--config", metavar="FILE", expose_value=False, callback=_choose_config, help="Configuration file to use."
)

json_option = partial(click.option, "--json", "as_json", is_flag=True)

dialect_option = click.option(
    "--dialect",
    "stream_dialect",
    metavar="NAME",
    callback=_known_dialect,
    help="Dialect of the payloads; detected by default.",
)

ignore_option = click.option(
    "--ignore",
    multiple=True,
    metavar="RULE",
    help="Leave out the findings of RULE (see sse-tui rules); may be repeated.",
)

ignore_content_option = click.option(
    "--ignore-content",
    multiple=True,
    metavar="TEXT",
    help="Leave chunks whose whole text is TEXT (* matches anything) out of the answer and its times: placeholders, "
    "such as 'Thinking...'; may be repeated.",
)

output_option = click.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to FILE instead of stdout."
)

_name = partial(click.option, metavar="NAME")
_integer = partial(click.option, type=int, metavar="N")
_number = partial(click.option, type=float)
_seconds = partial(click.option, type=float, metavar="S")

local_options = together(
    _integer("--n-gpu-layers", help="Layers to offload to the GPU; -1 for all."),
    _integer("--n-ctx", help="Context size in tokens."),
    _integer("--n-threads", help="CPU threads; by default the number of cores minus one."),
)

engine_option = click.option(
    "--engine",
    type=click.Choice(["llamacpp", "scripted"]),
    default="llamacpp",
    show_default=True,
    help="What generates tokens; scripted is a labelled stand-in that needs no model.",
)

live_options = together(
    click.option(
        "--reconnect",
        type=click.Choice(["never", "last-event-id", "resend", "always"]),
        help="When to request the stream again once it has ended or broken off. A GET: with last-event-id or resend "
        "if the stream has IDs or a retry field, with always whatever it has. A POST: with last-event-id only from "
        "servers that resume it (MCP, by GET, and sse-tui serve), with resend from any server if there is an ID, "
        "with always even without. Never after an end marker or a 204. Default: last-event-id for GET requests and "
        "the local endpoint, otherwise never.",
    ),
    click.option(
        "--max-reconnects",
        type=click.IntRange(min=0),
        metavar="N",
        help="Request a stream at most N more times. Default: 1000, but 5 for a POST that may be answered anew each "
        "time.",
    ),
    click.option(
        "--fault",
        metavar="PLAN",
        help="Fault to inject, for example cut@event=41, or the name of one in [faults].",
    ),
    _seconds("--connect-timeout", help="Give up connecting after S seconds."),
    _seconds("--first-byte-timeout", help="Give up after S seconds without a response."),
    _seconds("--idle-timeout", help="Give up after S seconds without data."),
    _seconds("--total-timeout", "--max-time", help="Overall limit in seconds, reconnects included."),
    click.option("--record", type=click.Path(dir_okay=False), metavar="FILE", help="Record to FILE."),
    click.option("--no-record", is_flag=True, help="Do not record."),
    ignore_option,
    ignore_content_option,
)

connection_options = together(
    click.option(
        "-H",
        "--header",
        multiple=True,
        metavar="LINE|@FILE",
        help="Add a header, 'Name: value', or those in FILE, one a line.",
    ),
    _name("--key-env", help="Environment variable that holds the API key; sent as the dialect sends one."),
    click.option("-k", "--insecure", is_flag=True, help="Do not verify the TLS certificate."),
    click.option(
        "--cacert",
        type=click.Path(),
        metavar="FILE",
        help="Trust the certificate authorities in FILE (PEM), and no others.",
    ),
    click.option(
        "--location-trusted",
        is_flag=True,
        help="Send keys and bodies to other origins, too, after a redirect.",
    ),
)
"""How to reach a server and what to show it; `cli.specs` reads their values."""

chat_options = together(
    _name("-p", "--profile", help="Profile to use from the configuration."),
    click.option("--base-url", "--url", "base_url", metavar="URL", help="API base URL, including /v1."),
    _name("--dialect", help="The API's dialect, for example openai-chat."),
    _name("-m", "--model", help="Model name; for the local profile also a GGUF file."),
    connection_options,
    click.option("-s", "--system", metavar="TEXT", help="System prompt."),
    config_option,
    _integer("--max-tokens", help="Maximum length of the answer in tokens."),
    _number("-t", "--temperature", metavar="T", help="Sampling temperature; 0 is deterministic."),
    _number("--top-p", metavar="P", help="Nucleus sampling: keep the top P of probability."),
    _integer("--top-k", metavar="K", help="Sample from the K most likely tokens."),
    _number("--min-p", metavar="P", help="Drop tokens below P times the most likely one."),
    _integer("--seed", help="Random seed."),
    click.option("--stop", multiple=True, metavar="TEXT", help="Stop sequence; may be repeated."),
    _seconds("--finish-wait", help="Once an answer is finished, wait S seconds for the end of the stream."),
    live_options,
    local_options,
    engine_option,
)

"""What can be configured: one struct for each TOML table, every default in one place.

The name of a time ends with its unit (`_s` seconds, `_ms` milliseconds); sizes are in bytes. A field whose default
is None is "not set". `config.example.toml` explains each key and is tested against these types.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from sse_tui.limits import MAX_EVENT_BYTES, MAX_RECORDING_BYTES, MAX_REQUEST_BYTES, STORE_BYTES

PositiveInt: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
NonNegativeInt: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
PositiveFloat: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
NonNegativeFloat: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
# At most about 30 years: in nanoseconds it still fits into 64 bits.
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=1_000_000_000)]
NonNegativeSeconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1_000_000_000)]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
Port: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=65535)]
ReconnectPolicy: TypeAlias = Literal["never", "last-event-id", "resend", "always"]

RuleSetting: TypeAlias = Literal["error", "warning", "info", "off"]

LOCAL_PROFILE = "local"
"""The profile that always exists: the local model through the built-in endpoint."""


class Section(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Base of every table."""


class Profile(Section, kw_only=True, frozen=True):
    """A server, and how to talk to it. Without `base_url` it is the built-in endpoint with the model of ``[local]``.

    A sampling value that is None is not sent, so the server's default applies. Without `reconnect` the default depends
    on the request: ``last-event-id`` for GET and for the built-in endpoint, ``never`` otherwise. `ignore_content` is
    added to that of ``[dialect]``. `ca_file` names the
    certificate authorities (None: the usual ones) by which the server is verified, if `verify` says so.
    """

    dialect: str = "openai-chat"
    base_url: str | None = None
    model: str | None = None
    headers: dict[str, str] = {}
    api_key_env: str | None = None
    api_key_command: str | None = None
    verify: bool = True
    ca_file: str | None = None
    system: str | None = None
    temperature: NonNegativeFloat | None = None
    top_p: Share | None = None
    top_k: NonNegativeInt | None = None
    min_p: Share | None = None
    max_tokens: PositiveInt | None = None
    seed: int | None = None
    stop: list[str] = []
    ignore_content: list[str] = []
    reconnect: ReconnectPolicy | None = None
    max_reconnects: NonNegativeInt | None = None


class TimeoutsSection(Section, kw_only=True, frozen=True):
    """Time limits in seconds: to connect, to the first byte of the body, between reads, and overall.

    `finish_wait_s` is how long a chat waits for the end of the stream once the answer is finished.
    """

    connect_s: Seconds = 10.0
    first_byte_s: Seconds = 120.0
    idle_s: Seconds = 120.0
    total_s: Seconds | None = None
    finish_wait_s: Seconds = 2.0


class Local(Section, kw_only=True, frozen=True):
    """The local model. `model` is a catalogue name or the path of a GGUF file. `n_gpu_layers` -1 offloads all layers.

    `n_threads` None means the number of cores minus one. `n_seq` answers are decoded in parallel.
    """

    model: str = "smollm2-135m-instruct"
    n_gpu_layers: Annotated[int, msgspec.Meta(ge=-1)] = -1
    n_ctx: PositiveInt = 4096
    n_threads: PositiveInt | None = None
    n_seq: PositiveInt = 4


class Server(Section, kw_only=True, frozen=True):
    """The endpoint of ``sse-tui serve``; `sse_tui.server.settings` explains the fields.

    `token_env` names the environment variable that contains the bearer token. The `store_` fields limit what is
    kept for resuming: events of one stream, bytes of all streams, seconds after the end of a stream, streams that
    ended.
    """

    host: str = "127.0.0.1"
    port: Port = 8321
    token_env: str = "SSE_TUI_TOKEN"
    heartbeat_s: Seconds = 15.0
    grace_s: NonNegativeSeconds = 30.0
    retry_ms: NonNegativeInt = 1000
    max_streams: PositiveInt = 64
    max_connections: PositiveInt = 1024
    max_body_bytes: PositiveInt = MAX_REQUEST_BYTES
    store_max_events: PositiveInt = 50_000
    store_max_bytes: PositiveInt = STORE_BYTES
    store_max_age_s: NonNegativeSeconds = 300.0
    store_max_streams: PositiveInt = 10_000
    allow_origins: list[str] = []
    allow_hosts: list[str] = []
    access_log: bool = False


class RecordingSection(Section, kw_only=True, frozen=True):
    """Where sessions are recorded (`dir` None: the state directory), how many are kept, and what is redacted.

    A recording gets at most `max_bytes` long.
    """

    dir: str | None = None
    keep: PositiveInt = 50
    redact_headers: list[str] = []
    redact_patterns: list[str] = []
    max_bytes: PositiveInt = MAX_RECORDING_BYTES
    max_event_bytes: PositiveInt = MAX_EVENT_BYTES


class SloSection(Section, kw_only=True, frozen=True):
    """Service level objectives: upper bounds for times and `errors`, a lower bound for `completion` (shares of 1)."""

    ttft_p50_ms: PositiveFloat = 100.0
    ttft_p99_ms: PositiveFloat = 500.0
    tpot_ms: PositiveFloat = 20.0
    tbt_p99_ms: PositiveFloat = 100.0
    completion: Share = 0.999
    errors: Share = 0.001


class DialectSection(Section, kw_only=True, frozen=True):
    """How streams are read, whatever their dialect.

    A piece of text that one of `ignore_content` matches as a whole is left out of the answer; * matches anything.
    """

    ignore_content: list[str] = []


class Ui(Section, kw_only=True, frozen=True):
    """The appearance of the TUI. `theme` is the name of a Textual theme."""

    theme: str = "sse-dark"


class Config(Section, kw_only=True, frozen=True):
    """The whole configuration.

    `faults` are fault plans by name, `keys` the keys of TUI actions by action, `rules` the severity of every finding
    of a rule ("off": none), by rule.
    """

    profile: str = LOCAL_PROFILE
    profiles: dict[str, Profile] = msgspec.field(default_factory=lambda: {LOCAL_PROFILE: Profile()})
    timeouts: TimeoutsSection = TimeoutsSection()
    local: Local = Local()
    server: Server = Server()
    recording: RecordingSection = RecordingSection()
    slo: SloSection = SloSection()
    dialect: DialectSection = DialectSection()
    ui: Ui = Ui()
    rules: dict[str, RuleSetting] = {}
    faults: dict[str, str] = {}
    keys: dict[str, str] = {}

    @property
    def selected(self) -> Profile:
        """The selected profile; `load` has checked that it exists."""
        return self.profiles[self.profile]

    @property
    def ignored_content(self) -> tuple[str, ...]:
        """The patterns of text to leave out of answers: those for all servers, and those of the selected profile."""
        return (*self.dialect.ignore_content, *self.selected.ignore_content)

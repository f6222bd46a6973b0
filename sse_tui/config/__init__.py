"""Configuration: TOML file, environment and flags into one checked `Config`.

Start with ``load``. A wrong key or value raises a `ConfigError` that names the file, the line, the key, and the
nearest valid name. A `Config` never holds secrets: a profile says where its API key comes from, and ``api_key``
fetches it.
"""

from sse_tui.config.api_keys import api_key, key_in, masked, not_set
from sse_tui.config.hash_key import hash_key
from sse_tui.config.load import SELECTED, Loaded, Override, load
from sse_tui.config.paths import config_path, may_exist, state_dir
from sse_tui.config.schema import LOCAL_PROFILE, Config, Profile, SloSection, Ui

__all__ = [
    "LOCAL_PROFILE",
    "SELECTED",
    "Config",
    "Loaded",
    "Override",
    "Profile",
    "SloSection",
    "Ui",
    "api_key",
    "config_path",
    "hash_key",
    "key_in",
    "load",
    "masked",
    "may_exist",
    "not_set",
    "state_dir",
]

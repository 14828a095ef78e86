"""Where a user's own things lie on this machine, by the environment."""

import os
from pathlib import Path


def user_file() -> Path:
    """Where a user's own settings live."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "scova" / "config.toml"


def cache_folder() -> Path:
    """Where indexes live unless `data` says otherwise."""
    if chosen := os.environ.get("SCOVA_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "scova"


def state_folder() -> Path:
    """Where scova remembers what cannot be made again."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "scova"


def secret(variable: str) -> str:
    """What an environment variable holds that a setting names; empty when it is not set. For whoever needs it, not to be shown."""
    return os.environ.get(variable, "")

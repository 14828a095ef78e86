"""Settings: one frozen Config, read from one place.

The only package that reads settings files and `SCOVA_*` variables. Later ones win:

    default  <  user file  <  project `scova.toml` or `[tool.scova]` in `pyproject.toml`  <  environment  <  flag

A project may set only what makes less be indexed (`project`); the rest of what stands in its files is named, and ignored.
It is known here what a setting is called, its type and its range; not what the setting does.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from scova.config.allowed import Value as Value
from scova.config.places import cache_folder as cache_folder
from scova.config.places import secret as secret
from scova.config.places import state_folder as state_folder
from scova.config.places import user_file as user_file
from scova.config.project import ProjectSettings, note
from scova.config.table import EMBEDDERS as EMBEDDERS
from scova.config.table import SETTINGS as SETTINGS
from scova.config.table import Config as Config
from scova.config.table import Setting as Setting
from scova.core.small_files import look_small
from scova.errors import ConfigError

_FLAG = "flag"
_LARGEST_SETTINGS = 64 << 10  # bytes of a file of settings; a larger one takes seconds to read
_LARGEST_PYPROJECT = 1 << 20  # which is looked into, to know whether it has settings of ours
_KEY_PART = rb"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DEEP_KEY = rb"(?:^|(?<=[\s{,\[]))" + _KEY_PART + rb"(?:[ \t]*+\.[ \t]*+" + _KEY_PART + rb"){32}"
_noted: set[str] = set()


def load(root: Path, overrides: Mapping[str, Value | None] | None = None) -> Config:
    """The settings for a project root; `overrides` are flags, where None means not given.

    Settings of the project that do not count are said once, on stderr.
    """
    values, origins = _user_values()
    project = ProjectSettings(values, origins)
    for path, keys in ((root / "pyproject.toml", ("tool", "scova")), (root / "scova.toml", ())):
        table, problem = _project_table(path, *keys)
        project.take(table, path, _checked)
        project.ignored += [f"{path} ({problem})"] * bool(problem)
    config = _config(values, origins, overrides or {}, tuple(project.ignored))
    _say(note(config.ignored))
    return config


def load_server(folder: Path, overrides: Mapping[str, Value | None] | None = None) -> Config:
    """The settings of a server: `scova.toml` in its data folder is as good as the user's own file, since nobody else writes there."""
    values, origins = _user_values()
    _take(values, origins, _table(folder / "scova.toml"), str(folder / "scova.toml"))
    return _config(values, origins, overrides or {}, ())


def reread(config: Config, root: Path) -> Config:
    """The settings for the same root as they are now; flags that were given still win."""
    return load(root, {name: getattr(config, name) for name in SETTINGS if config.origins.get(name) == _FLAG})


def _user_values() -> tuple[dict[str, Value], dict[str, str]]:
    """The defaults, and what the user's own file says, each with its origin."""
    values: dict[str, Value] = {name: setting.default for name, setting in SETTINGS.items()}
    origins = dict.fromkeys(values, "default")
    _take(values, origins, _table(user_file()), str(user_file()))
    return values, origins


def _config(
    values: dict[str, Value],
    origins: dict[str, str],
    overrides: Mapping[str, Value | None],
    ignored: tuple[str, ...],
) -> Config:
    """What the environment and flags say over all that."""
    for origin, layer in _strongest(overrides):
        _take(values, origins, layer, origin)
    return Config(**values, origins=origins, ignored=ignored)  # type: ignore[arg-type]  # each value was checked against its default's type


def _take(values: dict[str, Value], origins: dict[str, str], layer: Mapping[str, object], origin: str) -> None:
    for name, raw in layer.items():
        key = name.replace("-", "_")
        values[key] = _checked(key, raw, origin)
        origins[key] = origin


def _strongest(overrides: Mapping[str, Value | None]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name in SETTINGS:
        variable = f"SCOVA_{name.upper()}"
        if variable in os.environ:
            yield variable, {name: _from_text(name, os.environ[variable], variable)}
    yield _FLAG, {name: value for name, value in overrides.items() if value is not None}


def _say(line: str) -> None:
    """A word for people, once in a process: a command may open the same folder several times."""
    if line and line not in _noted:
        _noted.add(line)
        import logging  # only when there is something to say: it costs milliseconds on every search

        logging.getLogger(__name__).warning(line)


def _project_table(path: Path, *keys: str) -> tuple[Mapping[str, object], str]:
    """One table of a project's file, and why it does not count although the file is there."""
    # No link is followed: it would lead to a file that is none of the project's.
    found = look_small(path, _LARGEST_PYPROJECT if keys else _LARGEST_SETTINGS, follow=False)
    if found.content is None:
        return {}, "" if keys else found.problem
    if keys and b"scova" not in found.content:
        return {}, ""
    if len(found.content) > _LARGEST_SETTINGS:
        is_meant = b"tool.scova" in found.content
        return {}, f"it is larger than {_LARGEST_SETTINGS:,} bytes" if is_meant else ""
    return _parsed(found.content, path, *keys), ""


def _table(path: Path) -> Mapping[str, object]:
    """A user's own file of settings; empty when it is not there, or may not be read."""
    found = look_small(path, _LARGEST_SETTINGS)
    if found.content is None and found.status is not None:
        raise ConfigError(f"`{path}` cannot be used: {found.problem}", "replace it by a small file of settings")
    return _parsed(found.content, path) if found.content else {}


def _parsed(text: bytes, path: Path, *keys: str) -> Mapping[str, object]:
    import re  # only when there is a file to read: it costs milliseconds on every search
    import tomllib

    if re.search(_DEEP_KEY, text):  # some kilobytes of these take gigabytes
        raise ConfigError(f"`{path}` is not valid TOML: a key has more than 32 parts", "fix or remove the file")
    try:
        table: object = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"`{path}` is not valid TOML: {error}", "fix or remove the file") from error
    except RecursionError:
        raise ConfigError(f"`{path}` is not valid TOML: it is nested too deeply", "fix or remove the file") from None
    for key in keys:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    return table if isinstance(table, dict) else {}


def _from_text(name: str, text: str, origin: str) -> Value:
    default = SETTINGS[name].default
    if isinstance(default, bool):
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off", ""):
            return False
        raise ConfigError(f"`{origin}` must be true or false, not `{text}`", f"set {origin}=true or {origin}=false")
    if isinstance(default, int):
        try:
            return int(text)
        except ValueError:
            raise ConfigError(
                f"`{origin}` must be a whole number, not `{text}`", f"unset {origin}, or give a number"
            ) from None
    if isinstance(default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _checked(name: str, value: object, origin: str) -> Value:
    setting = SETTINGS.get(name)
    if setting is None:
        import difflib

        near = difflib.get_close_matches(name, SETTINGS, n=1)
        raise ConfigError(
            f"unknown setting `{name}` in {origin}",
            f"did you mean `{near[0]}`?" if near else "`scova config` lists every setting",
        )
    if isinstance(setting.default, tuple) and isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = tuple(value)
    if type(value) is not type(setting.default):
        kinds = {bool: "true or false", int: "a whole number", str: "text", tuple: 'a list of texts (["…", "…"])'}
        shown = f"`{value}`" if len(str(value)) <= 200 else "what is given"
        raise ConfigError(f"`{name}` in {origin} must be {kinds[type(setting.default)]}, not {shown}", setting.meaning)
    if not setting.allowed(value):
        hidden = setting.secret(value) or len(str(value)) > 200  # it may hold a password, or be a stranger's long text
        given = "what is given" if hidden else f"`{value}`"
        raise ConfigError(f"`{name}` ({origin}) cannot be {given}; it may be {setting.range}", setting.meaning)
    return value

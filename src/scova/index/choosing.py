"""Which files of a folder are indexed: the only place where settings become what the walk takes."""

from pathlib import Path
from typing import TYPE_CHECKING

from scova.config import cache_folder
from scova.errors import ConfigError, QueryError
from scova.index.secrets import secret_rules
from scova.sources.wanted.choice import ANY, Choice

if TYPE_CHECKING:
    from scova.config import Config
    from scova.sources.folder import FolderSource


def source_of(root: Path, config: "Config", *own: Path) -> "FolderSource":
    """The files of a folder, by the settings in force; `own` are folders of scova itself beside its cache."""
    from scova.parse.language import language_of
    from scova.sources.folder import FolderSource

    return FolderSource(
        root,
        max_file_bytes=config.max_file_bytes,
        secrets=secret_rules(config),
        language_of=language_of,
        own=(*own, cache_folder()),
        choice=choice_of(config),
    )


def choice_of(config: "Config") -> Choice:
    """What `include`, `exclude` and `languages` say; ConfigError for a language that there is not."""
    if not (config.include or config.exclude or config.languages):
        return ANY
    from scova.parse.language import possible_languages
    from scova.search.regex.scope import languages

    try:
        named = tuple(sorted(languages(config.languages)))
    except QueryError as error:
        origin = config.origins.get("languages", "")
        raise ConfigError(f"`languages` ({origin}): {error.message}", error.hint) from None
    return Choice(config.include, config.exclude, named, possible_languages if named else None)

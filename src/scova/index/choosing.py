"""Which files of a folder are indexed: the only place where settings become what the walk takes."""

from pathlib import Path
from typing import TYPE_CHECKING

from scova.errors import ConfigError, QueryError
from scova.sources.wanted.choice import ANY, Choice

if TYPE_CHECKING:
    from scova.config import Config
    from scova.sources.folder import FolderSource


def source_of(root: Path, config: "Config", own: Path | None = None) -> "FolderSource":
    """The files of a folder, by the settings in force; `own` is the folder of its index."""
    from scova.parse.language import language_of
    from scova.sources.folder import FolderSource

    return FolderSource(
        root,
        max_file_bytes=config.max_file_bytes,
        index_secrets=config.index_secrets,
        language_of=language_of,
        own=own,
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

"""A folder as a Source: walks it, offers what can be indexed, and says why it leaves out the rest.

Reasons of the Skips it gives, in one place (`walk` finds the first block, `reading` the second, after opening the file):

    ignored     a rule of git, `.ignore` or `.scovaignore`; the topmost ignored entry stands for all below it
    internal    the bookkeeping of a tool (.git, .hg, .svn, .scova), scova's own folders wherever they lie, -wal and -shm of SQLite
    vendored    installed packages: node_modules, a Python environment
    cache       made by a tool, and made again: __pycache__, anything with a CACHEDIR.TAG
    name        not valid UTF-8, so that no path could name it
    secret      holds keys or passwords, by its name
    binary      not text, by its name
    generated   a lock file
    minified    compressed code, by its name
    rules       an ignore file, or git's own files, that are too large or have too many patterns to be followed
    excluded    the settings `include` and `exclude` leave it out

    secret      a key, a keystore or credentials, by its form
    binary      not text
    generated   says of itself that a program wrote it
    minified    lines too long for anyone
    language    the setting `languages` leaves it out
    vanished    gone between being listed and being read

    symlink     never followed: its target is indexed under its own path, or lies outside the root
    special     neither file nor folder: a pipe, a socket, a device
    too-large   over the limit
    unreadable  no permission, or the disk does not give it

The last block may come from either. Here is only what ties them together.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from scova.core import own_folder
from scova.errors import NotAFolder
from scova.sources.reading import MAX_FILE_BYTES, LanguageOf, no_language, read_document
from scova.sources.scope import Everywhere
from scova.sources.secrets import NO_SECRETS, SecretRules
from scova.sources.trail import Trail
from scova.sources.walk import Limits, Walk
from scova.sources.wanted.choice import ANY, Choice
from scova.types import Document, Item, Skip


class FolderSource:
    """Everything in a folder that is worth indexing. Safe to send to another process."""

    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        root: Path,
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
        secrets: SecretRules = NO_SECRETS,
        language_of: LanguageOf = no_language,
        environment: Mapping[str, str] | None = None,
        own: Iterable[Path] = (),
        choice: Choice = ANY,
    ) -> None:
        """`environment` tells where git keeps the user's settings; `own` are folders of scova itself, which may lie inside. A `choice`
        of languages needs `language_of`.

        Raises NotAFolder if the root cannot be walked.
        """
        self.root = _checked(root)
        self._own = tuple(own)
        self._limits = Limits(max_file_bytes, secrets.below(self.root), choice)
        self._language_of = language_of
        self._environment = dict(os.environ if environment is None else environment)
        self._trail: Trail | None = None

    def items(self) -> Iterator[Item | Skip]:
        """What can be indexed and what is left out, ordered by path; a folder stands where its content would.

        Raises NotAFolder if the root has gone: an empty answer would empty the index.
        """
        self._trail = None
        walk = self.walk(Everywhere())
        yield from walk.entries()
        self._trail = walk.trail()

    def walk(self, scope: Everywhere) -> Walk:
        """A pass over as much as the scope wants, about to begin."""
        limits = replace(self._limits, own=own_folder.identities(self._own))
        return Walk(self.root, limits, self._environment, scope)

    def read(self, item: Item, *, keep_line_ends: bool = False) -> Document | Skip:
        """The text of an item, or why it has none. Who hands it on instead of indexing it keeps the line ends of the file."""
        limits = self._limits
        found = read_document(
            self.root,
            item,
            self._language_of,
            max_file_bytes=limits.max_file_bytes,
            secrets=limits.secrets,
            keep_line_ends=keep_line_ends,
        )
        if isinstance(found, Skip) or (reason := limits.choice.language_reason(found.language)) is None:
            return found
        return Skip(item.path, *reason)

    def trail(self) -> Trail:
        """What the last full pass over `items` saw."""
        if self._trail is None:
            raise RuntimeError("a trail needs a full pass over items() first")
        return self._trail


def _checked(root: Path) -> Path:
    """The root, absolute and without symlinks."""
    try:
        resolved = Path(root).resolve(strict=True)
        with os.scandir(resolved):
            return resolved
    except FileNotFoundError:
        raise NotAFolder(f"{root} does not exist", "check the spelling, or name another folder") from None
    except NotADirectoryError:
        raise NotAFolder(f"{root} is not a folder", "name the folder that holds it") from None
    except (OSError, RuntimeError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        hint = "make it readable for this user, or name another folder"
        raise NotAFolder(f"{root} cannot be read: {said}", hint) from None

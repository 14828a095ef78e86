"""Files that hold keys or passwords: which they are, and which of them the user allows all the same.

A file is told by its name (`names`), and by the form of its content (`contents`). Whoever reads a file of a user asks here before
anything of it is kept, shown or sent. What looks like a secret in the middle of source code is not looked for.
"""

from pathlib import Path

from scova.record import record

_NEAR = 2  # folders
OVERRULE = "; a line in `allow_secrets` of your own settings brings it back"


@record
class SecretRules:
    """What one user wants left out of one folder. `allowed` are globs of paths, as in every filter."""

    everything: bool = False  # nothing is left out
    allowed: tuple[str, ...] = ()
    above: str = ""  # the folders that lead to this one, as far as they may tell what lies in it

    def below(self, root: Path) -> "SecretRules":
        """The same rules for the files of this folder: a glob that begins with `/` or `~/` is a whole path."""
        found = (_relative(glob, root) for glob in self.allowed)
        above = "".join(f"{part}/" for part in root.parts[1:][-_NEAR:])
        return SecretRules(self.everything, tuple(glob for glob in found if glob), above)

    def by_name(self, path: str) -> str:
        """Why a file is left out whatever it holds; empty when it is not."""
        if self.everything:
            return ""
        from scova.sources.secrets.names import rule_of
        from scova.sources.secrets.table import CERTAIN

        rule = rule_of(path, self.above)
        if rule is None or rule.sureness is not CERTAIN or self._allows(path):
            return ""
        return f"{rule.words}, by its name{OVERRULE}"

    def reason(self, path: str, data: bytes) -> str:
        """Why a file with this content is left out, by its name or by what it holds; empty when it is not."""
        if self.everything:
            return ""
        from scova.sources.secrets.contents import secret_in

        words = secret_in(path, data, self.above)
        return "" if not words or self._allows(path) else words + OVERRULE

    def _allows(self, path: str) -> bool:
        if not self.allowed:
            return False
        from scova.filters import path_passes
        from scova.types import Filters

        passes = path_passes(Filters(paths=self.allowed))
        return passes is not None and passes(path)


def _relative(glob: str, root: Path) -> str:
    """A glob as it is below this folder; empty where it names nothing in there."""
    whole = str(Path.home()) + glob[1:] if glob.startswith("~/") else glob
    if not whole.startswith("/"):
        return glob
    prefix = str(root) if root == root.parent else f"{root}/"
    return whole.removeprefix(prefix) if whole.startswith(prefix) else ""


NO_SECRETS = SecretRules()

"""Real git repositories for tests: commits by whom and with what is asked for."""

import subprocess
from pathlib import Path


def git(root: Path, *words: str, name: str = "ann", email: str = "ann@example.invalid") -> str:
    """What git says, run there as this person."""
    options = ["-c", f"user.name={name}", "-c", f"user.email={email}", "-c", "commit.gpgsign=false"]
    run = subprocess.run(["git", *options, *words], cwd=root, check=True, capture_output=True, text=True)
    return run.stdout.strip()


def commit(root: Path, subject: str, files: dict[str, str], **author: str) -> str:
    """Commit the tree with these files in it; the hash of the commit."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", subject, **author)
    return git(root, "rev-parse", "HEAD")

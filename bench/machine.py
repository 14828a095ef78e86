"""What a result file says about where it was measured."""

import json
import os
import platform
import subprocess
import time
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def circumstances() -> dict[str, object]:
    """Commit, machine and date."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, cwd=RESULTS.parent
    ).stdout.strip()
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.processor(),
    )
    return {
        "commit": commit,
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores, {model}",
        "python": platform.python_version(),
    }


def save(name: str, figures: dict[str, object]) -> Path:
    """Write one result file and return its path."""
    about = circumstances()
    path = RESULTS / f"{name}-{about['commit']}.json"
    path.write_text(json.dumps({"about": about, **figures}, indent=1) + "\n")
    return path

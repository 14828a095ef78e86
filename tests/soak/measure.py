"""What processes and files have at one moment, over and over; and what becomes of that over time."""

import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

MEGABYTE = 1 << 20


class Held(NamedTuple):
    """What a process holds."""

    private_mb: float
    descriptors: int
    threads: int


class Slope(NamedTuple):
    """Growth an hour by least squares, with its standard error as if each sample told something of its own."""

    an_hour: float
    error: float

    def __str__(self) -> str:
        return f"{self.an_hour:+.1f} ± {self.error:.1f}"


def held(pid: int) -> Held:
    """Of a process that is there; ProcessLookupError when it is not."""
    place = Path(f"/proc/{pid}")
    try:
        rollup = (place / "smaps_rollup").read_text().splitlines()
        private = sum(int(line.split()[1]) for line in rollup if line.startswith("Private_Dirty"))
        return Held(private / 1024, len(list((place / "fd").iterdir())), len(list((place / "task").iterdir())))
    except (FileNotFoundError, ProcessLookupError) as error:
        raise ProcessLookupError(f"process {pid} is gone") from error


def logs(folders: Sequence[Path]) -> dict[str, float]:
    """The size in MB of every log of a database below these folders."""
    found = {}
    for folder in folders:
        for path in folder.rglob("*-wal"):
            try:
                found[path.relative_to(folder.parent).as_posix()] = path.stat().st_size / MEGABYTE
            except FileNotFoundError:
                continue
    return found


def slope(times: Sequence[float], values: Sequence[float]) -> Slope:
    """Growth an hour of values at these times in seconds."""
    if len(values) < 3:
        return Slope(0.0, float("inf"))
    hours = [time / 3600 for time in times]
    fit = statistics.linear_regression(hours, values)
    middle = statistics.fmean(hours)
    spread = sum((hour - middle) ** 2 for hour in hours)
    rest = sum((v - fit.slope * h - fit.intercept) ** 2 for h, v in zip(hours, values, strict=True))
    return Slope(fit.slope, (rest / (len(values) - 2) / spread) ** 0.5)


class Series:
    """Numbers by name, each with its time since the beginning."""

    def __init__(self) -> None:
        self._values: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)

    def put(self, name: str, time: float, value: float) -> None:
        self._values[name].append((time, value))

    def names(self) -> list[str]:
        return sorted(self._values)

    def since(self, name: str, time: float) -> tuple[list[float], list[float]]:
        """Times and values from a time on."""
        rest = [pair for pair in self._values[name] if pair[0] >= time]
        return [pair[0] for pair in rest], [pair[1] for pair in rest]

    def most(self, name: str) -> float:
        return max((value for _, value in self._values[name]), default=0.0)

    def slope(self, name: str, time: float) -> Slope:
        return slope(*self.since(name, time))

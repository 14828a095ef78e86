"""How far a job is, how fast it goes, and how long it will take: from what a build tells. Keeps no clock but the one it is given."""

from collections import deque
from collections.abc import Callable

from scova.types import Advance, Job, Progress

WINDOW_SECONDS = 10.0  # what counts as lately
_BY_FILE = ("fetch", "parse", "send")  # stages that go from file to file, and count the same files


class Meter:
    """The progress of one attempt, added to what earlier attempts had done."""

    def __init__(self, job: Job, clock: Callable[[], float]) -> None:
        self._before = job.files_total  # files, as an earlier attempt counted them
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque([(clock(), 0)])
        self._counting = ""
        self._counted_until: dict[str, int] = {}  # by what is counted
        self.advance = Advance(files_processed=job.files_processed, files_total=job.files_total)

    def take(self, progress: Progress) -> None:
        """Something was told."""
        rate = self._rate(progress)
        left = progress.total - progress.done
        self.advance = self._counted(progress)._replace(
            stage=progress.stage,
            rate=round(rate, 2),
            eta_seconds=round(left / rate, 1) if rate and progress.total else None,
        )

    def _counted(self, progress: Progress) -> Advance:
        if progress.stage == "embed":
            return self.advance._replace(vectors_processed=progress.done, vectors_total=progress.total)
        if progress.stage not in _BY_FILE:
            return self.advance
        if progress.stage == "fetch":  # what was fetched stays counted, whichever attempt it was
            self._before = 0
        earlier = max(0, self._before - progress.total)  # a build that goes on counts only what is left
        return self.advance._replace(
            files_processed=earlier + progress.done,
            files_total=earlier + progress.total,
            chunks_processed=progress.chunks,
            bytes_processed=progress.bytes,
        )

    def _rate(self, progress: Progress) -> float:
        """What was done in a second, over the window; a stage begins where the one before it was last heard of, and goes on where it was
        left if it comes again."""
        now = self._clock()
        samples = self._samples
        last, before = samples[-1]
        counting = "files" if progress.stage in _BY_FILE else progress.stage
        if counting != self._counting or progress.done < before:
            before = self._counted_until.get(counting, 0)
            samples.clear()
            samples.append((last, before if before <= progress.done else 0))
        self._counting = counting
        self._counted_until[counting] = progress.done
        samples.append((now, progress.done))
        while len(samples) > 2 and samples[1][0] <= now - WINDOW_SECONDS:
            samples.popleft()
        seconds = now - samples[0][0]
        return (progress.done - samples[0][1]) / seconds if seconds > 0 else 0.0

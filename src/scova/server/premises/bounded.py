"""Work that may never end, waited for no longer than one likes. Knows nothing of what is done."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future


class Bounded:
    """One piece of work, done again whenever it is asked for; by one thread, however many ask while it hangs."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._under_way: Future[None] | None = None

    async def is_done(self, seconds: float) -> bool:
        """Whether it comes to its end within so many seconds; raises what it raises. Who waits takes no thread."""
        with self._lock:
            if self._under_way is None or self._under_way.done():
                self._under_way = Future()
                # A daemon: what hangs must not keep the process from ending.
                threading.Thread(target=self._run, args=(self._under_way,), daemon=True).start()
            under_way = self._under_way
        ends = asyncio.wrap_future(under_way)
        done, _ = await asyncio.wait([ends], timeout=seconds)
        if not done:
            return False
        ends.result()
        return True

    def _run(self, under_way: "Future[None]") -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            under_way.set_exception(error)
        else:
            under_way.set_result(None)

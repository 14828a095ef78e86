"""The files of one folder, opened together and read value by value. Knows which file holds what; not what to do with it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Self

from scova.chunks.exchange import names
from scova.chunks.exchange.names import Format
from scova.chunks.exchange.stream import Found, elements, lines, opened
from scova.chunks.exchange.turns import turn
from scova.errors import ExchangeError


class OpenedFolder:
    """Opened while nobody is putting new files in their place, they stay what they were however long reading takes. To be closed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sheets: dict[str, BinaryIO] = {}
        self._stack = ExitStack()
        try:
            with turn(folder):
                for name in sorted(names.ALL):
                    if (file := opened(folder / name)) is not None:
                        self.sheets[name] = self._stack.enter_context(file)
            self.format = self._format()
        except BaseException:
            self.close()
            raise

    @property
    def is_there(self) -> bool:
        """Whether the folder holds any exchange file at all."""
        return bool(self.sheets)

    def close(self) -> None:
        """Let go of the files. Closing twice is fine."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def chunk_files(self) -> list[str]:
        """The names of those that hold chunks."""
        wanted = list(names.TYPE_OF) if self.format is Format.JSON else [names.CHUNKS_LINES]
        return [name for name in wanted if name in self.sheets]

    def values(self, name: str, listed: str, head: dict[str, object] | None = None) -> Iterator[Found]:
        """The values of a file one by one; what stands beside them, or before them on a line of its own, goes into `head`."""
        path = self.folder / name
        if self.format is Format.JSON:
            return elements(self.sheets[name], path, listed=listed, others={} if head is None else head)
        found = lines(self.sheets[name], path)
        if head is not None and (first := next(found, None)) is not None and isinstance(first.value, dict):
            head.update(first.value)
        return found

    def _format(self) -> Format:
        present = [one for one in Format if not self.sheets.keys().isdisjoint(names.OF_FORMAT[one])]
        if len(present) > 1:
            raise ExchangeError(
                f"`{self.folder}` holds chunks in both formats, JSON and JSONL",
                "remove the files of one of them, so that it is clear what is meant",
            )
        return present[0] if present else Format.JSON

"""What an agent has been sent already in this session: the same lines are named again, not sent again."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from scova.mcp.page import Item

_MOST = 20_000  # texts that are remembered


class Ledger:
    """Texts by place and content. A text that has changed since is a new one."""

    def __init__(self) -> None:
        self._sent: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    def spared(self, item: Item) -> Item:
        """The item without its text when that has been sent before; its place tells which it was."""
        if isinstance(item, str) or not item.get("text"):
            return item
        with self._lock:
            if _key(item) not in self._sent:
                return item
        return {**{name: value for name, value in item.items() if name != "text"}, "already_sent": True}

    def note(self, items: Iterable[Item]) -> None:
        """These have been sent now; those that were cut do not count."""
        with self._lock:
            for item in items:
                if not isinstance(item, str) and item.get("text") and not item.get("cut"):
                    self._sent[_key(item)] = None
            while len(self._sent) > _MOST:
                self._sent.popitem(last=False)


def _key(item: Mapping[str, Any]) -> bytes:
    said = f"{item.get('path')}\0{item.get('lines')}\0{item['text']}"
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=16).digest()

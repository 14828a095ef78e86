"""Every kind of vector index there is, opened for tests on what really runs: memory, pgvector in a PostgreSQL, Qdrant's own engine."""

from contextlib import ExitStack, contextmanager
from uuid import uuid4

from scova.stores.vectors import open_vectors
from scova.stores.vectors.memory import MemoryVectors

KINDS = ["memory", "pgvector", "qdrant"]


class Indexes:
    """Opens indexes at one place; each time as another process would. What was opened leaves nothing behind."""

    def __init__(self, url, connections=None):
        self.url = url
        self.run = uuid4().hex  # a live server keeps what others wrote
        self._memory = {}
        self._opened = []

    def __call__(self, store_id="store", model="model", width=16):
        names = (f"{store_id}-{self.run}", f"{model}-{self.run}", width)
        if self.url == "memory:":
            return self._memory.setdefault(names, MemoryVectors(*names))
        opened = open_vectors(self.url, store_id=names[0], model=names[1], width=width)
        self._opened.append(opened)
        return opened

    def close(self):
        for opened in self._opened:
            opened.drop()
            opened.close()


@contextmanager
def indexes(kind, request):
    """What opens indexes of one kind."""
    with ExitStack() as stack:
        if kind == "pgvector":
            url = f"pgvector:{request.getfixturevalue('postgres_url')}"
        elif kind == "qdrant":
            from qdrant_server import running

            url = stack.enter_context(running())
        else:
            url = "memory:"
        made = Indexes(url)
        yield made
        made.close()

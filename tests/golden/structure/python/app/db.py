import os.path
from typing import Optional

from .base import Quiet as Silent


class Connection:
    def write(self, item):
        return self.flush()

    def flush(self):
        return os.path.join("a", "b")


class Pool(Connection, Silent):
    def take(self) -> Connection:
        self.log()
        return super().write(None)

    def flush(self):
        return 1


def connect(url: str, pool: Optional[Pool] = None) -> Connection:
    def retry():
        return connect(url)

    if pool:
        pool.take().flush()
    retry()
    return Connection()

from app.base import Base
from app.db import Connection
from app import db


class User(Base):
    store: Connection

    def __init__(self, name):
        self.name = name
        self.pool = db.Pool()

    def validate(self):
        check(self.name)

    def close(self):
        self.pool.take()
        self.pool.flush()
        self.missing()
        self.save()


def check(name):
    if not name:
        raise ValueError(len(name))

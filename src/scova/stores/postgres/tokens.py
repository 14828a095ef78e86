"""The tokens of a server in the database, for all processes that serve it. What a token allows is not known here."""

from collections.abc import Sequence

from scova.errors import IndexExists
from scova.stores.postgres.connections import Connections
from scova.types import KeptToken

_FIELDS = ", ".join(KeptToken._fields)
_ADD = f"INSERT INTO tokens ({_FIELDS}) VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
_REVOKE = "UPDATE tokens SET revoked_at = CASE revoked_at WHEN '' THEN %s ELSE revoked_at END WHERE id = %s"
_CHANGED = "UPDATE token_changes SET number = number + 1"


class PostgresTokens:
    """The TokenLedger of one database. The tables must be there (`schema.migrate`)."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def version(self) -> int:
        """How often tokens were changed: a number that differs from the one before when any were."""
        with self._connections.lent() as connection:
            found = connection.execute("SELECT number FROM token_changes").fetchone()
        return int(str(found[0])) if found else 0

    def all(self) -> Sequence[KeptToken]:
        """All tokens, the oldest first, revoked ones among them."""
        with self._connections.lent() as connection:
            found = connection.execute(f"SELECT {_FIELDS} FROM tokens ORDER BY number").fetchall()
        return [KeptToken(*map(str, values)) for values in found]

    def add(self, token: KeptToken) -> None:
        """Keep one more; IndexExists when its id or hash is taken."""
        with self._connections.lent() as connection, connection.transaction():
            connection.execute(_CHANGED)  # first, so that those who change tokens take turns
            if not connection.execute(_ADD, token).rowcount:
                raise IndexExists(f"there is a token `{token.id}` already", "make another one")

    def revoke(self, token_id: str, when: str) -> bool:
        """Have a token count no more, from `when` on; one that is revoked already keeps its time. False when there is none."""
        with self._connections.lent() as connection, connection.transaction():
            connection.execute(_CHANGED)
            return connection.execute(_REVOKE, (when, token_id)).rowcount == 1

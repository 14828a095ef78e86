"""Projects that are pushed to, in a folder or in a database, as parts of a server."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scova.core import own_folder
from scova.errors import UsageError
from scova.projects.job import wish
from scova.server.housing.opening import opened
from scova.server.layout import ServerLayout
from scova.server.premises.parts import Idle, Parts
from scova.server.tenants import builds
from scova.server.tenants.caretaker import Caretaker
from scova.server.tenants.chores import runners
from scova.server.tenants.registry import Tenants
from scova.server.tokens import Tokens

if TYPE_CHECKING:
    from scova.config import Config
    from scova.server.tenants.tenant import Tenant

TOKENS_EVERY = 1.0  # seconds: so soon every process of a database knows that a token was revoked


class _Works:
    """Sources and builds of projects that are pushed to."""

    add_sources = staticmethod(builds.add_sources)
    remove_source = staticmethod(builds.remove_source)
    planned = staticmethod(builds.planned)
    status_of = staticmethod(builds.status_of)

    def wished(self, tenant: "Tenant", given: Mapping[str, object], *, whole: bool) -> Mapping[str, object]:
        """The options of a build as a job keeps them."""
        return wish(given, whole=whole)


def served(place: ServerLayout, config: "Config") -> Parts:
    """What lies at this place, or in the database that the settings name; UsageError where they do not fit together."""
    own_folder.make_marked(place.root)
    if config.serve_vectors == "pgvector:" and not config.serve_store:
        raise UsageError("`pgvector:` needs a store in PostgreSQL", "serve with --store postgresql://… as well")
    if config.serve_vectors.startswith("http"):
        from scova.stores.vectors import open_vectors

        open_vectors(config.serve_vectors, store_id="", model="", width=1).close()  # says so if it is no address
    house = opened(place, config.serve_store)
    tenants = Tenants(house, config)
    return Parts(
        tenants=tenants,
        tokens=Tokens(house.tokens, every=TOKENS_EVERY if house.is_shared else 0.0),
        jobs=house.jobs,
        runners=runners(tenants),
        works=_Works(),
        words=house.words,
        close=house.close,
        upkeep=Caretaker(house, tenants) if house.is_shared else Idle(),
    )

"""A folder brought to a server: what differs is found by hashes, and only that is sent. The server does all the rest."""

from scova.push.address import Address, address
from scova.push.following import Following, Settled
from scova.push.pace import Patience
from scova.push.push import Push, PushOptions
from scova.push.result import Failure, Pushed

__all__ = [
    "Address",
    "Failure",
    "Following",
    "Patience",
    "Push",
    "PushOptions",
    "Pushed",
    "Settled",
    "address",
]

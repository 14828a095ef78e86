"""Decides which hosts may be reached, and opens every connection itself, to the very address that was judged.

A URL is judged by what it resolves to at the moment of connecting, so that neither an unusual spelling, nor a name that points
inwards, nor one that points elsewhere the second time gets past. Redirects come by here like any other request. What is not
public is refused unless the caller allows it. Knows nothing of HTTP.
"""

import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import NamedTuple

import httpx2

from scova.errors import UsageError
from scova.sources.web.addresses import Address, Network, carried, literal, why_closed

Resolve = Callable[[str, int], Sequence[str]]  # host and port -> addresses, as text; raises OSError

_WEB_PORTS = (80, 443)
_FIRST_FREE_PORT = 1024  # below are the standing services of a machine: mail, shells, directories
_DEFAULT_PORTS = {"http": 80, "https": 443}
_MOST_ADDRESSES = 4


class Refused(Exception):
    """This may not be fetched; says why."""


class Target(NamedTuple):
    """What a URL asks to be reached."""

    url: httpx2.URL  # without fragment
    host: str  # lower case, no trailing dot
    port: int


@dataclass(frozen=True, slots=True)
class _Allowed:
    """What the caller allows beyond the public internet."""

    hosts: frozenset[tuple[str, int]]  # port 0 stands for any
    networks: tuple[Network, ...]

    def names(self, host: str, port: int) -> bool:
        return (host, 0) in self.hosts or (host, port) in self.hosts

    def holds(self, address: Address, port: int) -> bool:
        inner = carried(address)
        forms = (address, inner) if inner else (address,)
        return any(
            self.names(str(form), port)
            or any(form in network for network in self.networks if network.version == form.version)
            for form in forms
        )


class Guard:
    """Judges URLs and addresses. Safe to share by threads."""

    def __init__(self, allow: Iterable[str] = (), *, resolve: Resolve | None = None) -> None:
        """`allow`: host names, `host:port`, addresses or networks (`10.0.0.0/8`) that may be reached although they are not public.

        UsageError for what is none of these.
        """
        self._allowed = _read(allow)
        self._resolve = resolve or system_addresses

    def target(self, url: str | httpx2.URL) -> Target:
        """What a URL asks for, if its form is acceptable. Where it leads to is only known when `addresses` is asked."""
        try:
            parsed = httpx2.URL(url)
        except (httpx2.InvalidURL, ValueError, TypeError) as problem:
            raise Refused(f"this is not a URL: {problem}") from None
        if parsed.scheme not in _DEFAULT_PORTS:
            raise Refused(f"only http and https are fetched, not {parsed.scheme or 'a URL without a scheme'}")
        if parsed.userinfo:
            raise Refused("a URL with a user name or password in it is not fetched")
        host = plain_host(parsed.raw_host.decode("ascii", "replace"))
        if not host or (":" not in host and any(character in host for character in "%\\/ ")):
            raise Refused("the URL names no host")
        port = _DEFAULT_PORTS[parsed.scheme] if parsed.port is None else parsed.port
        self._check_port(host, port)
        return Target(parsed.copy_with(fragment=None), host, port)

    def addresses(self, host: str, port: int, timeout: float | None = None) -> list[Address]:
        """The addresses of a host that may be connected to, most preferred first; never empty.

        Refused when there are only others; OSError when the name is not known.
        """
        host = plain_host(host)
        self._check_port(host, port)
        found = self._found(host, port, timeout)
        if self._allowed.names(host, port):
            return found[:_MOST_ADDRESSES]
        open_ones = [each for each in found if self._allowed.holds(each, port) or not why_closed(each)]
        if not open_ones:
            raise Refused(_why(host, found[0]))
        return open_ones[:_MOST_ADDRESSES]

    def _found(self, host: str, port: int, timeout: float | None) -> list[Address]:
        try:
            written = literal(host)
        except ValueError as problem:
            raise Refused(str(problem)) from None
        if written is not None:
            return [written]
        texts = _in_time(lambda: self._resolve(host, port), timeout)
        if not texts:
            raise OSError(f"{host} has no address")
        return [ip_address(text) for text in texts]

    def _check_port(self, host: str, port: int) -> None:
        if not 0 < port < 65_536:
            raise Refused(f"{port} is not a port")
        if port in _WEB_PORTS or port >= _FIRST_FREE_PORT or self._allowed.names(host, port):
            return
        raise Refused(f"port {port} is not one that pages are served from; {_allowing(f'{host}:{port}')}")


def plain_host(host: str) -> str:
    """A host as it is compared: lower case, without brackets and trailing dot."""
    return host.lower().strip("[]").removesuffix(".")


def system_addresses(host: str, port: int) -> list[str]:
    """The addresses that the system knows for a host, without repetition."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as problem:
        raise OSError(f"{host} cannot be a name: {problem}") from None
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


def _in_time(ask: Callable[[], Sequence[str]], timeout: float | None) -> Sequence[str]:
    """The answer of a resolver that knows no time limit: who does not answer in time is left to itself."""
    if timeout is None:
        return ask()
    answers: list[Sequence[str]] = []
    problems: list[Exception] = []

    def work() -> None:
        try:
            answers.append(ask())
        except Exception as problem:  # noqa: BLE001 - the top of a thread; raised again below
            problems.append(problem)

    worker = threading.Thread(target=work, name="scova-resolve", daemon=True)
    worker.start()
    worker.join(max(timeout, 0.0))
    if problems:
        raise problems[0]
    if not answers:
        raise TimeoutError("the name of the host was not resolved in time")
    return answers[0]


def _why(host: str, address: Address) -> str:
    # Of a name neither its address nor what kind that is: who may have a server fetch is not to learn its network from it.
    why = f" ({why_closed(address)})" if literal(host) is not None else ""
    return f"{host} is not a public address{why}; {_allowing(host)}"


def _allowing(place: str) -> str:
    return f"to fetch from it, set SCOVA_FETCH_ALLOW={place}, or `fetch_allow` in the settings"


def _read(allow: Iterable[str]) -> _Allowed:
    hosts: set[tuple[str, int]] = set()
    networks: list[Network] = []
    for entry in allow:
        if "/" in entry:
            networks.append(_network(entry))
        else:
            hosts.add(_host(entry))
    return _Allowed(frozenset(hosts), tuple(networks))


def _network(entry: str) -> Network:
    try:
        return ip_network(entry.strip(), strict=False)
    except ValueError:
        raise UsageError(
            f"`{entry}` is not a network", "write it as 10.0.0.0/8, or name a host without a slash"
        ) from None


def _host(entry: str) -> tuple[str, int]:
    text = entry.strip()
    name, colon, port = text.rpartition(":")
    if not colon or (":" in name and not name.endswith("]")):  # the colons of a bare IPv6 address
        name, port = text, "0"
    if not name or not port.isdecimal() or int(port) > 65_535:
        raise UsageError(f"`{entry}` is not a host", "write a host name, host:port, an address or a network")
    name = plain_host(name)
    try:
        address = literal(name)
    except ValueError:
        address = None
    return (str(address) if address else name), int(port)

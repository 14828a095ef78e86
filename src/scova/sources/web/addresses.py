"""Which addresses of the internet are public, and what an address written in an unusual way stands for.

The tables are our own and not the standard library's, whose answers have changed between versions. Knows nothing of names, of
exceptions that someone allows, or of connections.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_CLOSED_4 = [
    (IPv4Network(network), word)
    for network, word in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by the customers of a provider"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "a service inside a cloud"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "reserved for examples"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "reserved for benchmarks"),
        ("198.51.100.0/24", "reserved for examples"),
        ("203.0.113.0/24", "reserved for examples"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
]

_CLOSED_6 = [
    (IPv6Network(network), word)
    for network, word in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("64:ff9b:1::/48", "private"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "private"),
        ("ff00::/8", "multicast"),
        ("2001::/23", "reserved"),  # Teredo among others, which carries any IPv4 address
        ("2001:db8::/32", "reserved for examples"),
        ("3fff::/20", "reserved for examples"),
    )
]
_OPEN_6 = IPv6Network("2000::/3")  # all that was ever given out

# Prefix, and how far the IPv4 address that is really reached stands from the right.
_CARRIERS = [
    (IPv6Network("::ffff:0:0/96"), 0),
    (IPv6Network("::ffff:0:0:0/96"), 0),
    (IPv6Network("64:ff9b::/96"), 0),
    (IPv6Network("2002::/16"), 80),
]

_ISATAP = {0x00005EFE, 0x02005EFE}
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+", re.ASCII)


def why_closed(address: Address) -> str:
    """Why an address is not for everyone, in a word or two; empty for a public one."""
    if isinstance(address, IPv4Address):
        return next((word for network, word in _CLOSED_4 if address in network), "")
    inner = carried(address)
    if inner is not None:
        return why_closed(inner)
    plain = IPv6Address(int(address))  # a zone such as `%eth0` would keep it out of every network
    word = next((word for network, word in _CLOSED_6 if plain in network), "")
    if word or plain not in _OPEN_6:
        return word or "reserved"
    return why_closed(IPv4Address(int(plain) & 0xFFFFFFFF)) if (int(plain) >> 32) & 0xFFFFFFFF in _ISATAP else ""


def carried(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to, where its form says so."""
    if isinstance(address, IPv4Address):
        return None
    plain = IPv6Address(int(address))
    for network, shift in _CARRIERS:
        if plain in network:
            return IPv4Address((int(plain) >> shift) & 0xFFFFFFFF)
    return None


def literal(host: str) -> Address | None:
    """The address that a host is, in any form that a system resolver would take for one; None for a name.

    `127.0.0.1`, `127.1`, `2130706433`, `0x7f.1`, `0177.0.0.1` are the same address. Raises ValueError for what looks like an
    address and is none.
    """
    if ":" in host:
        return IPv6Address(host.replace("%25", "%"))
    parts = host.split(".")
    if not _NUMBER.fullmatch(parts[-1]):
        return None
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        raise ValueError(f"{host} ends like an address, but is none")
    values = [_value(part) for part in parts]
    room = 256 ** (5 - len(parts))
    if any(value > 255 for value in values[:-1]) or values[-1] >= room:
        raise ValueError(f"{host} has a number that is too large for an address")
    return IPv4Address(sum(value << (24 - 8 * place) for place, value in enumerate(values[:-1])) + values[-1])


def _value(part: str) -> int:
    if len(part) > 64:
        raise ValueError("a number this long is no address")
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if part.startswith("0") else int(part)

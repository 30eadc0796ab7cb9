"""Who asks: a client of the server, named by its address."""

from __future__ import annotations

import ipaddress


def client_name(host: str) -> str:
    """Name a client: its address, of IPv6 the first half, since a client commands all of the other."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 6 and not address.is_loopback:
        return str(ipaddress.ip_network(f"{address}/64", strict=False))
    return str(address)

"""A server that is used on every surface where there is no network: `python -m tests.traced.namespace_session ROOT`."""

from __future__ import annotations

import sys
from pathlib import Path

from .namespaces import bring_loopback_up
from .places import Place
from .sessions import served, talk_to_server
from .surfaces import SURFACES


def main(place: Place) -> None:
    """Print how many requests were answered as they should be."""
    bring_loopback_up()
    with served(place) as address:
        talk_to_server(address)
    print(sum(map(len, SURFACES.values())))


if __name__ == "__main__":
    main(Place(Path(sys.argv[1])))

"""Which addresses may be those of a privacy policy."""

from __future__ import annotations

from urllib.parse import unquote


def is_candidate(url: str) -> bool:
    """Tell whether an address names privacy, or both data and protection.

    The choice of PrivaSeer (https://doi.org/10.1007/978-3-030-72113-8_22), made on the whole address.
    """
    address = unquote(url).lower()
    return "privacy" in address or ("data" in address and "protection" in address)

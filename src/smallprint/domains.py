"""Web addresses: their normal form, the registrable domain they belong to, and the policy ids made from them."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from smallprint.errors import BadAddress

if TYPE_CHECKING:
    from tldextract import TLDExtract

# Parameters that say where the visitor came from, never which document is meant.
TRACKING_PARAMETER = re.compile(
    r"^(utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|igshid|_ga|sessionid|jsessionid|phpsessid)$", re.IGNORECASE
)
DEFAULT_PORTS = {"http": 80, "https": 443}
UNSAFE = re.compile(r"[\x00-\x20\x7f]")


@cache
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract  # half a second to import with its list of suffixes

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


@lru_cache(maxsize=65_536)
def registrable_domain(url_or_host: str) -> str:
    """Give the domain that somebody registered ("bbc.co.uk"); the host itself where there is none ("localhost")."""
    host = host_of(url_or_host) if "/" in url_or_host or ":" in url_or_host else url_or_host.lower()
    if not host or _is_address(host):
        return host
    # Under a suffix nobody lists (".example") the list's own last rule holds: one label is the suffix.
    return _suffixes()(host).top_domain_under_public_suffix or ".".join(host.split(".")[-2:])


def host_of(url: str) -> str:
    """Give the lower-case host of a URL, in ASCII; empty for addresses without one."""
    return _ascii_host(_split(url).hostname or "")


def normal_url(url: str) -> str:
    """Give the one spelling under which an address is known: no fragment, tracking parameters or default port.

    Raises BadAddress on what is no http, https, file or urn address.
    """
    parts = _split(url)
    if parts.scheme in {"file", "urn"}:
        return urlunsplit(parts._replace(fragment=""))
    host = _ascii_host(parts.hostname or "")
    if parts.scheme not in DEFAULT_PORTS or not host:
        raise BadAddress(f"{url[:200]!r} is no web address; write it as https://site/path")
    try:
        port = parts.port
    except ValueError:
        raise BadAddress(f"{url[:200]!r} has a port that is no number; write it as https://site/path") from None
    authority = f"[{host}]" if ":" in host else host
    if port is not None and port != DEFAULT_PORTS[parts.scheme]:
        authority = f"{authority}:{port}"
    kept = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not TRACKING_PARAMETER.match(k)]
    # Keep the query as written unless something was taken out of it: "?privacy" must not become "?privacy=".
    query = urlencode(kept) if len(kept) != len(parse_qsl(parts.query, keep_blank_values=True)) else parts.query
    path = quote(parts.path, errors="replace", safe="/%:@!$&'()*+,;=~-._") or "/"
    return urlunsplit((parts.scheme, authority, path, query, ""))


def policy_id(url: str) -> str:
    """Give the id of the policy at an address: its site and eight hex digits, the same for http, https and www."""
    normal = normal_url(url)
    parts = urlsplit(normal)
    if parts.scheme in DEFAULT_PORTS:
        host = (parts.hostname or "").removeprefix("www.")
        key = f"{host}:{parts.port or ''}{parts.path.rstrip('/')}?{parts.query}"
        site = registrable_domain(host)
    else:
        key, site = normal, "local"
    return f"{site}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"


def same_site(one: str, other: str) -> bool:
    """Tell whether two addresses belong to one registrable domain."""
    return registrable_domain(one) == registrable_domain(other)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(UNSAFE.sub("", url.strip()))
        _ = parts.hostname
    except ValueError:
        raise BadAddress(f"{url[:200]!r} is no web address; write it as https://site/path") from None
    return parts._replace(scheme=parts.scheme.lower())


def _ascii_host(host: str) -> str:
    host = host.rstrip(".").lower()
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        raise BadAddress(f"{host[:200]!r} is no host name") from None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True

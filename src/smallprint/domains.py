"""Web addresses: their normal form, the registrable domain they belong to, and the policy ids made from them."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote_plus, urlsplit, urlunsplit

from smallprint import limits
from smallprint.errors import BadAddress

if TYPE_CHECKING:
    from tldextract import TLDExtract

# Parameters that say where the visitor came from, never which document is meant.
TRACKING_PARAMETER = re.compile(
    r"^(utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|igshid|_ga|sessionid|jsessionid|phpsessid)$", re.IGNORECASE
)
DEFAULT_PORTS = {"http": 80, "https": 443}
UNSAFE = re.compile(r"[\x00-\x1f\x7f]")
SURROGATE = re.compile("[\ud800-\udfff]")
HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
# What may stand in a path and a query as it is; the rest is written as %XX.
PATH_SAFE, QUERY_SAFE = "/%:@!$&'()*+,;=~-._", "/%:@!$&'()*+,;=~-._?[]{}|^`\\"


@cache
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract  # half a second to import with its list of suffixes

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


@lru_cache(maxsize=65_536)
def registrable_domain(url_or_host: str) -> str:
    """Return the domain that somebody registered ("bbc.co.uk"); the host itself where there is none ("localhost")."""
    if _is_address(url_or_host):
        return url_or_host.lower()
    # A bare host may carry a port; an address has a slash or stands without a host (file:x, urn:x:y).
    named = "/" in url_or_host or url_or_host.lower().startswith(("file:", "urn:"))
    host = host_of(url_or_host if named else f"//{url_or_host}")
    if not host or _is_address(host):
        return host
    # Under a suffix nobody lists (".example") the list's own last rule holds: one label is the suffix.
    return _suffixes()(host).top_domain_under_public_suffix or ".".join(host.split(".")[-2:])


def host_of(url: str) -> str:
    """Return the lower-case host of a URL, in ASCII; empty for addresses without one."""
    return _ascii_host(_split(url).hostname or "")


def normal_url(url: str) -> str:
    """Return the one spelling by which an address is known; BadAddress if it is no http, https, file or urn one."""
    if len(url) > limits.MAX_STORED_ADDRESS:
        raise BadAddress(
            f"{url[:100]!r}… has {len(url):,} characters; an address has {limits.MAX_STORED_ADDRESS:,} at most"
        )
    parts = _split(url)
    if parts.scheme in {"file", "urn"}:
        return urlunsplit(parts._replace(fragment=""))
    host = _ascii_host(parts.hostname or "")
    if parts.scheme not in DEFAULT_PORTS or not (HOST.fullmatch(host) or _is_address(host)):
        raise BadAddress(f"{url[:200]!r} is not a web address; write it as https://site/path")
    try:
        port = parts.port
    except ValueError:
        raise BadAddress(f"{url[:200]!r} has a port that is not a number; write it as https://site/path") from None
    authority = f"[{host}]" if ":" in host else host
    if port is not None and port != DEFAULT_PORTS[parts.scheme]:
        authority = f"{authority}:{port}"
    # What is kept of the query stays as written: "?privacy" must not become "?privacy=".
    kept = (p for p in parts.query.split("&") if not TRACKING_PARAMETER.match(unquote_plus(p.partition("=")[0])))
    query = quote("&".join(kept), safe=QUERY_SAFE)
    path = quote(parts.path, safe=PATH_SAFE) or "/"
    normal = urlunsplit((parts.scheme, authority, path, query, ""))
    if len(normal) > limits.MAX_STORED_ADDRESS:  # what is not ASCII takes up to twelve times as many characters
        raise BadAddress(f"{url[:100]!r}… is too long; an address has {limits.MAX_STORED_ADDRESS:,} characters at most")
    return normal


def policy_id(url: str) -> str:
    """Return the id of the policy at an address: its site and eight hex digits, the same for http, https and www."""
    normal = normal_url(url)
    parts = urlsplit(normal)
    if parts.scheme in DEFAULT_PORTS:
        host = (parts.hostname or "").removeprefix("www.")
        key = f"{host}:{parts.port or ''}{parts.path.rstrip('/')}?{parts.query}"
        site = registrable_domain(host)
    else:
        key, site = normal, "local"
    return f"{site}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"


def same_site(url: str, other: str) -> bool:
    """Return whether two addresses belong to one registrable domain."""
    return registrable_domain(url) == registrable_domain(other)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(SURROGATE.sub("\ufffd", UNSAFE.sub("", url).strip()))
        _ = parts.hostname
    except ValueError:
        raise BadAddress(f"{url[:200]!r} is not a web address; write it as https://site/path") from None
    return parts._replace(scheme=parts.scheme.lower())


def _ascii_host(host: str) -> str:
    host = host.lower()
    if host.isascii():
        return host.rstrip(".")
    try:
        return host.encode("idna").decode("ascii").rstrip(".")
    except UnicodeError:
        raise BadAddress(f"{host[:200]!r} is not a host name") from None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True

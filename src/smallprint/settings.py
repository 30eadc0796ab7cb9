"""Every setting with its default and help; the environment goes before the file, and the file before the default."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from smallprint import limits
from smallprint.errors import BadSetting

PREFIX = "SMALLPRINT_"
SHORTEST_TOKEN = 16
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.\-\[\]:]+")
TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def _home(variable: str, fallback: str, environ: Mapping[str, str] = os.environ) -> Path:
    return Path(environ.get(variable) or Path.home() / fallback) / "smallprint"


def _setting(default: Any, help_: str, *, secret: bool = False) -> Any:
    return field(default=default, metadata={"help": help_, "secret": secret}, repr=not secret)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force for one run."""

    library: Path = _setting(  # noqa: RUF009 - a field made by a function of ours
        _home("XDG_DATA_HOME", ".local/share") / "library.db",
        "The library file commands work on. Beside it are its lock ('.lock'), its search indexes ('.index'), "
        "pasted texts ('.pastes') and, while these are open, SQLite's '-journal', '-wal' and '-shm'; nothing else is "
        "written under your home folder.",
    )
    data_dir: Path = _setting(  # noqa: RUF009 - as above
        Path("data"), "Where the research data lie that training and evaluation read."
    )
    workers: int = _setting(0, "Processes that clean and annotate; 0 means one for each core.")
    candidates: str = _setting(
        "auto",
        "Which addresses are looked at: 'url' (only those that name privacy or data protection), 'any', or 'auto' "
        "('url' for archives and lists of the whole web, 'any' for pages you hand over yourself).",
    )
    policy_threshold: float = _setting(0.55, "Least probability of being a privacy policy for a page to be kept (0-1).")
    min_words: int = _setting(50, "A page with fewer words than this is too short to be a policy.")
    max_page_bytes: int = _setting(limits.MAX_PAGE_BYTES, "A page larger than this many bytes is turned away.")
    page_seconds: int = _setting(limits.PAGE_SECONDS, "A page that takes longer than this to clean is turned away.")
    rejected_bytes: int = _setting(
        limits.REJECTED_BYTES,
        "Compressed bytes of pages that were turned away to keep in all, so that 'smallprint reread' can judge them "
        "again; once they are full, further ones are noted without their page. 0 keeps none.",
    )
    annotate_seconds: int = _setting(
        limits.ANNOTATE_SECONDS, "A policy that takes longer than this to annotate is set aside; 0 for no limit."
    )
    annotate_memory: int = _setting(
        limits.ANNOTATE_MEMORY,
        "A policy that takes more than this many bytes of memory to annotate is set aside; 0 for no limit.",
    )
    page_memory: int = _setting(
        limits.PAGE_MEMORY,
        "A page that takes more than this many bytes of memory to clean is turned away; 0 for no limit. Linux only.",
    )
    near_duplicate: float = _setting(
        0.9, "Jaccard likeness of 5-word shingles from which two policies are folded (0-1)."
    )
    quality: str = _setting(
        "fast",
        "How new policies are annotated: 'fast' (small models, for whole corpora), 'full' (the encoder, a dozen "
        "times slower and closer to what people say) or 'none'.",
    )
    crawl_user_agent: str = _setting(
        "Smallprint/0.1 (privacy policy research)",
        "How the crawler names itself; add an address where you can be reached.",
    )
    crawl_delay: float = _setting(
        limits.CRAWL_DELAY, "Seconds between two requests to one host; a longer Crawl-delay in robots.txt holds."
    )
    crawl_hosts: int = _setting(limits.CRAWL_HOSTS, "How many hosts are visited at the same time.")
    crawl_timeout: float = _setting(
        limits.CRAWL_TIMEOUT, "Seconds to wait for a connection, and for each part of an answer."
    )
    crawl_page_seconds: float = _setting(
        limits.CRAWL_PAGE_SECONDS, "Seconds one page may take in all, so that a dripping server cannot hold us."
    )
    crawl_redirects: int = _setting(limits.CRAWL_REDIRECTS, "How many redirects are followed.")
    crawl_retries: int = _setting(
        limits.CRAWL_RETRIES, "How often a page is tried again after 429, a server error or a broken connection."
    )
    crawl_max_wait: float = _setting(
        limits.CRAWL_MAX_WAIT, "The longest back-off or Retry-After, in seconds, that the crawler sits out."
    )
    crawl_private: bool = _setting(False, "Let the crawler visit private, loopback and link-local addresses.")
    search_match: str = _setting(
        "any", "What a search of several words finds: policies with 'any' of them, the best first, or with 'all'."
    )
    serve_host: str = _setting(
        "127.0.0.1", "The address 'smallprint serve' listens on; the default lets only this machine in."
    )
    serve_port: int = _setting(8017, "The port 'smallprint serve' listens on; 0 takes any that is free.")
    serve_hosts: str = _setting(
        "",
        "Names, separated by commas, by which pages may be asked for besides localhost and serve_host; '*' for any. "
        "Other names are refused, so that no site can read yours by making its name point to this machine.",
    )
    serve_cors: str = _setting(
        "",
        "Sites whose scripts may read the API, as 'https://notebook.example', separated by commas; '*' for any. None "
        "may unless it is named, and none may ever read the pages.",
    )
    serve_rate: int = _setting(
        limits.SERVE_RATE,
        "Points a minute that one client may spend, and at most so many at once; 0 for no limit. A page takes one, a "
        "question 5, a pasted text 20.",
    )
    serve_seconds: float = _setting(limits.SERVE_SECONDS, "Seconds a page may take before it is given up.")
    serve_processes: int = _setting(
        limits.SERVE_PROCESSES, "Processes beside the server that read pasted and fetched pages and answer questions."
    )
    serve_waiting: int = _setting(
        limits.SERVE_WAITING, "Pages and questions that may wait for those processes; what is more is put off at once."
    )
    serve_memory: int = _setting(
        limits.SERVE_MEMORY,
        "A page or question that takes more than this many bytes of memory is given up; 0 for no limit. Linux only.",
    )
    serve_body_bytes: int = _setting(limits.SERVE_BODY_BYTES, "A form larger than this many bytes is refused.")
    serve_query_bytes: int = _setting(
        limits.SERVE_QUERY_BYTES, "A request whose path or query is longer than this is refused."
    )
    serve_fetch: bool = _setting(
        False,
        "Let whoever reaches the pages have this machine fetch a policy by its address, to read it at once or to keep "
        "it. Private, loopback and link-local addresses are refused, whatever crawl_private says.",
    )
    paste_minutes: int = _setting(
        limits.PASTE_MINUTES,
        "Minutes that a text is kept which somebody pasted to have it read, so that its page can be opened again; 0 "
        "keeps nothing.",
    )
    serve_token: str = _setting(
        "",
        "The token that keeping a policy, feedback and fetching take, at least 16 characters. Where others can reach "
        "the server and none is set, one is made and printed at the start. On loopback none is needed, unless it is "
        "set.",
        secret=True,
    )
    alexa_skill_id: str = _setting(
        "", "The skill that 'smallprint serve --alexa' answers, such as 'amzn1.ask.skill.…'; any other is refused."
    )
    alexa_seconds: float = _setting(
        limits.ALEXA_SECONDS, "Seconds after which the voice says that it is still reading; Alexa itself waits for 8."
    )
    alexa_progress: bool = _setting(
        False,
        "Let the voice say 'still looking' through Alexa's own service while it reads; it calls amazonalexa.com for "
        "that.",
    )

    @property
    def cors(self) -> tuple[str, ...]:
        """The sites that serve_cors names."""
        return tuple(origin.strip() for origin in self.serve_cors.split(",") if origin.strip())


def described() -> list[tuple[str, Any, str]]:
    """List every setting as (name, default, help), in the order in which they are declared."""
    return [(f.name, f.default, f.metadata["help"]) for f in fields(Settings)]


def public_values(settings: Settings) -> dict[str, Any]:
    """Return the values in force as they may be shown: of a secret only whether it is set."""
    return {
        f.name: "(set)" if f.metadata["secret"] and getattr(settings, f.name) else getattr(settings, f.name)
        for f in fields(Settings)
    }


def settings_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Say where the settings file is looked for."""
    return Path(environ.get(PREFIX + "SETTINGS") or _home("XDG_CONFIG_HOME", ".config", environ) / "settings.toml")


def load(environ: Mapping[str, str] = os.environ, **overrides: Any) -> Settings:
    """Read the settings; `overrides` that are not None go before everything else."""
    known = {f.name: f for f in fields(Settings)}
    values: dict[str, Any] = {}
    if environ.get(PREFIX + "SETTINGS") and not settings_file(environ).is_file():
        raise BadSetting(
            f"{PREFIX}SETTINGS names {settings_file(environ)}, which is no file; write it or unset the name"
        )
    for origin, found in (
        ("settings file", _from_file(settings_file(environ))),
        ("environment", _from_environ(environ)),
    ):
        for name, raw in found.items():
            if name not in known:
                raise BadSetting(f"{name!r} in the {origin} is no setting; 'smallprint settings' lists them")
            values[name] = _read(known[name], raw, origin)
    values.update({name: value for name, value in overrides.items() if value is not None})
    settings = Settings(**values)
    _check(settings)
    return settings


def _from_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSetting(f"{path} cannot be read ({error.strerror}); mend it or move it away") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{path} is not valid TOML ({error}); mend it or move it away") from None


def _from_environ(environ: Mapping[str, str]) -> dict[str, str]:
    reserved = {PREFIX + "SETTINGS"}
    found = {
        k.removeprefix(PREFIX).lower(): v for k, v in environ.items() if k.startswith(PREFIX) and k not in reserved
    }
    return {name: value for name, value in found.items() if value != ""}


def _read(known: Field[Any], raw: Any, origin: str) -> Any:
    kind: Callable[[Any], Any] = Path if isinstance(known.default, Path) else type(known.default)
    try:
        if kind is bool:
            return _flag(raw)
        if kind is Path:
            return Path(str(raw)).expanduser()
        if isinstance(raw, bool) or (kind is int and isinstance(raw, float)):
            raise TypeError(raw)  # int() would make 1 of true and 2 of 2.7
        return kind(raw)
    except (TypeError, ValueError, RuntimeError):  # the last from "~nobody"
        raise BadSetting(
            f"{known.name} = {raw!r} in the {origin} is not a {getattr(kind, '__name__', 'value')}"
        ) from None


def _flag(raw: Any) -> bool:
    word = str(raw).strip().lower()
    if word not in TRUE | FALSE:
        raise ValueError(raw)
    return word in TRUE


def _check(settings: Settings) -> None:
    if settings.candidates not in {"auto", "url", "any"}:
        raise BadSetting(f"candidates = {settings.candidates!r}: choose 'auto', 'url' or 'any'")
    if settings.quality not in {"fast", "full", "none"}:
        raise BadSetting(f"quality = {settings.quality!r}: choose 'fast', 'full' or 'none'")
    if settings.search_match not in {"any", "all"}:
        raise BadSetting(f"search_match = {settings.search_match!r}: choose 'any' or 'all'")
    for name in ("policy_threshold", "near_duplicate"):
        if not 0 <= getattr(settings, name) <= 1:
            raise BadSetting(f"{name} = {getattr(settings, name)}: choose a number from 0 to 1")
    for origin in settings.cors:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise BadSetting(f"serve_cors = {origin!r}: write a site as 'https://name.example:8443', without a path")
    token = settings.serve_token
    if token and not (len(token) >= SHORTEST_TOKEN and token.isascii() and token.isprintable() and " " not in token):
        raise BadSetting(f"serve_token: choose at least {SHORTEST_TOKEN} characters of plain ASCII without blanks")
    if settings.serve_port > 65_535:
        raise BadSetting(f"serve_port = {settings.serve_port}: choose a port up to 65535")
    _check_limits(settings)
    for f in fields(Settings):
        value = getattr(settings, f.name)
        if isinstance(value, int | float) and not 0 <= value < math.inf:
            raise BadSetting(f"{f.name} = {value}: choose a number that is not negative")


def _check_limits(settings: Settings) -> None:
    for limit in limits.LIMITS:
        if limit.allowed is None:
            continue
        least, most = limit.allowed
        value = getattr(settings, limit.setting)
        if not least <= value <= most:
            allowed = f"{limits.written(least)} to {limits.written(most)}"
            raise BadSetting(f"{limit.setting} = {value}: choose a number from {allowed} ({limit.unit})")

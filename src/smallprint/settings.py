"""Every setting with its default and help. The environment overrides the settings file, which overrides the default."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from smallprint import limits
from smallprint.errors import BadSetting

PREFIX = "SMALLPRINT_"
SHORTEST_TOKEN = 16
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.\-\[\]:]+")
_SHARES = frozenset(("policy_threshold", "near_duplicate"))
_FLAGS = {word: word in {"1", "true", "yes", "on"} for word in "1 true yes on 0 false no off".split()}
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", Path: "a path"}


def _home(variable: str, fallback: str, environ: Mapping[str, str] = os.environ) -> Path:
    return Path(environ.get(variable) or Path.home() / fallback) / "smallprint"


def _setting(default: Any, help_: str, *, choices: tuple[str, ...] = (), secret: bool = False) -> Any:
    return field(default=default, metadata={"help": help_, "choices": choices, "secret": secret}, repr=not secret)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force for one run."""

    # fmt: off
    library: Path = _setting(_home("XDG_DATA_HOME", ".local/share") / "library.db",  # noqa: RUF009 - a field of ours
        "The library file that commands work on. Beside it are its lock ('.lock'), its search indexes ('.index'), "
        "pasted texts ('.pastes') and, while it is open, SQLite's '-journal', '-wal' and '-shm'; nothing else is "
        "written under your home folder.")
    data_dir: Path = _setting(Path("data"),  # noqa: RUF009 - as above
        "The folder with the research data that training and evaluation read.")
    workers: int = _setting(0, "Processes that clean and annotate; 0 means one for each core.")
    candidates: str = _setting("auto",
        "Which addresses are considered: 'url' (only those that mention privacy or data protection), 'any', or 'auto' "
        "('url' for archives and lists of the whole web, 'any' for pages that you supply yourself).",
        choices=("auto", "url", "any"))
    policy_threshold: float = _setting(0.55,
        "Minimum probability of being a privacy policy for a page to be kept (0-1).")
    min_words: int = _setting(50, "Minimum number of words for a page to be kept.")
    max_page_bytes: int = _setting(limits.MAX_PAGE_BYTES, "Pages larger than this many bytes are rejected.")
    page_seconds: int = _setting(limits.PAGE_SECONDS, "Pages that take longer than this to clean are rejected.")
    rejected_bytes: int = _setting(limits.REJECTED_BYTES,
        "How many bytes of rejected pages, compressed, are kept in all, so that 'smallprint reread' can judge them "
        "again; when they are full, later rejections are recorded without their page. 0 keeps none.")
    annotate_seconds: int = _setting(limits.ANNOTATE_SECONDS,
        "Policies that take longer than this to annotate are set aside; 0 for no limit.")
    annotate_memory: int = _setting(limits.ANNOTATE_MEMORY,
        "Policies that take more than this many bytes of memory to annotate are set aside; 0 for no limit.")
    page_memory: int = _setting(limits.PAGE_MEMORY,
        "Pages that take more than this many bytes of memory to clean are rejected; 0 for no limit. Linux only.")
    near_duplicate: float = _setting(0.9,
        "Policies are folded as near-duplicates if the Jaccard similarity of their 5-word shingles is at least this "
        "(0-1).")
    quality: str = _setting("fast",
        "How new policies are annotated: 'fast' (small models, for large collections), 'full' (the encoder: closer to "
        "human judgement, about twelve times slower) or 'none'.",
        choices=("fast", "full", "none"))
    crawl_user_agent: str = _setting("Smallprint/0.1 (privacy policy research)",
        "How the crawler identifies itself; add an address where you can be reached.")
    crawl_delay: float = _setting(limits.CRAWL_DELAY,
        "Seconds between two requests to the same host; a longer Crawl-delay in robots.txt is respected.")
    crawl_hosts: int = _setting(limits.CRAWL_HOSTS, "How many hosts are visited at the same time.")
    crawl_timeout: float = _setting(limits.CRAWL_TIMEOUT,
        "Seconds to wait for a connection, and for each part of a response.")
    crawl_page_seconds: float = _setting(limits.CRAWL_PAGE_SECONDS,
        "Seconds that one page may take in all, so that a very slow server cannot hold up the crawl.")
    crawl_redirects: int = _setting(limits.CRAWL_REDIRECTS, "How many redirects are followed.")
    crawl_retries: int = _setting(limits.CRAWL_RETRIES,
        "How often a page is tried again after status 429, a server error or a broken connection.")
    crawl_max_wait: float = _setting(limits.CRAWL_MAX_WAIT,
        "The longest back-off or Retry-After, in seconds, that the crawler waits for.")
    crawl_private: bool = _setting(False, "Allow the crawler to visit private, loopback and link-local addresses.")
    search_match: str = _setting("any",
        "What a search for several words finds: policies with 'any' of them, best first, or only those with 'all'.",
        choices=("any", "all"))
    serve_host: str = _setting("127.0.0.1",
        "The address 'smallprint serve' listens on; the default admits only this machine.")
    serve_port: int = _setting(8017, "The port 'smallprint serve' listens on; 0 takes any free port.")
    serve_hosts: str = _setting("",
        "Host names that the server answers to, besides localhost and serve_host, separated by commas; '*' for any. "
        "Others are refused, so that no other site can read yours by pointing its name at this machine.")
    serve_cors: str = _setting("",
        "Sites whose scripts may read the API, such as 'https://notebook.example', separated by commas; '*' for any. "
        "By default none may; the pages can never be read by scripts of other sites.")
    serve_rate: int = _setting(limits.SERVE_RATE,
        "Points that one client may spend in a minute, all at once if it likes; 0 for no limit. A page costs 1, a "
        "question 5, a pasted text 20.")
    serve_seconds: float = _setting(limits.SERVE_SECONDS, "Seconds that a page may take before the server gives up.")
    serve_processes: int = _setting(limits.SERVE_PROCESSES,
        "Processes beside the server that read pasted and fetched pages and answer questions.")
    serve_waiting: int = _setting(limits.SERVE_WAITING,
        "How many pages and questions may wait for those processes; further ones are told to try again later.")
    serve_memory: int = _setting(limits.SERVE_MEMORY,
        "Pages and questions that take more than this many bytes of memory are given up; 0 for no limit. Linux only.")
    serve_body_bytes: int = _setting(limits.SERVE_BODY_BYTES, "Forms larger than this many bytes are refused.")
    serve_query_bytes: int = _setting(limits.SERVE_QUERY_BYTES,
        "Requests with a path or query longer than this many bytes are refused.")
    serve_fetch: bool = _setting(False,
        "Allow everybody who can open the pages to have this machine fetch a policy by its address, to read it or to "
        "keep it. Private, loopback and link-local addresses are refused even if crawl_private is set.")
    paste_minutes: int = _setting(limits.PASTE_MINUTES,
        "Minutes for which a pasted text is kept, so that its page can be opened again; 0 keeps nothing.")
    serve_token: str = _setting("",
        "The token needed to keep policies, give feedback and fetch pages, at least 16 characters. If others can "
        "reach the server and none is set, one is made and printed at the start. On loopback none is needed unless it "
        "is set.", secret=True)
    alexa_skill_id: str = _setting("",
        "The skill that 'smallprint serve --alexa' answers, such as 'amzn1.ask.skill.…'; any other is refused.")
    alexa_seconds: float = _setting(limits.ALEXA_SECONDS,
        "Seconds after which the voice says that it is still reading; Alexa itself waits for 8.")
    alexa_progress: bool = _setting(False,
        "Let the voice say 'still looking' while it reads, through Alexa's own service at amazonalexa.com.")
    # fmt: on

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
    """Return where the settings file is looked for."""
    return Path(environ.get(PREFIX + "SETTINGS") or _home("XDG_CONFIG_HOME", ".config", environ) / "settings.toml")


def load(environ: Mapping[str, str] = os.environ, **overrides: Any) -> Settings:
    """Read the settings; `overrides` that are not None take precedence over everything else."""
    known = {f.name: f for f in fields(Settings)}
    path = settings_file(environ)
    if environ.get(PREFIX + "SETTINGS") and not path.is_file():
        raise BadSetting(f"{PREFIX}SETTINGS names {path}, which is not a file; write it or unset the name")
    values: dict[str, Any] = {}
    for origin, raw_values in (("settings file", _from_file(path)), ("environment", _from_environ(environ))):
        for name, raw in raw_values.items():
            if name not in known:
                raise BadSetting(f"{name!r} in the {origin} is not a setting; 'smallprint settings' lists them")
            values[name] = _value(known[name], raw, origin)
    settings = Settings(**values | {name: value for name, value in overrides.items() if value is not None})
    _check(settings)
    return settings


def _from_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSetting(f"{path} cannot be read ({error.strerror}); correct it or move it away") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{path} is not valid TOML ({error}); correct it or move it away") from None


def _from_environ(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix(PREFIX).lower(): value
        for name, value in environ.items()
        if name.startswith(PREFIX) and name != PREFIX + "SETTINGS" and value != ""
    }


def _value(setting: Field[Any], raw: Any, origin: str) -> Any:
    kind: type[Any] = Path if isinstance(setting.default, Path) else type(setting.default)
    try:
        if kind is bool:
            return _FLAGS[str(raw).strip().lower()]
        if kind is Path:
            return Path(str(raw)).expanduser()
        if isinstance(raw, bool) or (kind is int and isinstance(raw, float)):
            raise TypeError(raw)  # int() would turn true into 1 and 2.7 into 2
        return kind(raw)
    except (KeyError, TypeError, ValueError, RuntimeError):  # the last from "~nobody"
        raise BadSetting(f"{setting.name} = {raw!r} in the {origin} is not {_KINDS[kind]}") from None


def _check(settings: Settings) -> None:
    bounds = {limit.setting: limit for limit in limits.LIMITS if limit.allowed}
    for f in fields(Settings):
        value, choices = getattr(settings, f.name), f.metadata["choices"]
        if choices and value not in choices:
            *others, last = map(repr, choices)
            raise BadSetting(f"{f.name} = {value!r}: choose {', '.join(others)} or {last}")
        if (limit := bounds.get(f.name)) and limit.allowed and not limit.allowed[0] <= value <= limit.allowed[1]:
            least, most = map(limits.written, limit.allowed)
            raise BadSetting(f"{f.name} = {value}: choose a number from {least} to {most} ({limit.unit})")
        if f.name in _SHARES and not 0 <= value <= 1:
            raise BadSetting(f"{f.name} = {value}: choose a number from 0 to 1")
        if isinstance(value, int | float) and not 0 <= value < math.inf:
            raise BadSetting(f"{f.name} = {value}: choose a number that is not negative")
    for origin in settings.cors:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise BadSetting(f"serve_cors = {origin!r}: write a site as 'https://name.example:8443', without a path")
    token = settings.serve_token
    if token and not (len(token) >= SHORTEST_TOKEN and token.isascii() and token.isprintable() and " " not in token):
        raise BadSetting(f"serve_token: choose at least {SHORTEST_TOKEN} ASCII characters without blanks")
    if settings.serve_port > 65_535:
        raise BadSetting(f"serve_port = {settings.serve_port}: choose a port up to 65535")

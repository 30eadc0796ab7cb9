"""Every limit on what a page, a source, a client or a reader may cost, checked before the work it protects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Limit:
    """A named limit: what it protects, why it has this value, and for one that is a setting the least and the most."""

    name: str
    value: float
    unit: str
    protects: str
    reason: str
    allowed: tuple[float, float] | None = None

    @property
    def setting(self) -> str:
        """The name of the setting that changes it; empty for a fixed limit."""
        return self.name.lower() if self.allowed else ""


_rows: list[tuple[Any, ...]] = []


def _limit(value: Number, unit: str, protects: str, reason: str) -> Number:
    _rows.append((value, unit, protects, reason))
    return value


def _setting(value: Number, unit: str, protects: str, allowed: tuple[float, float], reason: str) -> Number:
    _rows.append((value, unit, protects, reason, allowed))
    return value


# fmt: off

# Pages
MAX_PAGE_BYTES = _setting(10_000_000, "bytes", "cleaning", (1_000, 1_000_000_000),
    "Parsing holds a page in memory several times; the page of a policy is rarely larger than a megabyte.")
PAGE_SECONDS = _setting(60, "seconds", "cleaning", (0, 86_400), "An ordinary page takes a hundredth of a second.")
REJECTED_BYTES = _setting(500_000_000, "bytes", "the disk, from rejected pages", (0, 1_000_000_000_000),
    "A page of today's web takes 25 to 46 kB compressed, so there is room for 10,000 to 20,000 of them.")
PAGE_MEMORY = _setting(1_000_000_000, "bytes", "memory while pages are read", (0, 1_000_000_000_000),
    "A page of 10 MB rarely takes a third of it; one made to fill memory took 2.25 GB.")
MAX_DEPTH = _limit(10_000, "nested tags", "parsing",
    "Parsing time grows with the square of the depth: 0.2 s for 10,000, 20 s for 100,000.")
MAX_REOPENED = _limit(500_000, "elements", "parsing",
    "A parser reopens every unclosed `<font …>` in each paragraph: 26 kB of `<p><b id=1>` become a tree of 740 MB.")
MAX_ATTRIBUTES = _limit(1_000, "attributes on one tag", "parsing",
    "Parsing time grows with the square of their number: 123,000 took 21 s.")
MAX_LINKS = _limit(20_000, "links", "finding the link to a policy", "Further links are ignored; home pages have tens.")
LINKS_SECONDS = _limit(10.0, "seconds", "finding the link to a policy",
    "An ordinary home page takes a hundredth of a second; hostile ones must not delay the others for long.")
MAX_TITLE = _limit(200, "characters", "lists of policies", "A longer title is cut; it would fill a screen.")

# Sources
MAX_LINE_BYTES = _limit(64 << 20, "bytes", "reading lists and JSON lines",
    "A longer line is skipped and never held in memory; the largest page allowed still fits, written as JSON.")
MAX_HTTP_HEADER_BYTES = _limit(1 << 15, "bytes", "reading archives", "The most that fastwarc reads of HTTP headers.")
MAX_ZSTD_WINDOW = _limit(1 << 27, "bytes", "decompressing zstd files",
    "The window of 'zstd --long=27'; it is held in memory.")
MAX_REREAD_BYTES = _limit(256 << 20, "decompressed bytes of damaged members", "reading compressed files",
    "After damage we look for the next member; members that overlap would be read again and again.")
MAX_COMPANY_NAME = _limit(200, "characters", "the list of companies", "A longer name is cut; no company has one.")

# Crawling
MAX_ADDRESS = _limit(4_000, "characters", "fetching",
    "Longer addresses are traps; browsers and servers allow 2,000 to 8,000.")
MAX_STORED_ADDRESS = _limit(16_000, "characters", "the library and its indexes",
    "The longest file path fits even with every byte written as %XX; SQLite can look up 50,000.")
MAX_HOST_ADDRESSES = _limit(4, "addresses of one name", "fetching",
    "They are tried one after the other within crawl_timeout.")
MAX_ROBOTS_BYTES = _limit(512_000, "bytes", "reading robots.txt", "The rest is ignored; RFC 9309 asks for this much.")
MAX_ROBOTS_RULES = _limit(500_000, "rules × user agents", "reading robots.txt",
    "The parser stores each rule once per agent of its group: 512 kB can become 10^8. Real sites have about 10^4.")
MAX_ROBOTS_AGENTS = _limit(5_000, "user agents", "reading robots.txt",
    "The largest files of real sites name under 2,000.")
CRAWL_DELAY = _setting(2.0, "seconds", "the hosts that are visited", (0, 3_600),
    "No host mistakes this pace for an attack.")
CRAWL_HOSTS = _setting(16, "hosts", "connections of the crawler", (1, 1_000),
    "Each takes a connection and the memory of a page.")
CRAWL_TIMEOUT = _setting(20.0, "seconds", "the crawl", (0.1, 3_600), "A host that does not answer for longer is down.")
CRAWL_PAGE_SECONDS = _setting(60.0, "seconds", "the crawl", (0.1, 86_400),
    "Otherwise a server could send a byte every 19 seconds.")
CRAWL_REDIRECTS = _setting(8, "redirects", "the crawl", (0, 100), "Chrome and Firefox give up at 20.")
CRAWL_RETRIES = _setting(3, "tries", "the hosts that are visited", (0, 100), "What fails four times will keep failing.")
CRAWL_MAX_WAIT = _setting(300.0, "seconds", "the crawl", (0, 86_400),
    "A host that asks for more is left for another run.")

# Texts
MAX_KNOWN_WORDS = _limit(200_000, "words", "memory while cleaning",
    "Hashes are kept so that no word is hashed twice, about 20 MB; English policies use fewer words.")
MAX_KNOWN_CHUNKS = _limit(200_000, "words", "memory while measuring readability",
    "Syllables are kept so that no word is counted twice, about 20 MB.")
MAX_PASSAGE_WINDOWS = _limit(16, "windows of 256 tokens", "the encoder",
    "The rest of a longer passage is ignored; 4,000 tokens tell what it is about.")
ANNOTATE_SECONDS = _setting(600, "seconds", "annotating a library", (0, 86_400),
    "The encoder takes a minute for the longest policies we know; those that take ten are set aside.")
ANNOTATE_MEMORY = _setting(1_000_000_000, "bytes", "annotating a library", (0, 1_000_000_000_000),
    "A policy of 50,000 passages takes about 200 MB; those that take more than this are set aside.")
MAX_BLOCKS = _limit(50_000, "paragraphs, headings, items and rows of a page", "cleaning and annotating",
    "570,000 headings needed 2.25 GB to annotate. The largest of about 40,000 policies has 9,731.")
MAX_HEADINGS = _limit(20_000, "headings of a policy", "cleaning and showing policies",
    "Tables of contents list them all. The largest of about 40,000 policies has 7,564.")
MAX_SEGMENTS = _limit(50_000, "passages of a policy", "annotating, indexing and showing policies",
    "Each takes about 4 kB of memory while it is annotated. The largest of about 40,000 policies has 9,731.")
MAX_HEADING_TEXT = _limit(20_000_000, "characters, each heading counted for every passage under it", "the library",
    "Every passage is stored with its headings: a long heading over many passages would fill the disk.")
MAX_POLICY_LINKS = _limit(5_000, "links of a page", "cleaning and the library",
    "Further links are ignored. Of about 1,000 real pages one has 1,728, and half have at most 11.")
MAX_LEAD_IN = _limit(2_000, "characters", "annotating lists",
    "Every list item is read with the sentence that introduces the list.")
MAX_RUN = _limit(200, "characters without a blank", "splitting sentences",
    "Sentence ends inside a longer run are ignored: 490,000 exclamation marks took minutes.")
MAX_ALIGNED_PAIRS = _limit(20_000, "pairs of places", "comparing two versions",
    "Longer stretches are first cut at words that occur once on both sides; without such words they are not aligned.")
MAX_SENTENCE_PAIRS = _limit(1_000, "pairs of sentences", "comparing two versions",
    "If there are more, only pairs with something rare in common are compared.")

# Searching
MAX_QUERY = _limit(20_000, "characters", "search", "The rest is ignored; nobody types that much.")
MAX_QUERY_WORDS = _limit(100, "words", "search", "Each word costs time; the rest is ignored.")
MAX_RESULT_PAGES = _limit(100, "pages of results", "search",
    "To show a page, all results before it are ranked; an export has all results.")
MAX_MATCHES = _limit(300, "matches in a policy", "snippets",
    "The best snippets are among the first matches; common words match very often.")
MAX_EXPORT_ID = _limit(8_000, "characters", "exports", "An id holds a whole search; no real one is longer.")

# Questions
MAX_QUESTION = _limit(100_000, "characters", "answering", "A longer text is not a question and is refused.")
MAX_QUESTION_READ = _limit(4_000, "characters", "answering", "The rest of a question is ignored.")
MAX_QUESTION_WORDS = _limit(60, "words", "answering", "The rest is ignored; questions have about a dozen words.")
MAX_FORM_QUESTION = _limit(500, "characters", "the question field of pages",
    "The question is part of the page's address.")
MAX_TURN = _limit(4_000, "characters", "conversations", "The rest of a message is cut.")
MAX_CONVERSATION = _limit(16_000, "characters of JSON", "conversations", "A larger one was not made by Smallprint.")
MAX_LIBRARY_READ = _limit(2_000_000, "characters", "questions over many policies",
    "About 150 policies of ordinary length; more would take seconds.")

# The server
SERVE_RATE = _setting(600, "points a minute", "the server", (0, 1_000_000),
    "No reader opens ten pages a second; expensive requests cost more points.")
SERVE_SECONDS = _setting(20.0, "seconds", "the server", (0, 3_600), "Nobody waits longer for a page.")
SERVE_BODY_BYTES = _setting(2_000_000, "bytes", "memory of the server", (1_000, 100_000_000),
    "Enough for the longest pasted text, with four bytes for every character.")
SERVE_QUERY_BYTES = _setting(8_000, "bytes", "the server", (200, 1_000_000),
    "Our forms never produce longer addresses.")
MAX_CONNECTIONS = _limit(2_000, "connections", "the server",
    "Each takes a descriptor and about 20 kB. After that, the oldest without a complete request is closed.")
MAX_BACKLOG = _limit(256, "connections", "the server",
    "This many may wait, and this many are accepted at once, which takes 30 ms.")
MAX_HEAD_BYTES = _limit(65_536, "bytes", "memory of the server",
    "The head of a request; the longest address with a browser's headers takes a quarter of it.")
HEAD_SECONDS = _limit(10, "seconds", "connections of the server", "A browser sends the head of a request in one piece.")
IDLE_SECONDS = _limit(5, "seconds", "connections of the server",
    "Between two requests; opening a new connection takes a millisecond.")
BODY_SECONDS = _limit(20, "seconds", "connections of the server",
    "As long as a page may take; the largest form needs 0.8 megabits per second.")
UNREAD_SECONDS = _limit(20, "seconds", "exports, and connections of the server",
    "A client that reads nothing for this long has left or means harm.")
UNREAD_BYTES = _limit(32_768, "bytes", "exports, and connections of the server",
    "A client must read this much in UNREAD_SECONDS: a quarter of what a telephone line carries.")
MAX_EXPORTS = _limit(8, "exports at once", "the server",
    "Each has its own connection to the library, so that a slow reader does not delay pages.")
MAX_CLIENT_EXPORTS = _limit(4, "exports at once for one client", "exports", "One client leaves room for others.")
EXPORT_GRACE_SECONDS = _limit(60, "seconds", "exports", "Extra time for networks that pause.")
EXPORT_RATE = _limit(20_000, "bytes a second", "exports",
    "A client that is slower for long is disconnected, so that a few cannot block all exports for hours.")
MAX_REPEATED_QUERY = _limit(500, "characters", "exports as CSV",
    "A longer query is only in the first row: one of 7 kB made a file of 105 MB.")
PASTE_MINUTES = _setting(60, "minutes", "what people paste", (0, 10_080),
    "Long enough to read the page about a text and come back to it; 0 keeps nothing.")
MAX_PASTES = _limit(500, "texts", "the disk", "Pasted texts kept at the same time; the oldest goes first.")
MAX_PASTES_BYTES = _limit(100_000_000, "bytes", "the disk",
    "All pasted texts together; the oldest goes first. A policy has about 30 kB.")
MAX_READINGS = _limit(64, "readings", "memory of the server",
    "Results for pasted texts, about 20 kB each; others are computed again when their page is opened.")
MAX_TOKEN_TRIES = _limit(10, "wrong tokens a minute", "the server's token",
    "Nobody mistypes a token more often; at this pace a token of 16 characters is never guessed.")
SESSION_SECONDS = _limit(12 * 3_600, "seconds", "the server's token", "One sign-in lasts for a day's work.")
SERVE_PROCESSES = _setting(2, "processes", "the server", (1, 64),
    "They read pasted pages and answer questions on the cores that the server itself does not need.")
SERVE_WAITING = _setting(60, "jobs", "the server", (0, 10_000),
    "A question takes about 0.3 s, so 60 waiting ones are answered in half of serve_seconds; further ones are "
    "told to come back.")
SERVE_MEMORY = _setting(200_000_000, "bytes", "memory of the server", (0, 1_000_000_000_000),
    "The longest pasted text takes half of it; the server and its processes stay below a gigabyte.")
MAX_FETCHES = _limit(4, "pages fetched at once", "threads of the server",
    "Each takes a thread until the other site has answered.")
MAX_PASTED = _limit(500_000, "characters", "reading a pasted text",
    "Nearly all policies are ten times shorter; this takes a second or two.")
MAX_FORM_FIELDS = _limit(20, "fields", "forms", "None of our forms has that many.")
MAX_RECENT_PAGES = _limit(16, "pages", "memory of the server", "Fetched pages that may be added next.")
MAX_RECENT_BYTES = _limit(1_000_000, "bytes a page", "memory of the server",
    "A larger page is fetched again before it is added.")
MAX_FEEDBACK = _limit(100_000, "entries", "the library", "All together stay below 250 MB, usually far below.")

# Voice and tools
ALEXA_SECONDS = _setting(6.5, "seconds", "voice", (0.1, 7.5),
    "Alexa waits for 8 seconds, and the way there and back takes some of them.")
MAX_SLOT = _limit(4_000, "characters", "voice", "What people say in one breath is far shorter.")
MAX_SEEN_REQUESTS = _limit(10_000, "request ids", "memory of the voice endpoint", "About two megabytes.")
MAX_CHAIN_BYTES = _limit(100_000, "bytes", "fetching Amazon's certificates",
    "A chain has three or four certificates of about 2,000 bytes.")
MAX_TOOL_CHARACTERS = _limit(20_000, "characters", "language models", "Longer texts come in parts.")
# fmt: on

_names = [name for name in globals() if name.isupper()]  # in the order of the rows
LIMITS = tuple(Limit(name, *row) for name, row in zip(_names, _rows, strict=True))


def written(value: float) -> str:
    """Return a limit as people write it: 2,000,000 or 6.5."""
    return f"{value:,}" if value % 1 else f"{int(value):,}"

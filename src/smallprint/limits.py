"""Every limit on what a page, a source, a client or a reader may cost, with its reason; `LIMITS` lists them all.

A limit is checked before the work that it protects begins. Those with a `setting` can be changed by users.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Limit:
    """A named limit: what it protects, and why it has this value.

    `setting` names the setting that changes it, within `allowed` (least and most); both are empty for a fixed limit.
    """

    name: str
    value: float
    unit: str
    protects: str
    reason: str
    setting: str = ""
    allowed: tuple[float, float] | None = None


def written(value: float) -> str:
    """Return a limit as people write it: 2,000,000 or 6.5."""
    return f"{value:,}" if value % 1 else f"{int(value):,}"


_rows: list[Limit] = []


def _limit(name: str, value: Number, unit: str, protects: str, reason: str) -> Number:
    _rows.append(Limit(name, value, unit, protects, reason))
    return value


def _setting(name: str, value: Number, unit: str, allowed: tuple[float, float], protects: str, reason: str) -> Number:
    _rows.append(Limit(name, value, unit, protects, reason, name.lower(), allowed))
    return value


# One row a limit: its name, value, unit, the values allowed for a setting, what it protects; then the reason.
# fmt: off

# Pages
MAX_PAGE_BYTES = _setting(
    "MAX_PAGE_BYTES", 10_000_000, "bytes", (1_000, 1_000_000_000), "cleaning",
    "A page is held in memory several times over while it is parsed; a policy's page seldom has one megabyte.",
)
PAGE_SECONDS = _setting(
    "PAGE_SECONDS", 60, "seconds", (0, 86_400), "cleaning",
    "An ordinary page takes a hundredth of a second.",
)
REJECTED_BYTES = _setting(
    "REJECTED_BYTES", 500_000_000, "bytes", (0, 1_000_000_000_000), "the disk, from pages that are no policies",
    "A page of the present web takes 25 to 46 kB compressed, so that there is room for 10,000 to 20,000 of them.",
)
PAGE_MEMORY = _setting(
    "PAGE_MEMORY", 1_000_000_000, "bytes", (0, 1_000_000_000_000), "memory while pages are read",
    "A page of 10 MB seldom takes a third of it; one made for it took 2.25 GB.",
)
MAX_DEPTH = _limit(
    "MAX_DEPTH", 10_000, "nested tags", "parsing",
    "Parsing takes time quadratic in the depth: 10,000 deep 0.2 s, 100,000 deep 20 s.",
)
MAX_REOPENED = _limit(
    "MAX_REOPENED", 500_000, "elements", "parsing",
    "A parser opens every unclosed `<font …>` again in each paragraph: 26 kB of `<p><b id=1>` make a tree of 740 MB.",
)
MAX_ATTRIBUTES = _limit(
    "MAX_ATTRIBUTES", 1_000, "attributes on one tag", "parsing",
    "Parsing takes time quadratic in their number: 123,000 took 21 s.",
)
MAX_LINKS = _limit(
    "MAX_LINKS", 20_000, "links", "finding the link to a policy",
    "Those beyond are not looked at; home pages have tens.",
)
LINKS_SECONDS = _limit(
    "LINKS_SECONDS", 10.0, "seconds", "finding the link to a policy",
    "An ordinary home page takes a hundredth of a second; hostile ones may not hold up the others for long.",
)
MAX_TITLE = _limit(
    "MAX_TITLE", 200, "characters", "lists of policies",
    "A longer title is cut; it fills a screen.",
)

# Sources
MAX_LINE_BYTES = _limit(
    "MAX_LINE_BYTES", 64 << 20, "bytes", "reading lists and JSON lines",
    "A longer line is passed over and never held in memory; a page of the largest size allowed fits, written as JSON.",
)
MAX_HTTP_HEADER_BYTES = _limit(
    "MAX_HTTP_HEADER_BYTES", 1 << 15, "bytes", "reading archives",
    "What fastwarc reads of HTTP headers at most.",
)
MAX_ZSTD_WINDOW = _limit(
    "MAX_ZSTD_WINDOW", 1 << 27, "bytes", "decompressing zstd files",
    "What 'zstd --long=27' makes; it is held in memory.",
)
MAX_REREAD_BYTES = _limit(
    "MAX_REREAD_BYTES", 256 << 20, "decompressed bytes of damaged members", "reading compressed files",
    "Within a damaged member the next is looked for; members that begin within one another would be read for ever.",
)
MAX_COMPANY_NAME = _limit(
    "MAX_COMPANY_NAME", 200, "characters", "the list of companies",
    "A longer name is cut; no company has one.",
)

# Crawling
MAX_ADDRESS = _limit(
    "MAX_ADDRESS", 4_000, "characters", "fetching",
    "Longer addresses are traps; browsers and servers give up between 2,000 and 8,000.",
)
MAX_STORED_ADDRESS = _limit(
    "MAX_STORED_ADDRESS", 16_000, "characters", "the library and its indexes",
    "Holds the longest path of a file with every byte written as %XX; SQLite looks for 50,000 at most.",
)
MAX_HOST_ADDRESSES = _limit(
    "MAX_HOST_ADDRESSES", 4, "addresses of one name", "fetching",
    "They are tried in turn within one crawl_timeout.",
)
MAX_ROBOTS_BYTES = _limit(
    "MAX_ROBOTS_BYTES", 512_000, "bytes", "reading robots.txt",
    "The rest is not read; RFC 9309 asks for this much.",
)
MAX_ROBOTS_RULES = _limit(
    "MAX_ROBOTS_RULES", 500_000, "rules × user agents", "reading robots.txt",
    "The parser keeps each rule once for every agent of its group: 512 kB can make 10^8. Real sites make some 10^4.",
)
MAX_ROBOTS_AGENTS = _limit(
    "MAX_ROBOTS_AGENTS", 5_000, "user agents", "reading robots.txt",
    "The largest files of real sites name under 2,000.",
)
CRAWL_DELAY = _setting(
    "CRAWL_DELAY", 2.0, "seconds", (0, 3_600), "the hosts that are visited",
    "A pace that no host takes for an attack.",
)
CRAWL_HOSTS = _setting(
    "CRAWL_HOSTS", 16, "hosts", (1, 1_000), "connections of the crawler",
    "Each takes a connection and a page of memory.",
)
CRAWL_TIMEOUT = _setting(
    "CRAWL_TIMEOUT", 20.0, "seconds", (0.1, 3_600), "the crawl",
    "A host that is silent for longer is down.",
)
CRAWL_PAGE_SECONDS = _setting(
    "CRAWL_PAGE_SECONDS", 60.0, "seconds", (0.1, 86_400), "the crawl",
    "A server could send a byte every 19 seconds.",
)
CRAWL_REDIRECTS = _setting(
    "CRAWL_REDIRECTS", 8, "redirects", (0, 100), "the crawl",
    "Chrome and Firefox give up at 20.",
)
CRAWL_RETRIES = _setting(
    "CRAWL_RETRIES", 3, "tries", (0, 100), "the hosts that are visited",
    "What fails four times fails for long.",
)
CRAWL_MAX_WAIT = _setting(
    "CRAWL_MAX_WAIT", 300.0, "seconds", (0, 86_400), "the crawl",
    "A host that asks for more is put off to another run.",
)

# Texts
MAX_KNOWN_WORDS = _limit(
    "MAX_KNOWN_WORDS", 200_000, "words", "memory while cleaning",
    "Hashes are kept so that no word is hashed twice; some 20 MB. English policies use fewer words.",
)
MAX_KNOWN_CHUNKS = _limit(
    "MAX_KNOWN_CHUNKS", 200_000, "words", "memory while measuring readability",
    "Syllables are kept so that no word is counted twice; some 20 MB.",
)
MAX_PASSAGE_WINDOWS = _limit(
    "MAX_PASSAGE_WINDOWS", 16, "windows of 256 tokens", "the encoder",
    "A longer text is no passage; what it says within 4,000 tokens is what it says.",
)
ANNOTATE_SECONDS = _setting(
    "ANNOTATE_SECONDS", 600, "seconds", (0, 86_400), "annotating a library",
    "The encoder takes a minute for the longest policies we know; what takes ten is set aside.",
)
ANNOTATE_MEMORY = _setting(
    "ANNOTATE_MEMORY", 1_000_000_000, "bytes", (0, 1_000_000_000_000), "annotating a library",
    "A policy of 50,000 passages takes some 200 MB; what takes more than this is set aside.",
)
MAX_BLOCKS = _limit(
    "MAX_BLOCKS", 50_000, "paragraphs, headings, items and rows of a page", "cleaning and annotating",
    "570,000 headings needed 2.25 GB to annotate. The largest of some 40,000 policies has 9,731.",
)
MAX_HEADINGS = _limit(
    "MAX_HEADINGS", 20_000, "headings of a policy", "cleaning and showing policies",
    "Contents and outlines list them all. The largest of some 40,000 policies has 7,564.",
)
MAX_SEGMENTS = _limit(
    "MAX_SEGMENTS", 50_000, "passages of a policy", "annotating, indexing and showing policies",
    "Each takes some 4 kB of memory while it is annotated. The largest of some 40,000 policies has 9,731.",
)
MAX_HEADING_TEXT = _limit(
    "MAX_HEADING_TEXT", 20_000_000, "characters, each heading counted for every passage under it", "the library",
    "Every passage is stored with its headings: a long one over many would fill the disk.",
)
MAX_LEAD_IN = _limit(
    "MAX_LEAD_IN", 2_000, "characters", "annotating lists",
    "Every list item is read together with the sentence that introduces the list.",
)
MAX_RUN = _limit(
    "MAX_RUN", 200, "characters without a blank", "splitting sentences",
    "Sentence ends within a longer run are skipped: 490,000 exclamation marks took minutes.",
)
MAX_ALIGNED_PAIRS = _limit(
    "MAX_ALIGNED_PAIRS", 20_000, "pairs of places", "comparing two versions",
    "More are first cut at what stands once on either side; without such a place they are left unaligned.",
)
MAX_SENTENCE_PAIRS = _limit(
    "MAX_SENTENCE_PAIRS", 1_000, "pairs of sentences", "comparing two versions",
    "Of more, only those are compared that have something rare in common.",
)

# Searching
MAX_QUERY = _limit(
    "MAX_QUERY", 20_000, "characters", "search",
    "What is beyond is not read; nobody types as much.",
)
MAX_QUERY_WORDS = _limit(
    "MAX_QUERY_WORDS", 100, "words", "search",
    "Each word costs time; the rest is left out.",
)
MAX_RESULT_PAGES = _limit(
    "MAX_RESULT_PAGES", 100, "pages of results", "search",
    "All results before a page are ranked; an export has them all.",
)
MAX_MATCHES = _limit(
    "MAX_MATCHES", 300, "matches in a policy", "snippets",
    "The best snippets are among the first; common words match often.",
)
MAX_EXPORT_ID = _limit(
    "MAX_EXPORT_ID", 8_000, "characters", "exports",
    "An id holds a whole search; none is longer.",
)

# Questions
MAX_QUESTION = _limit(
    "MAX_QUESTION", 100_000, "characters", "answering",
    "A longer question was not meant to be one and is refused.",
)
MAX_QUESTION_READ = _limit(
    "MAX_QUESTION_READ", 4_000, "characters", "answering",
    "The rest of a question is not looked at.",
)
MAX_QUESTION_WORDS = _limit(
    "MAX_QUESTION_WORDS", 60, "words", "answering",
    "The rest is not looked at; questions have a dozen words.",
)
MAX_FORM_QUESTION = _limit(
    "MAX_FORM_QUESTION", 500, "characters", "the question field of pages",
    "A question stands in the page's address.",
)
MAX_TURN = _limit(
    "MAX_TURN", 4_000, "characters", "conversations",
    "The rest of what is said in one turn is cut.",
)
MAX_CONVERSATION = _limit(
    "MAX_CONVERSATION", 16_000, "characters of JSON", "conversations",
    "A larger one was not written by us.",
)
MAX_LIBRARY_READ = _limit(
    "MAX_LIBRARY_READ", 2_000_000, "characters", "questions over many policies",
    "Some 150 policies of ordinary length; more would take seconds.",
)

# The server
SERVE_RATE = _setting(
    "SERVE_RATE", 600, "points a minute", (0, 1_000_000), "the server",
    "Ten pages a second are more than a reader opens; dearer requests take more points (web.rates).",
)
SERVE_SECONDS = _setting(
    "SERVE_SECONDS", 20.0, "seconds", (0, 3_600), "the server",
    "Nobody waits longer for a page.",
)
SERVE_BODY_BYTES = _setting(
    "SERVE_BODY_BYTES", 2_000_000, "bytes", (1_000, 100_000_000), "memory of the server",
    "The longest text that may be pasted, with every character in four bytes.",
)
SERVE_QUERY_BYTES = _setting(
    "SERVE_QUERY_BYTES", 8_000, "bytes", (200, 1_000_000), "the server",
    "Browsers make no longer addresses of our forms.",
)
MAX_CONNECTIONS = _limit(
    "MAX_CONNECTIONS", 2_000, "connections", "the server",
    "Each takes a descriptor and some 20 kB. Beyond, the oldest that has not sent a whole request is closed.",
)
MAX_BACKLOG = _limit(
    "MAX_BACKLOG", 256, "connections", "the server",
    "So many wait to be accepted, and so many are accepted in one turn: 30 ms in which nobody is answered.",
)
MAX_HEAD_BYTES = _limit(
    "MAX_HEAD_BYTES", 65_536, "bytes", "memory of the server",
    "The head of a request: the longest address with the headers of a browser is a quarter of it.",
)
HEAD_SECONDS = _limit(
    "HEAD_SECONDS", 10, "seconds", "connections of the server",
    "A browser sends the head of a request in one piece.",
)
IDLE_SECONDS = _limit(
    "IDLE_SECONDS", 5, "seconds", "connections of the server",
    "Between two requests; opening another connection costs a millisecond.",
)
BODY_SECONDS = _limit(
    "BODY_SECONDS", 20, "seconds", "connections of the server",
    "As long as a page may take; the largest form needs 0.8 megabits a second for it.",
)
UNREAD_SECONDS = _limit(
    "UNREAD_SECONDS", 20, "seconds", "exports, and connections of the server",
    "A client that reads nothing for so long has gone away or means harm.",
)
UNREAD_BYTES = _limit(
    "UNREAD_BYTES", 32_768, "bytes", "exports, and connections of the server",
    "What a client must read in UNREAD_SECONDS: a quarter of what a telephone line carries.",
)
MAX_EXPORTS = _limit(
    "MAX_EXPORTS", 8, "exports at once", "the server",
    "Each has a connection to the library of its own, so that whoever reads slowly keeps no page waiting.",
)
MAX_CLIENT_EXPORTS = _limit(
    "MAX_CLIENT_EXPORTS", 4, "exports at once for one client", "exports",
    "One client leaves room for others.",
)
EXPORT_GRACE_SECONDS = _limit(
    "EXPORT_GRACE_SECONDS", 60, "seconds", "exports",
    "Added to the time that an export may take, for networks that pause.",
)
EXPORT_RATE = _limit(
    "EXPORT_RATE", 20_000, "bytes a second", "exports",
    "A client that reads more slowly for long is cut off, so that a few cannot hold every place for hours.",
)
MAX_REPEATED_QUERY = _limit(
    "MAX_REPEATED_QUERY", 500, "characters", "exports as CSV",
    "A longer query stands in the first row only: one of 7 kB made a file of 105 MB.",
)
PASTE_MINUTES = _setting(
    "PASTE_MINUTES", 60, "minutes", (0, 10_080), "what people paste",
    "Long enough to read what a page says of a text and to come back to it; 0 keeps nothing.",
)
MAX_PASTES = _limit(
    "MAX_PASTES", 500, "texts", "the disk",
    "Pasted texts that are kept at once; beyond, the oldest goes.",
)
MAX_PASTES_BYTES = _limit(
    "MAX_PASTES_BYTES", 100_000_000, "bytes", "the disk",
    "Pasted texts all together; beyond, the oldest goes. A policy has some 30 kB.",
)
MAX_READINGS = _limit(
    "MAX_READINGS", 64, "readings", "memory of the server",
    "Of pasted texts, some 20 kB each; any other is read again when its page is opened.",
)
MAX_TOKEN_TRIES = _limit(
    "MAX_TOKEN_TRIES", 10, "wrong tokens a minute", "the server's token",
    "Nobody mistypes a token as often; a token of 16 characters is never guessed at this pace.",
)
SESSION_SECONDS = _limit(
    "SESSION_SECONDS", 12 * 3_600, "seconds", "the server's token",
    "A day's work with one sign-in.",
)
SERVE_PROCESSES = _setting(
    "SERVE_PROCESSES", 2, "processes", (1, 64), "the server",
    "They read pasted pages and answer questions, on whatever the server's own work leaves of the cores.",
)
SERVE_WAITING = _setting(
    "SERVE_WAITING", 60, "jobs", (0, 10_000), "the server",
    "A question takes a process some 0.3 s, so 60 in line are answered in half the time of a page; more are told to "
    "come back.",
)
SERVE_MEMORY = _setting(
    "SERVE_MEMORY", 200_000_000, "bytes", (0, 1_000_000_000_000), "memory of the server",
    "The longest text that may be pasted takes half of it; so server and processes stay below a gigabyte.",
)
MAX_FETCHES = _limit(
    "MAX_FETCHES", 4, "pages fetched at once", "threads of the server",
    "Each holds a thread for as long as the other site takes.",
)
MAX_PASTED = _limit(
    "MAX_PASTED", 500_000, "characters", "reading a pasted text",
    "Nearly all policies are a tenth as long; this takes a second or two.",
)
MAX_FORM_FIELDS = _limit(
    "MAX_FORM_FIELDS", 20, "fields", "forms",
    "No form of ours has as many.",
)
MAX_RECENT_PAGES = _limit(
    "MAX_RECENT_PAGES", 16, "pages", "memory of the server",
    "Pages that were fetched and may be kept next.",
)
MAX_RECENT_BYTES = _limit(
    "MAX_RECENT_BYTES", 1_000_000, "bytes a page", "memory of the server",
    "A larger page is fetched again to be kept.",
)
MAX_FEEDBACK = _limit(
    "MAX_FEEDBACK", 100_000, "entries", "the library",
    "All together stay below 250 MB, and mostly a hundredth of it.",
)

# Voice and tools
ALEXA_SECONDS = _setting(
    "ALEXA_SECONDS", 6.5, "seconds", (0.1, 7.5), "voice",
    "Alexa waits for 8 and the way there and back takes some.",
)
MAX_SLOT = _limit(
    "MAX_SLOT", 4_000, "characters", "voice",
    "What somebody says in one breath is far shorter.",
)
MAX_SEEN_REQUESTS = _limit(
    "MAX_SEEN_REQUESTS", 10_000, "request ids", "memory of the voice endpoint",
    "About two megabytes.",
)
MAX_CHAIN_BYTES = _limit(
    "MAX_CHAIN_BYTES", 100_000, "bytes", "fetching Amazon's certificates",
    "A chain has three or four certificates of some 2,000 bytes.",
)
MAX_TOOL_CHARACTERS = _limit(
    "MAX_TOOL_CHARACTERS", 20_000, "characters", "a model that reads by tools",
    "What is longer comes in parts.",
)
# fmt: on

LIMITS: tuple[Limit, ...] = tuple(_rows)

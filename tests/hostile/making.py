"""Policies made to do harm, brought in as any other: each word that a page can choose carries an attack."""

from __future__ import annotations

import csv
import json
from html import escape
from pathlib import Path

from smallprint.index.opening import WHICH, open_engine
from smallprint.library import Library
from smallprint.library.directory import replace_companies
from smallprint.library.likeness import settle
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.pipeline.ingest import ingest
from smallprint.pipeline.refresh import annotate_library
from smallprint.settings import Settings
from smallprint.sources.catalogue import open_source
from smallprint.sources.companies import Companies

# What each does is say so: `window.hit`, a dialog, a request to evil.example, or 49 where 7 * 7 was computed.
ATTACKS = (
    "<script>window.hit=1;alert(1)</script>",
    '"><img src=x onerror="window.hit=1" onload=\'alert(1)\'>',
    "'><img src=//evil.example/x.png onerror=window.hit=1>",
    '<a href="javascript:window.hit=1">us</a> javascript:alert(1) data:text/html,<script>alert(1)</script>',
    "</mark></ins></del></blockquote><svg onload=window.hit=1><title>x</title>",
    "</title></textarea></style></script><script src=//evil.example/x.js></script>",
    "<style>*{background:url(//evil.example/x.css)}</style><link rel=stylesheet href=//evil.example/y.css>",
    '" autofocus onfocus="window.hit=1" style="position:fixed;inset:0" x="',
    "<iframe srcdoc='<script>parent.hit=1</script>'></iframe><object data=//evil.example></object>",
    "<base href=//evil.example><meta http-equiv=refresh content=0;//evil.example>",
    "<form action=//evil.example><button formaction=//evil.example>go</button></form>",
    '<div hx-get="//evil.example" hx-trigger="load" hx-on::load="window.hit=1" hx-vals="js:{a:window.hit=1}">',
    "{{ 7 * 7 }} {% raw %} ${7*7} #{7*7} <%= 7*7 %> %(shown)s {0} &lt;b&gt; &#60;b&#62; %3Cscript%3E",
    "-->]]><!--<![CDATA[<!DOCTYPE x><?php ?>",
)
# What no page can show and programs obey: a terminal its escapes, a browser the marks that turn writing around.
COMMANDS = (
    "\x1b[31m", "\x1b]0;owned\x07", "\x1b[2J\x1b[H", "\x1b]8;;https://evil.example\x1b\\", "\x9b31m",
    "\x00", "\x08", "\x7f", "\u202e", "\u2066", "\r", "\u2028",
)  # fmt: skip
FORMULA = '=HYPERLINK("http://evil.example","click"),+cmd|\' /C calc\'!A0;@SUM(1)\n-2+3'
NAME = "zzyzx"
TITLE = f"{FORMULA} {NAME} Privacy Policy {' '.join(ATTACKS[:3])}"
EVIL, TWIN, BARE = "evil.example", "twin-evil.example", "bare-evil.example"
URLS = {
    EVIL: "https://evil.example/privacy/<script>alert(1)</script>/\"onclick='x'/\x1b[31m\u202e"
    '?q="><img src=x onerror=alert(1)>&r={{7*7}}',
    TWIN: "https://twin-evil.example/privacy'-alert(1)-'?=cmd|'!A0",
    BARE: "https://bare-evil.example/privacy?</script><script>alert(1)</script>",
}
# An address that the web does not have, and one whose page is turned away.
LOCAL = "file:///privacy/=cmd|'<script>alert(1)</script>\x1b[31m\u202e\u2028\x85.html"
REFUSED = "https://refused.example/privacy/\x1b]0;owned\x07<script>\u202e"
PROSE = (
    "We collect your name, email address and payment information when you register an account with us.",
    "We may share some personal information with advertisers and other third parties as we generally see fit.",
    "We use cookies, web beacons and local storage to remember you, as the GDPR and the CCPA allow.",
    "You can ask us to delete your data, or opt out of marketing emails, at any time.",
    "We keep your information for as long as it may be necessary and protect it with encryption.",
    "This privacy policy does not apply to children under thirteen years of age.",
    "We do not respond to Do Not Track signals, and we may change this privacy policy from time to time.",
)


def page(extra: str = "") -> str:
    """Write the page: attacks as words that a reader would see, and among them as markup of the page's own."""
    shown = [_entities(" ".join((one, *COMMANDS))) for one in ATTACKS]
    parts = [f"<h1 onclick='alert(1)'>{shown[0]} Privacy Policy</h1>"]
    for number, attack in enumerate(shown):
        one, two, three = (PROSE[(number + step) % len(PROSE)] for step in range(3))
        raw = ATTACKS[number] if number < len(ATTACKS) - 1 else ""  # the last would make a comment of all that follows
        parts.append(f"<h2 id='\"><script>'>{one[:20]} {attack}</h2>")
        parts.append(f"<p onclick='window.hit=1' style='color:red'>{one} {two} {attack} {three}</p>")
        parts.append(f"{raw}<p>{two} {one} {extra}</p>")
        parts.append(f"<p>We may share, {attack}:</p><ul><li>{attack} {two}</li><li>{three} {attack}</li></ul>")
        parts.append(f"<table><tr><td>{attack}</td><td>{one}</td></tr></table><p>{three} {two}</p>")
    return (
        f"<html><head><title>{_entities(TITLE)}</title><script>window.hit=1</script></head>"
        f"<body onload='window.hit=1'>{''.join(parts)}</body></html>"
    )


def text() -> str:
    """Write the same for whoever keeps pages without their tags."""
    lines = [f"# {TITLE.splitlines()[0]}"]
    for number, words in enumerate((*PROSE, *PROSE)):
        attack = f"{ATTACKS[number % len(ATTACKS)]} {' '.join(COMMANDS[:5])} {number}"
        lines += [f"## {attack}", f"{words} {attack}", f"* {words} {attack}"]
    return "\n\n".join(lines)


def hostile_library(folder: Path) -> Path:
    """Make a library of them in an empty folder: two versions of one, a near-duplicate, one of bare text, a file."""
    changed = f"{_entities(' '.join(ATTACKS))} We now sell your data."
    told = {"title": f"{FORMULA}{''.join(COMMANDS)} {NAME}", "fetched_at": "2024-03-01"}
    rows = [
        {"url": URLS[EVIL], "html": page(), "fetched_at": "2022-01-01"},
        {"url": URLS[EVIL], "html": page(changed), "fetched_at": "2023-01-01"},
        {"url": URLS[TWIN], "html": page(), **told},
        {"url": URLS[BARE], "text": text(), **told},
        {"url": LOCAL, "html": page("In the same way we treat what we know of your household."), **told},
        {"url": REFUSED, "html": "<p>Too short.</p>"},
    ]  # fmt: skip
    source = folder / "pages.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with (folder / "companies.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("name", "domain", "industry", "year founded", "size range", "country"))
        for number, domain in enumerate((EVIL, TWIN, BARE)):
            said = f"{ATTACKS[number]} {''.join(COMMANDS[:1])}{NAME}"
            table.writerow((said, domain, said, "1999", said, said))
    settings = Settings(workers=1)
    with Library(folder / "hostile.db", create=True) as library:
        replace_companies(library, Companies(folder / "companies.csv"))
        ingest(library, [open_source(str(source), settings)], settings)
        settle(library, settings.near_duplicate)
        annotate_library(library, settings, "fast")
        for which in WHICH:
            bring_up_to_date(library, open_engine(Settings(library=library.path), which, create=True), which)
    return folder / "hostile.db"


def _entities(text: str) -> str:
    """Write characters by number where a page could not hold them as they are."""
    return "".join(one if one.isprintable() else f"&#{ord(one)};" for one in escape(text))

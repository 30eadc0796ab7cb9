"""Pages and texts made to be slow to read, each of about `size` characters."""

from __future__ import annotations

from collections.abc import Callable

SENTENCE = "We collect your personal data, and may share it with our partners. "
PROSE = f"<p>{SENTENCE * 20}</p>"


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """Return a maker of texts that repeat a unit."""
    return lambda size: before + unit * max(1, size // len(unit)) + after


def numbered(template: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """Return a maker of texts whose units are all different."""
    return lambda size: (
        before + "".join(template.format(number) for number in range(max(1, size // (len(template) + 3)))) + after
    )


PAGES: dict[str, Callable[[int], str]] = {
    "attributes on one tag": numbered(" a{}=1", "<div", f">{PROSE}</div>"),
    "one attribute, named again and again": repeated(" a=1", "<div", f">{PROSE}</div>"),
    "attributes on many tags": lambda size: (
        PROSE + f"<i{''.join(f' a{n}=1' for n in range(400))}>x</i>" * (size // 3000)
    ),
    "unclosed tags": repeated("<div>x", PROSE),
    "unclosed bold": repeated("<p><b>x", PROSE),
    "unclosed bold with attributes": repeated("<b class=a>x<p>", PROSE),
    "unclosed links": numbered("<a href=/{}>x", PROSE),
    "closing tags alone": repeated("</div></p></b>", PROSE),
    "misnested tags": repeated("<b><i>x</b></i>", PROSE),
    "misnested blocks": repeated("<b><div>x</b></div>", PROSE),
    "headings": numbered("<h2>About {}</h2>", PROSE),
    "headings of growing level": lambda size: (
        PROSE + "".join(f"<h{n % 6 + 1}>H {n}</h{n % 6 + 1}>" for n in range(size // 16))
    ),
    "list items": numbered("<li>your name {}</li>", f"{PROSE}<p>We collect:</p><ul>", "</ul>"),
    "nested lists": lambda size: PROSE + "<ul><li>a" * min(size // 18, 4000) + "<p>b</p>" * (size // 20),
    "rows of a table": numbered("<tr><td>name {}</td><td>yes</td></tr>", f"{PROSE}<table>", "</table>"),
    "cells of one row": numbered("<td>{}</td>", f"{PROSE}<table><tr>", "</tr></table>"),
    "links nested in cells": lambda size: (
        PROSE + "<table><tr><td><a href=/privacy>" * min(size // 60, 2000) + "y" * size
    ),
    "long cells before nested tables": repeated(f"<table><tr><td>{SENTENCE}</td><td>", PROSE),
    "nested tables": lambda size: PROSE + "<table><tr><td>x</td><td>" * min(size // 30, 500) + "y" * (size // 2),
    "tables in rows": repeated("<table><tr><td>a</td><td><table><tr><td>b</td><td>c", PROSE),
    "text between rows": repeated("<table>a<tr>b", PROSE),
    "many lead-ins": numbered("<p>We use {}:</p><ul><li>it</li></ul>", PROSE),
    "quotes": repeated("<blockquote>x", PROSE),
    "entities": repeated("&amp;&lt;&nbsp;", f"{PROSE}<p>", "</p>"),
    "unknown entities": repeated("&ampamp;&notit;&#x;", f"{PROSE}<p>", "</p>"),
    "comments": repeated("<!-- x -->", PROSE),
    "unclosed comments": repeated("<!--", PROSE),
    "dashes of comments": repeated("<!-- ->", PROSE),
    "CDATA": repeated("<![CDATA[x]]>", PROSE),
    "unclosed scripts": repeated("<script>x</scrip>", PROSE),
    "unclosed attribute values": repeated('<a href="x>y', PROSE),
    "less-than signs": repeated("<", PROSE),
    "open tags": repeated("<a ", PROSE),
    "closing slashes": repeated("</a b", PROSE),
    "line breaks": repeated("x<br>", PROSE),
    "line breaks in a row": repeated("x<br>", f"{PROSE}<table><tr><td>a</td><td>", "</td></tr></table>"),
    "blank line breaks": repeated("<br> <span> </span>", PROSE),
    "one word": repeated("a", f"{PROSE}<p>", "</p>"),
    "one line": repeated(SENTENCE, "<p>", "</p>"),
    "paragraphs": repeated(f"<p>{SENTENCE}</p>"),
    "identical blocks": repeated("<p>x</p>", PROSE),
    "select options": numbered("<option>{}", f"{PROSE}<select>"),
    "templates": repeated("<template><p>x", PROSE),
    "forms": repeated("<form><p>x</form>", PROSE),
    "buttons in a heading": repeated("<button>x</button>", f"{PROSE}<h2>", "</h2>"),
    "containers": repeated("<div class=menu><a href=/x>y</a></div>", PROSE),
    "svg": repeated("<svg><title>x</title><g>", PROSE),
    "math": repeated("<math><mi>x<annotation-xml>", PROSE),
}
_RUNS = (
    """! ? . !? .) ]. ." … a. A.␣ 1. a é ( " ' - -- * : ; , @ – 。 a␤ ␣ ␤ ␉ !␣ .␣.␣ e.g.␣ Inc.␣ mr.␣ www.a.b/""".split()
)
_BLANKS = str.maketrans({"␣": " ", "␤": "\n", "␉": "\t"})
TEXTS: dict[str, Callable[[int], str]] = {
    **{f"run of {unit}": repeated(unit.translate(_BLANKS), SENTENCE, f" {SENTENCE}") for unit in _RUNS},
    "sentences": repeated(SENTENCE),
    "questions": repeated("Who are we? What do we do? "),
    "lines": repeated(f"{SENTENCE}\n"),
    "capital lines": repeated("YOUR RIGHTS\n"),
    "numbered lines": numbered("{}. We collect your name.\n"),
    "bullets": repeated("• your name\n", "We collect:\n"),
    "words without a stop": repeated("we may collect some data "),
    "words joined by dots": numbered("word{}."),
    "vague words": repeated("may generally as necessary including but not limited to "),
    "names": repeated("Google Analytics cookies GDPR TRUSTe CCPA "),
    "dates": repeated("Last updated: 1 January 2020. "),
    "addresses": numbered("https://a.example/privacy/{} "),
    "different words": numbered("w{} "),
}

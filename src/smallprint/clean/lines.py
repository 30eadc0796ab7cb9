"""Text that arrives without its tags, read line by line into blocks; furniture is told by the lines alone."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby, islice, takewhile

from smallprint.clean.furniture import COPYRIGHT
from smallprint.clean.link_places import located, visible, without_markdown
from smallprint.clean.tables import HEADS, UNDER_HEADS, Table
from smallprint.controls import tidy
from smallprint.records import Block, Link

# "…Collection And UseWe collect…": two lines run together where a tag stood between them.
GLUED = re.compile(r"(?<=[a-z0-9\)])(?=[A-Z])|(?<=[.!?:;])(?=[A-Z][a-z])")
BRANDS = re.compile(
    r"(?:You|Pay|Linked|Java|Word|Tik|What|Mail|Hub|Git|Master|Face|Double|Drop|Sound|Hot|Ad|Web|Fit|Open|Quick|Snap|Twitch)$"
)
TITLE_WORDS = frozenset(("Privacy", "Policy", "Notice", "Statement", "Terms", "Cookies", "Information", "Use", "Us"))
# What is left of curly quotes and hard blanks where a page was read in the wrong charset.
LOST_APOSTROPHE = re.compile("(?<=\\w)\ufffd(?=(?:s|t|re|ve|ll|d|m)\\b)")
LOST_QUOTES = re.compile("(?<!\\w)\ufffd([^\ufffd\\s](?:[^\ufffd\n]{0,60}[^\ufffd\\s])?)\ufffd(?!\\w)")
ALONE = re.compile(r"\b(?:[A-Z]?[a-z]+|[A-Z]+)\b")
WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# A blank line, then "Title" over "=====" or "-----".
UNDERLINED = re.compile(
    r"(\A|^[ \t]*\n)[ \t]{0,3}([^\s#|>][^\n]{0,150}\S)[ \t]*\n[ \t]{0,3}(={3,}|-{3,})[ \t]*$", re.MULTILINE
)
# A table: rows between bars, and a line of dashes below the heads, which may all be empty.
TABLE = re.compile(
    r"^[ \t]{0,3}(\|[^\n]*\|)[ \t]*\n[ \t]{0,3}\|(?:[ \t]*:?-{2,}:?[ \t]*\|)+[ \t]*$"
    r"((?:\n[ \t]{0,3}\|[^\n]*\|[ \t]*$)*)",
    re.MULTILINE,
)
BREAK = re.compile(r"(?:<br ?/?>)+")
# How the line of a row begins once its table was read, and the level of the row; no text has these characters.
ROW_MARKS = {0: "\ue000", HEADS: "\ue001", UNDER_HEADS: "\ue002"}
ROW_LEVELS = {mark: level for level, mark in ROW_MARKS.items()}
BOLD = re.compile(r"\*\*(?=\S)([^*\n]+)(?<=\S)\*\*")
MARKDOWN_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*(?<!#)#*+$")
BULLET = re.compile(r"(?:[•●▪◦‣·*–-]|\(?[a-z0-9]{1,3}[.)])\s+(?=\S)")
END = re.compile(r"[.!?;:,][\"'”’)\]]*$")
MENU = re.compile(
    r"^(?:skip to .*|home|menu|search.*|log ?in|sign ?(?:in|up|out)|register|my account|(?:view )?(?:my )?cart.*"
    r"|check ?out|contact(?: us)?|about(?: us)?|news(?:letter)?|blog|careers?|faqs?|help|site ?map|share"
    r"|print(?: this page)?|e?-?mail|tweet|facebook|twitter|linkedin|instagram|pinterest|youtube|google\+?|rss"
    r"|back to top|top|close|toggle .*|previous|next|more|read more|shop|donate|subscribe|terms(?: (?:of|and|&) .*)?"
    r"|powered by .*|recent (?:posts|comments)|archives?|categories|tags?|follow us.*)$",
    re.IGNORECASE,
)
PROSE_WORDS = 9
WRAPPED_WORDS = 5
TITLE = re.compile(r"\b(?:privacy|data protection|confidentiality)\b", re.IGNORECASE)
# What a line adds to or takes from the stretch it stands in: prose counts its words, a menu's line costs a few.
LONGEST_CREDIT = 40
COSTS = {"menu": -6.0, "label": -1.6, "open": 1.0}
# A run of this many labels inside the text is a list of links, not headings.
RUN = 7
HEADING_WORDS = 12


def read_lines(text: str) -> list[Block]:
    """Read tag-stripped or markdown text into blocks, each marked as furniture or not."""
    text = BOLD.sub(r"\1", TABLE.sub(_tabled, UNDERLINED.sub(_marked, text)))
    text, links = without_markdown(text) if "](" in text else (text, [])
    if "\ufffd" in text:
        text = LOST_QUOTES.sub(r"“\1”", LOST_APOSTROPHE.sub("’", text)).replace("\ufffd", " ")
        links = []  # their places were counted in what is mended here
    lines, indents = _split(text)
    counts = Counter(lines)
    kinds = ["menu" if (kind := _kind(line)) == "label" and counts[line] > 2 else kind for line in lines]
    start, end = _best_stretch(lines, kinds)
    start = _with_title(lines, kinds, start)
    listed = _runs(kinds, start, end)
    blocks = []
    for index, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        is_outside = not start <= index < end or index in listed
        blocks.append(_block(line, kind, is_outside or (kind == "menu" and not TITLE.search(line))))
    blocks = _nested(blocks, indents)
    return _with_links(blocks, lines, links) if links else blocks


def _marked(underlined: re.Match[str]) -> str:
    """Write an underlined heading as one that is marked at its beginning; a sentence or an item over a rule is none."""
    before, title, rule = underlined.groups()
    is_title = WORDS.search(title) and not END.search(title) and not BULLET.match(title)
    if not is_title or len(title.split()) > HEADING_WORDS:
        return underlined[0]
    return f"{before}{'#' if rule[0] == '=' else '##'} {title}"


def _tabled(table: re.Match[str]) -> str:
    """Write a table's lines as rows that are marked at their beginnings, without the line of dashes."""
    heads, *rows = (BREAK.sub(" ", line).strip("| \t") for line in (table[1], *table[2].split("\n")[1:]))
    read = Table()
    levels = [(row, read.level(BOLD.sub(r"\1", row), is_marked=row is heads)) for row in (heads, *rows) if row]
    return "\n".join(ROW_MARKS[level] + row for row, level in levels)


def _nested(blocks: list[Block], indents: list[int]) -> list[Block]:
    """Return the blocks, items with the depth that their indents tell."""
    nested = []
    above: list[int] = []  # the indents of the items around this one, and its own
    for block, indent in zip(blocks, indents, strict=True):
        while above and (block.kind != "item" or above[-1] > indent):
            above.pop()
        if block.kind == "item" and (not above or above[-1] < indent):
            above.append(indent)
        nested.append(block._replace(level=len(above)) if block.kind == "item" else block)
    return nested


def _with_links(blocks: list[Block], lines: list[str], links: list[Link]) -> list[Block]:
    """Return each block its links, which are told by the numbers of their visible characters in all lines."""
    linked = list(blocks)
    first = begun = 0  # the line's first visible character, and the first link that may reach into the line
    for number, (block, line) in enumerate(zip(blocks, lines, strict=True)):
        last = first + visible(line)
        while begun < len(links) and links[begun].end <= first:
            begun += 1
        reaching = list(takewhile(lambda link: link.start < last, islice(links, begun, None)))  # noqa: B023
        if reaching and block.text:
            skipped = visible(line[: line.rindex(block.text)])  # a bullet, or the marks of a heading
            linked[number] = block._replace(links=located(reaching, block.text, first + skipped))
        first = last
    return linked


def _split(text: str) -> tuple[list[str], list[int]]:
    """Return the lines of a text, each whole, and by how many blanks they are indented."""
    vocabulary = set(ALONE.findall(text))
    lines: list[list[str]] = []  # each as the parts it was wrapped into, so that a long one is not copied at every wrap
    indents: list[int] = []
    for raw in text.split("\n"):
        line = tidy(raw)
        if not line:
            continue
        pieces = _unglue(line, vocabulary) if GLUED.search(line) and line[0] not in ROW_LEVELS else [line]
        if lines and _runs_on(lines[-1], line):
            lines[-1].append(pieces.pop(0))
        lines.extend([piece] for piece in pieces)
        indents += [len(raw) - len(raw.lstrip())] * len(pieces)
    return [" ".join(parts) for parts in lines], indents


def _runs_on(parts: list[str], following: str) -> bool:
    """Return whether a line was wrapped in the middle of its sentence."""
    if not following[0].islower() or END.search(parts[-1]) or parts[0][0] in ROW_LEVELS:
        return False
    return len(parts) > WRAPPED_WORDS or sum(part.count(" ") + 1 for part in parts) > WRAPPED_WORDS


def _unglue(line: str, vocabulary: set[str]) -> list[str]:
    """Cut a line where two words run together that both stand alone elsewhere in the text."""
    pieces: list[str] = []
    begun = 0
    for seam in GLUED.finditer(line):
        at = seam.start()
        left, right = _word_before(line, at), _word_after(line, at)
        stands_alone = right and (right in vocabulary or right.lower() in vocabulary)
        if stands_alone and (not left or left in vocabulary or left in TITLE_WORDS) and not BRANDS.search(left):
            pieces.append(line[begun:at].strip())
            begun = at
    pieces.append(line[begun:].strip())
    return [piece for piece in pieces if piece]


def _word_before(line: str, at: int) -> str:
    start = at
    while start > 0 and line[start - 1].isalpha():
        start -= 1
        if line[start].isupper() and start > 0 and not line[start - 1].isupper():
            break
    return line[start:at]


def _word_after(line: str, at: int) -> str:
    end = at + 1
    while end < len(line) and line[end].islower():
        end += 1
    return line[at:end]


def _kind(line: str) -> str:
    if MARKDOWN_HEADING.match(line):
        return "open"
    if line[0] in ROW_LEVELS:
        return "prose"
    words = line.count(" ") + 1
    if words <= 20 and COPYRIGHT.search(line):
        return "menu"
    if words >= PROSE_WORDS and (END.search(line) or words >= 2 * PROSE_WORDS):
        return "menu" if _is_string_of_labels(line) else "prose"
    if words <= 5 and MENU.match(line.strip(" |»>•·")):
        return "menu"
    return "open" if END.search(line) or BULLET.match(line) or words >= PROSE_WORDS else "label"


def _is_string_of_labels(line: str) -> bool:
    """Return whether this is a menu set in one line: nearly every word capitalised, or bars and arrows between them."""
    words = WORDS.findall(line)
    capitals = sum(word[0].isupper() for word in words)
    return bool(words) and not END.search(line) and (capitals > 0.7 * len(words) or line.count("|") > len(words) / 6)


def _best_stretch(lines: list[str], kinds: list[str]) -> tuple[int, int]:
    """Return the stretch of lines whose worths add up to most (https://doi.org/10.1145/1526709.1526840)."""
    best, best_start, best_end = 0.0, 0, 0
    total, begun = 0.0, 0
    for index, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        if total <= 0:
            total, begun = 0.0, index
        total += min(line.count(" ") + 1, LONGEST_CREDIT) if kind == "prose" else COSTS[kind]
        if total > best:
            best, best_start, best_end = total, begun, index + 1
    return best_start, best_end


def _with_title(lines: list[str], kinds: list[str], start: int) -> int:
    """Take in the title right above the first sentence, and what stands between."""
    for index in range(start - 1, max(-1, start - 5), -1):
        if TITLE.search(lines[index]) and kinds[index] != "menu" and len(lines[index].split()) <= HEADING_WORDS:
            return index
    return start


def _runs(kinds: list[str], start: int, end: int) -> set[int]:
    """Return the lines that stand in long runs of labels, without the last of each, which may head what follows."""
    runs = [list(run) for short, run in groupby(range(start, end), lambda i: kinds[i] in {"label", "menu"}) if short]
    return {index for run in runs if len(run) >= RUN for index in run[:-1]}


def _block(line: str, kind: str, furniture: bool) -> Block:
    if line[0] in ROW_LEVELS:
        return Block("row", line[1:], ROW_LEVELS[line[0]], furniture)
    if heading := MARKDOWN_HEADING.match(line):
        return Block("heading", heading[2].strip("*_ "), len(heading[1]), furniture)
    if (bullet := BULLET.match(line)) and len(line.split()) > 1:
        return Block("item", line[bullet.end() :] if line[0] in "•●▪◦‣·*–-" else line, 1, furniture)
    if kind in {"label", "menu"} and len(line.split()) <= HEADING_WORDS:
        return Block("heading", line, 3, furniture)
    return Block("paragraph", line, 0, furniture)

"""Compose policies from the clauses in this folder: a company's stances go in, a document and what it says come out.

Every choice is drawn from a hash of the company's address and the thing chosen, so that the result is the same on every
machine, and a change to one clause leaves the other choices, and a policy's other versions, as they were.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import count, pairwise
from typing import Any, Literal
from urllib.parse import urlsplit

from smallprint.sample.markup import HOUSES, Document, House, Section, page, plain_text

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip
STREETS = ("Quay Street", "Mill Lane", "Abbey Walk", "Kiln Road", "Chandlers' Row", "Viaduct Street", "Staithe Road")
TOWNS = ("Port Aldous", "Wickminster", "Northmere", "Upper Tarrow", "Carrow City", "Ashby Mills", "Lowmoor")
# A brief policy keeps this share of the topics that are left to chance; measured to give 150 to 350 words.
BRIEF = 0.2


@dataclass(frozen=True, slots=True)
class SamplePolicy:
    """One version of a policy: its page, and the marks ("+share-law") of what it says and where it says so."""

    entry: Mapping[str, Any]
    captured_on: str
    sector: str
    content: bytes
    says: Sequence[tuple[str, str]]
    origin: Literal["written", "composed"] = "composed"


@dataclass(slots=True)
class _Voice:
    """Everything that is settled about a company before its sentences are chosen, and what they then say."""

    host: str
    style: str
    kind: Mapping[str, Any]
    clauses: Mapping[str, Any]
    house: House
    words: dict[str, str] = field(default_factory=dict)
    says: list[tuple[str, str]] = field(default_factory=list)

    def draw(self, *key: str) -> float:
        digest = hashlib.sha256("/".join((self.host, *key)).encode()).digest()
        return int.from_bytes(digest[:6], "big") / 2**48

    def pick(self, options: Sequence[str], *key: str) -> str:
        return options[int(self.draw(*key) * len(options))]

    def fill(self, wording: str) -> str:
        return wording.format_map(self.words)

    def say(self, mark: str, wording: str) -> str:
        """Fill a wording in and remember what it says."""
        text = self.fill(wording)
        if mark:
            self.says.append((mark, plain_text(text)))
        return text

    def sentence(self, mark: str, style: str) -> str:
        wordings = self.clauses["topics"][mark[1:]][style if mark[0] == "+" else f"not_{style}"]
        return self.say(mark, self.pick(wordings, "wording", mark))


def composed() -> Iterator[SamplePolicy]:
    """Compose every version of every company, in the order of the list."""
    for entry in _data("composed.json"):
        explicit: dict[str, list[str]] = {}
        words: dict[str, str] = {}
        for version in entry["versions"]:
            now: dict[str, list[str]] = {topic: [] for topic in version.get("silent", "").split()}
            for mark in version["says"].split():
                now.setdefault(mark[1:], []).append(mark[0])
            explicit.update(now)
            words.update(version.get("words", {}))
            yield _compose(entry, version, explicit, words)


def _compose(
    entry: Mapping[str, Any], version: Mapping[str, Any], explicit: Mapping[str, list[str]], words: Mapping[str, str]
) -> SamplePolicy:
    clauses, kind = _data("clauses.json"), _data("kinds.json")[entry["kind"]]
    style = "plain" if entry["style"] == "plain" else "vague"
    host = urlsplit(entry["url"]).netloc.removeprefix("www.")
    voice = _Voice(host, style, kind, clauses, HOUSES[entry["layout"]])
    voice.words.update(_words(entry, voice), **words)
    voice.words |= {"Period": _capital(voice.words["period"]), "Service": _capital(voice.words["service"])}
    brief = entry.get("brief", False)
    marks = _marks(voice, explicit, brief=brief)
    order = clauses["orders"][int(voice.draw("order") * len(clauses["orders"]))]
    sections = [section for name in order if (section := _section(name, voice, marks, entry.get("promises", ())))]
    document = Document(
        title=voice.pick(clauses["titles"][style], "title"),
        dated=f"{voice.pick(clauses['date_labels'], 'date label')} {_written_date(version['dated'], voice)}",
        dated_last=voice.draw("date place") < 0.25,
        contents=len(sections) > 11 and not brief and voice.draw("contents") < 0.3,
        sections=_numbered(sections, voice.pick(("", "", "{}. ", "Section {}: "), "numbering")),
    )
    fields = {
        "company": entry["company"],
        "host": host,
        "slogan": kind["slogan"],
        "aside": kind["aside"],
        "note": f"{entry['company']} is invented; this page is part of the Smallprint sample.",
    }
    content = page(document, entry["layout"], fields, kind["menu"]).encode()
    return SamplePolicy(entry, version["on"], kind["sector"], content, tuple(voice.says))


def _words(entry: Mapping[str, Any], voice: _Voice) -> dict[str, str]:
    app, site = ("the app", f"the {entry['company']} app"), ("our website", "this website", "our site")
    return {
        **{name: voice.kind[name] for name in ("purpose", "location_use", "location_partner", "location_reason")},
        "health_use": voice.kind.get("health_use", "treat and advise you"),
        "company": entry["company"],
        "is": entry["is"],
        "service": voice.pick(app if entry.get("app") else site, "service"),
        "period": voice.pick(voice.clauses["periods"], "period"),
        "log_period": voice.pick(voice.clauses["log_periods"], "log period"),
        "email": voice.pick(("privacy", "hello", "dataprotection", "office"), "email") + "@" + voice.host,
        "address": f"{1 + int(voice.draw('number') * 90)} {voice.pick(STREETS, 'street')}, {voice.pick(TOWNS, 'town')}",
    }


def _marks(voice: _Voice, explicit: Mapping[str, list[str]], *, brief: bool) -> list[str]:
    """Decide what the policy affirms ("+") and denies ("-"): what is laid down, and by chance what goes with it."""
    topics, conflicts = voice.clauses["topics"], voice.clauses["conflicts"]
    special = {mark for mark, _ in voice.kind["special"]["says"] if mark}
    decided = {sign + topic for topic, signs in explicit.items() for sign in signs} | special
    barred = {"-+"[mark[0] == "-"] + mark[1:] for mark in decided} | {b for a, b in conflicts if a in decided}
    taken = {topics[topic].get("group", topic) for topic, signs in explicit.items() if signs}
    taken |= {mark[1:] for mark in special} | set(voice.kind.get("without", "").split())
    marks: list[str] = []
    for topic, clause in topics.items():
        if topic in explicit:
            marks += [sign + topic for sign in explicit[topic]]
            continue
        does, does_not = clause["chance"]
        draw = voice.draw("stance", topic) / (BRIEF if brief and max(does, does_not) <= 0.75 else 1)
        if draw >= does + does_not:
            continue
        mark = ("+" if draw < does else "-") + topic
        group, needs = clause.get("group", topic), clause.get("needs", mark)
        if mark not in barred and group not in taken and needs in {mark, *decided, *marks}:
            marks.append(mark)
            taken.add(group)
            barred |= {b for a, b in conflicts if a == mark}
    return marks


def _section(name: str, voice: _Voice, marks: Sequence[str], promises: Sequence[str]) -> Section | None:
    frame = voice.clauses["sections"][name]
    heading = voice.pick(frame["headings"][voice.style], "heading", name)
    opener = voice.fill(voice.pick(frame["openers"][voice.style], "opener", name))
    if name == "intro":
        first = voice.say("+intro", voice.pick(voice.clauses["introductions"][voice.style], "introduction"))
        return Section("", (voice.house.prose(first, opener),))
    if name == "promise":
        kept = [voice.sentence(f"-{topic}", "plain") for topic in promises]
        return Section(heading, (voice.house.prose(opener, *kept),)) if kept else None
    if name == "definitions":
        wanted = voice.draw("definitions") < (0.5 if voice.style == "vague" else 0.15)
        return Section(heading, (voice.house.prose(opener),)) if wanted else None
    if name == "special":
        special = voice.kind["special"]
        says = [voice.say(mark, voice.pick(texts, "special", texts[0])) for mark, texts in special["says"]]
        return Section(voice.pick(special["heading"], "special heading"), (voice.house.prose(*says),))
    promised = {f"-{topic}" for topic in promises}
    here = [mark for mark in marks if voice.clauses["topics"][mark[1:]]["section"] == name and mark not in promised]
    return Section(heading, tuple(_blocks(name, opener, here, voice))) if here else None


def _blocks(name: str, opener: str, marks: Sequence[str], voice: _Voice) -> Iterator[str]:
    topics = voice.clauses["topics"]
    leads = voice.clauses["sections"][name].get("leads", {}).get(voice.style)
    item = "item" if voice.style == "plain" else "vague_item"
    form = voice.draw("form", name)
    listed = [mark for mark in marks if mark[0] == "+" and item in topics[mark[1:]]] if leads and form < 0.6 else []
    listed = listed if len(listed) > 2 else []
    if opener and listed:
        yield voice.house.prose(opener)
    if listed and voice.style == "plain" and form < 0.25 and all("row" in topics[mark[1:]] for mark in listed):
        cells = [(mark, topics[mark[1:]]["row"]) for mark in listed]
        rows = [(voice.say(mark, what), voice.fill(why)) for mark, (what, why) in cells]
        yield voice.house.table(("What we collect", "Why"), rows)
    elif listed:
        items = [voice.pick(topics[mark[1:]][item], "item", mark) for mark in listed]
        items[-1] = items[-1].removesuffix(";") + "."
        yield voice.house.listing(voice.pick(leads, "lead", name), map(voice.say, listed, items))
    does = [voice.sentence(mark, voice.style) for mark in marks if mark[0] == "+" and mark not in listed]
    does_not = [voice.sentence(mark, voice.style) for mark in marks if mark[0] == "-"]
    if opener and not listed:
        (does or does_not).insert(0, opener)
    if voice.style == "vague" and leads:
        (does_not or does).append(_filler(name, voice))
    # What is denied stands by itself, as people write it; a lone sentence is not left over for a paragraph of its own.
    size = 2 + int(voice.draw("paragraphs", name) * 3)
    for run in (does, does_not) if min(len(does), len(does_not)) > 1 else (does + does_not,):
        cuts = [*range(0, max(len(run) - 1, 1), size), len(run)]
        yield from (voice.house.prose(*run[start:end]) for start, end in pairwise(cuts) if run)


def _numbered(sections: Sequence[Section], numbering: str) -> tuple[Section, ...]:
    numbers = count(1)
    return tuple(Section(numbering.format(next(numbers)) + s.heading, s.blocks) if s.heading else s for s in sections)


def _filler(name: str, voice: _Voice) -> str:
    """Pick a sentence that says nothing, another for every section."""
    fillers: Sequence[str] = voice.clauses["fillers"]
    place = list(voice.clauses["sections"]).index(name)
    return fillers[(int(voice.draw("filler") * len(fillers)) + place) % len(fillers)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _written_date(date: str, voice: _Voice) -> str:
    year, month, day = date.split("-")
    name, number = MONTHS[int(month) - 1], str(int(day))
    forms = (f"{number} {name} {year}", f"{name} {number}, {year}", date, f"{name[:3]} {number}, {year}")
    return voice.pick(forms, "date form")


@cache
def _data(name: str) -> Any:
    return json.loads((files(__package__) / name).read_text(encoding="utf-8"))

"""The commands `show` and `evidence`: a policy's facts and text, or what it says, quoted; passages to be cited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer
from typer import Argument, Option

from smallprint.cli.options import PolicyArgument, Run
from smallprint.cli.output import fields_of, flat, print_facts, print_table, say, wrapped

if TYPE_CHECKING:
    from smallprint.shelf.records import Sayings, SegmentSaid

# Characters of a quotation. At 240 one in eight of real policies' is cut within a sentence, at 150 three in eight.
QUOTE = 240
AROUND = 50
# A passage is quoted if it can be read by itself: a table's row, or fewer words, only where there is nothing else.
QUOTED_WORDS = 8
UNTELLING = frozenset(("Unspecified", "Not mentioned", "Does"))


def show(
    run: Run,
    policy: PolicyArgument,
    version: str | None = Option(None, help="Show this version, by id or by a date, instead of the current one."),
    page: bool = Option(False, "--page", help="Show the whole page, with menus and footers."),
    brief: bool = Option(False, "--brief", help="Leave out the text."),
    says: bool = Option(
        False, "--says", help="Instead of the text: practices, mentions and vague words, with quotations."
    ),
) -> None:
    """Show a policy: its address, dates, measures, versions and text, or what the text says."""
    from smallprint.shelf.records import citation_in_words as in_words

    with run.open_shelf() as shelf:
        entry, cited = shelf.cited(policy, version)
        record, sayings = shelf.policy(policy, version), shelf.annotations(policy, version)
        segments, text = shelf.segments(policy, version), shelf.text(policy, version)
        whole_page = shelf.page_text(policy, version) if page else None
    chosen, rank, folded = cited.version, record.popularity, record.near_duplicates
    run.exit_if_json({
        **fields_of(entry), "popularity": rank, "near_duplicates": folded, "shown": chosen.version_id,
        "replaced_by": cited.replaced_by, "text": None if brief else whole_page or text,
        "segments": [] if brief or page else segments, "annotations": sayings, "documents": record.documents,
    })  # fmt: skip
    facts = {
        "address": entry.url,
        "id": entry.policy_id,
        "P(policy)": chosen.p_policy,
        "popularity": f"{rank.value:.2f}{' (an estimate)' if rank.estimated else ''}",
        "effective": chosen.effective_on or "not stated",
        "last updated": chosen.updated_on or "not stated",
        "words": chosen.words,
        **_measures(sayings),
        "seen": f"{chosen.first_seen or 'on an unknown date'} to {chosen.last_seen or 'an unknown date'}",
        "near-duplicates": ", ".join(folded)
        or (f"folded under {entry.folded_under}" if entry.folded_under else "none"),
    }
    if record.documents:
        facts["also on its page"] = ", ".join(document.title or document.kind for document in record.documents)
    if entry.copy_of:
        facts["rejected"] = f"exact duplicate of {entry.copy_of}"
    print_facts(facts, chosen.title)
    if cited.successor:
        say(f"  {in_words(cited)}")
    if len(entry.versions) > 1 or brief:
        say()
        rows = [(v.version_id, v.first_seen, v.last_seen, v.words) for v in entry.versions]
        print_table(("version", "first seen", "last seen", "words"), rows)
    if says:
        print_sayings(sayings, segments, text)
    elif not brief:
        say()
        if whole_page is None:
            _print_text(segments)
        else:
            say(whole_page)


def evidence(
    run: Run,
    policy: PolicyArgument,
    segments: list[int] | None = Argument(
        None, help="The numbers of the passages, as 's12' has on the page; none for all."
    ),
    version: str | None = Option(
        None, "--version", help="A version's id, the beginning of it, or a date.", show_default="current"
    ),
) -> None:
    """Quote passages of a policy as evidence: word for word, with places, hashes, and when and where they were seen."""
    with run.open_shelf() as shelf:
        sheet = shelf.evidence(policy, segments, version)
    run.exit_if_json(sheet)
    hashes = {"page sha256": sheet.page_sha256, "text sha256": sheet.text_sha256, "characters": sheet.characters}
    print_facts({"address": sheet.address, "version": sheet.version.version_id, **hashes}, sheet.version.title)
    for capture in sheet.seen:
        say(f"  seen {capture.captured_at} at {capture.address}, page sha256 {capture.page_sha256}")
    if sheet.successor:
        say(f"  The same page is read anew in {sheet.successor.version_id}.")
    for exhibit in sheet.exhibits:
        place = " › ".join((f"s{exhibit.segment}, characters {exhibit.start} to {exhibit.end}", *exhibit.headings))
        say(f"\n{place}", bold=True)
        say(wrapped(" … ".join(filter(None, (exhibit.lead_in, exhibit.quote))), "  "))


def print_sayings(sayings: Sayings, segments: Sequence[SegmentSaid], text: str) -> None:
    """Print what a policy says."""
    _print_practices(sayings, segments)
    _print_mentions(sayings, text)
    if sayings.vagueness and sayings.vagueness.words:
        counts = Counter(word.text.lower() for word in sayings.vagueness.words)
        say("\nVague words", bold=True)
        say("  " + ", ".join(f"{flat(word)} {count}×" for word, count in counts.most_common(12)))
    if sayings.made_by:
        makers = ", ".join(f"{maker.kind}: {maker.model} {maker.version}" for maker in sayings.made_by.values())
        say(f"\nAnnotated by {makers}")


def quotation(segment: SegmentSaid) -> str:
    """Quote a segment from its start, to the end of a sentence if that is not too far and not too near."""
    if len(segment.text) <= QUOTE:
        return flat(segment.text)
    room = segment.text[:QUOTE]
    ends = [span.end - segment.start for span in segment.sentences if span.end - segment.start <= QUOTE]
    if ends and len(room[: ends[-1]].split()) >= QUOTED_WORDS:
        return flat(room[: ends[-1]])
    return f"{flat(room.rsplit(maxsplit=1)[0])} …"


def _measures(sayings: Sayings) -> dict[str, str]:
    """Return sector, company, readability and vagueness, each in a line."""
    facts, sector = {}, sayings.sector
    sure = f", {sector.probability:.0%} sure" if sector.source == "classifier" and sector.probability else ""
    facts["sector"] = f"{sector.name} ({sector.source}{sure})"
    if company := sayings.company:
        details = (company.industry, company.founded, company.size, company.country)
        facts["company"] = ", ".join([company.name, *(str(detail) for detail in details if detail)])
    if sayings.readability and sayings.readability.grade is not None:
        facts["reading grade"] = f"{sayings.readability.grade:.1f} (Flesch-Kincaid)"
    if (vague := sayings.vagueness) and vague.score is not None:
        facts["vagueness"] = f"{vague.score:.2f} ({vague.vague} of {vague.sentences} sentences)"
    if not sayings.made_by:
        facts["annotations"] = "none yet; run 'smallprint annotate'"
    return facts


def _print_practices(sayings: Sayings, segments: Sequence[SegmentSaid]) -> None:
    from smallprint.taxonomy import CATEGORIES

    order = [category.id for category in CATEGORIES]
    by_number = {segment.segment: segment for segment in segments}
    for practice in sorted(sayings.practices, key=lambda practice: order.index(practice.category)):
        passages = [by_number[place.segment] for place in practice.segments]
        whole = (p for p in passages if p.kind != "row" and len(p.text.split()) >= QUOTED_WORDS)
        details = f"  {len(passages)}×, {practice.probability:.0%}\n    “{quotation(next(whole, passages[0]))}”"
        if practice.attribute is None:
            typer.secho(f"\n{practice.name[0].upper()}{practice.name[1:]}", bold=True, nl=False)
            say(details)
        elif practice.value not in UNTELLING:
            say(f"  {practice.name}{details}")


def _print_mentions(sayings: Sayings, text: str) -> None:
    from smallprint.shelf.records import names

    if sayings.mentions:
        say("\nIt names", bold=True)
    for name in names():
        places = [mention for mention in sayings.mentions if mention.name == name.id]
        if places:
            around = flat(text[max(0, places[0].start - AROUND) : places[0].end + AROUND])
            say(f"  {name.plain}  {len(places)}×\n    “… {around} …”")


def _print_text(segments: Sequence[SegmentSaid]) -> None:
    for segment in segments:
        if segment.kind == "heading":
            space = "\n" if segment is not segments[0] else ""
            say(f"{space}{'  ' * len(segment.headings)}{segment.text}", bold=True)
        else:
            say(f"  • {segment.text}" if segment.kind == "item" else segment.text)

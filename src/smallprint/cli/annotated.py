"""What is known of a policy, laid out for a terminal or for JSON, each thing with the policy's own words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import typer

from smallprint.controls import shown

if TYPE_CHECKING:
    from smallprint.annotate.practices import Practice
    from smallprint.library.annotations import Annotations
    from smallprint.library.companies import KnownSector
    from smallprint.records import Company, Segment

# Characters of a quotation. At 240 one in eight of real policies' is cut within a sentence, at 150 three in eight.
QUOTE = 240
AROUND = 50


@dataclass(frozen=True, slots=True)
class Known:
    """A version's text and segments with all that was said of them."""

    text: str
    segments: tuple[Segment, ...]
    annotations: Annotations
    sector: KnownSector
    company: Company | None


def facts(known: Known) -> dict[str, str]:
    """Give the measures in a line each."""
    from smallprint.sectors import sector

    said, found = known.annotations, {}
    where = known.sector.source
    sure = f", {known.sector.probability:.0%} sure" if where == "classifier" and known.sector.probability else ""
    found["sector"] = f"{sector(known.sector.sector).name} ({where}{sure})"
    if known.company:
        details = (known.company.industry, known.company.founded, known.company.size, known.company.country)
        found["company"] = ", ".join([known.company.name, *(str(part) for part in details if part)])
    if said.readability and said.readability.grade is not None:
        found["reading grade"] = f"{said.readability.grade:.1f} (Flesch-Kincaid)"
    if said.vagueness and said.vagueness.score is not None:
        found["vagueness"] = (
            f"{said.vagueness.score:.2f} ({said.vagueness.vague} of {said.vagueness.sentences} sentences)"
        )
    if not said.made_by:
        found["annotations"] = "none yet; run 'smallprint annotate'"
    return found


def print_annotations(known: Known) -> None:
    """Print practices, mentions and vague words, each with a quotation."""
    _print_practices(known)
    _print_mentions(known)
    _print_vague(known)
    if known.annotations.made_by:
        typer.echo()
        makers = ", ".join(f"{one.kind}: {one.model} {one.version}" for one in known.annotations.made_by.values())
        typer.echo(f"Annotated by {makers}")


def as_json(known: Known) -> dict[str, Any]:
    """Give everything, with places and quotations."""
    from smallprint.shelf.sayings import quoted_sayings

    return asdict(quoted_sayings(known.text, known.segments, known.annotations, known.sector, known.company))


def quotation(text: str, segment: Segment) -> str:
    """Quote a segment from its start, to the end of a sentence if that is not too far and not too near."""
    from smallprint.annotate.practices import QUOTED_WORDS

    if segment.end - segment.start <= QUOTE:
        return _flat(text[segment.start : segment.end])
    room = text[segment.start : segment.start + QUOTE]
    ends = [one.end - segment.start for one in segment.sentences if one.end - segment.start <= QUOTE]
    if ends and len(room[: ends[-1]].split()) >= QUOTED_WORDS:
        return _flat(room[: ends[-1]])
    return f"{_flat(room.rsplit(maxsplit=1)[0])} …"


def _flat(text: str) -> str:
    return shown(" ".join(text.split()))


def _practices(known: Known) -> tuple[Practice, ...]:
    from smallprint.annotate.practices import practices

    said = known.annotations.practices
    return () if said is None else practices(said, known.segments)


def _print_practices(known: Known) -> None:
    from smallprint.annotate.practices import quoted
    from smallprint.taxonomy import CATEGORIES, plain_name

    by_ordinal = {segment.ordinal: segment for segment in known.segments}
    order = [category.id for category in CATEGORIES]
    for practice in sorted(_practices(known), key=lambda practice: order.index(practice.label.category)):
        label = practice.label
        quote = quotation(known.text, quoted(practice, known.text, by_ordinal))
        times = f"{len(practice.segments)}×"
        if label.attribute is None:
            name = plain_name(label)
            typer.secho(f"\n{name[0].upper()}{name[1:]}", bold=True, nl=False)
            typer.echo(f"  {times}, {practice.probability:.0%}\n    “{quote}”")
        elif label.value not in {"Unspecified", "Not mentioned", "Does"}:
            typer.echo(f"  {plain_name(label)}  {times}, {practice.probability:.0%}\n    “{quote}”")


def _print_mentions(known: Known) -> None:
    from smallprint.annotate.mentions import names

    found = known.annotations.mentions or ()
    if found:
        typer.secho("\nIt names", bold=True)
    for name in names():
        places = [mention for mention in found if mention.name == name.id]
        if places:
            start, end = places[0].start, places[0].end
            around = _flat(known.text[max(0, start - AROUND) : end + AROUND])
            typer.echo(f"  {name.plain}  {len(places)}×\n    “… {around} …”")


def _print_vague(known: Known) -> None:
    from collections import Counter

    said = known.annotations.vagueness
    if not said or not said.words:
        return
    counts = Counter(known.text[word.start : word.end].lower() for word in said.words)
    typer.secho("\nVague words", bold=True)
    typer.echo("  " + ", ".join(f"{_flat(word)} {count}×" for word, count in counts.most_common(12)))

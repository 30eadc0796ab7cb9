from __future__ import annotations

from smallprint.annotate.mentions import names
from smallprint.library.directory import replace_companies
from smallprint.library.statistics import mentions_by_sector, statistics
from smallprint.library.writing import save
from smallprint.records import Company
from smallprint.sectors import SECTORS
from smallprint.sources.companies import Listed

from .making import capture, prose


def test_mentions_by_sector_add_up_to_the_mentions_of_all(annotated_library):
    found, counted = mentions_by_sector(annotated_library), statistics(annotated_library)
    assert list(found) == [name.id for name in names()]
    assert {tuple(row) for row in found.values()} == {tuple(sector.id for sector in SECTORS)}
    assert {name: sum(row.values()) for name, row in found.items()} == counted.mentions
    assert any(len({n for n in row.values() if n}) > 1 for row in found.values())


def test_a_company_list_goes_before_a_guess_and_copies_do_not_count(library):
    with library.transaction() as db:
        save(db, [capture(f"https://{site}.example/privacy", prose(number)) for number, site in enumerate("abc")])
        for site, sector in (("a", "medical"), ("b", "medical"), ("c", None)):
            version = db.execute(
                "SELECT current_version FROM policies WHERE domain = ?", (f"{site}.example",)
            ).fetchone()[0]
            db.execute("INSERT INTO measures (version_id, sector) VALUES (?, ?)", (version, sector))
            db.execute("INSERT INTO mentioned VALUES (?, 'gdpr', 2)", (version,))
        db.execute("INSERT INTO mentioned SELECT current_version, 'hipaa', 1 FROM policies WHERE domain = 'a.example'")
    replace_companies(library, [Listed(Company("b.example", "B", "banking"), 9)])
    assert said(library) == {"gdpr": {"medical": 1, "finance": 1, "unknown": 1}, "hipaa": {"medical": 1}}
    with library.transaction() as db:
        db.execute("UPDATE policies SET copy_of = policy_id WHERE domain = 'a.example'")
    assert said(library) == {"gdpr": {"finance": 1, "unknown": 1}}


def said(library):
    """Give what is not zero."""
    found = {name: {s: n for s, n in row.items() if n} for name, row in mentions_by_sector(library).items()}
    return {name: row for name, row in found.items() if row}

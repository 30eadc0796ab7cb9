from __future__ import annotations

import pytest

import smallprint

from .test_failures import one_line

BANK, GRAM, FARM = "tidemarkbank.example", "kitegram.example", "haywaininsurance.example"


def told(run, library, *arguments):
    done = run(*arguments, "--library", library)
    assert (done.code, done.err) == (0, "")
    return done


# diff


def test_what_changed_is_shown_with_marks(run, annotated_library):
    shown = told(run, annotated_library.path, "diff", BANK).out
    assert "Effective date: [-1 June 2023-]{+10 January 2025+}" in shown
    assert "Tidemark Bank Privacy Notice › 6. Your choices and rights › Do Not Track" in shown
    assert "[-When your browser sends a Do Not Track signal, we switch off every cookie" in shown
    assert "{+Because there is no accepted standard, our website no longer responds" in shown
    assert "sentences: 6 added, 4 removed, 1 changed, 65 unchanged; words: 146 added, 81 removed" in shown
    assert "seen 2023-06-14, dated 2023-06-01" in shown
    assert "\x1b" not in shown
    assert shown.count("paragraphs unchanged") > 2


def test_json_is_enough_to_make_either_text_of_the_other(run, annotated_library):
    found = told(run, annotated_library.path, "diff", BANK, "--json").json
    shows = ("show", BANK, "--json", "--version")
    old, new = (told(run, annotated_library.path, *shows, found[side]["version_id"]).json["text"]
                for side in ("old", "new"))  # fmt: skip
    pieces = [piece for one in found["paragraphs"] for change in one["changes"] for piece in change["pieces"]]
    made = "".join(
        old[piece["old"]["start"] : piece["old"]["end"]] if piece["kind"] == "same" else piece["added"]
        for piece in pieces
    )
    assert made == new
    assert found["summary"]["added"] == 6
    assert found["recleaned"] is False


def test_versions_are_chosen_by_date_and_by_hash(run, annotated_library):
    versions = told(run, annotated_library.path, "show", BANK, "--brief", "--json").json["versions"]
    first, last = versions[0], versions[-1]
    found = told(
        run, annotated_library.path, "diff", BANK, first["first_seen"][:7], last["version_id"][-8:], "--json"
    ).json
    assert (found["old"]["version_id"], found["new"]["version_id"]) == (first["version_id"], last["version_id"])
    back = told(run, annotated_library.path, "diff", BANK, last["version_id"], first["version_id"], "--json").json[
        "summary"
    ]
    assert (back["added"], back["removed"]) == (found["summary"]["removed"], found["summary"]["added"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nobody.example"], "the library has no policy 'nobody.example'; give an id, an address or a domain"),
        ([BANK, "zz"], "has no version 'zz'; 'smallprint show"),
        ([BANK, "1999"], "was not seen until 1999; the first time was"),
        ([BANK, "2030", "2031"], "both are tidemarkbank.example-"),
        (["ajartherapy.example"], "there is none to compare it with"),
    ],
)
def test_a_diff_that_cannot_be(run, annotated_library, arguments, says):
    assert says in one_line(run("diff", *arguments, "--library", annotated_library.path))


def test_nothing_but_blanks(run, tmp_path):
    from smallprint.library import Library
    from smallprint.library.writing import save

    from ..library.making import capture

    with Library(tmp_path / "blank.db", create=True) as library, library.transaction() as db:
        save(db, [capture(text="We keep data.", at="2020"), capture(text="We keep  data.", at="2021")])
    shown = told(run, tmp_path / "blank.db", "diff", "one.example").out
    assert "Nothing changed except blanks and the shape of quotes and dashes." in shown
    assert "{+" not in shown


# compare


def test_policies_side_by_side(run, annotated_library):
    shown = told(run, annotated_library.path, "compare", BANK, GRAM).out
    assert shown.splitlines()[0].split() == [BANK, GRAM]
    assert "reading grade" in shown
    assert "What they collect and why" in shown
    assert f"  {GRAM}      silent" in shown
    assert "“Because there is no accepted standard, our website no longer responds to Do Not Track signals.”" in shown
    assert shown.rstrip().endswith("Not saying something is not the same as not doing it.")
    assert "children" in shown.lower()


def test_details_on_which_they_do_not_differ_are_left_out_unless_asked_for(run, annotated_library):
    short, long = (
        told(run, annotated_library.path, "compare", BANK, GRAM).out,
        told(run, annotated_library.path, "compare", BANK, GRAM, "--all").out,
    )
    assert "Who it is for: children" not in short
    assert "Who it is for: children" in long
    assert set(short.splitlines()) < set(long.splitlines())


def test_json_has_every_row(run, annotated_library):
    found = told(run, annotated_library.path, "compare", BANK, GRAM, FARM, "--json").json
    assert [one["domain"] for one in found["policies"]] == [BANK, GRAM, FARM]
    assert found["policies"][0]["sector"]["name"] == "Finance, Marketing and Human Resources"
    assert {len(row["cells"]) for row in found["rows"]} == {3}
    assert {cell["state"] for row in found["rows"] for cell in row["cells"]} >= {"says", "both", "silent"}
    assert found["rows"][0]["name"] == "what they collect and why"
    assert {"group": "regulation", "id": "ccpa", "plain": "CCPA", "counts": [2, 2, 0]} in found["mentions"]


@pytest.mark.parametrize(
    ("policies", "says"),
    [
        ([BANK], "name 2 to 4 policies to compare, not 1"),
        ([BANK, BANK], "a policy cannot be compared with itself; name different ones, or see 'smallprint diff'"),
        ([BANK, "nobody.example"], "the library has no policy 'nobody.example'; give an id, an address or a domain"),
    ],
)
def test_a_comparison_that_cannot_be(run, annotated_library, policies, says):
    assert one_line(run("compare", *policies, "--library", annotated_library.path)) == says


# evidence


def test_passages_are_quoted_with_their_places_and_hashes(run, annotated_library):
    text = told(run, annotated_library.path, "evidence", BANK, "5", "6").out
    with smallprint.open(annotated_library.path) as shelf:
        sheet = shelf.evidence(BANK, [5, 6])
    assert f"text sha256  {sheet.text_sha256}" in text
    assert f"page sha256 {sheet.seen[0].page_sha256}" in text
    for exhibit in sheet.exhibits:
        assert f"s{exhibit.segment}, characters {exhibit.start} to {exhibit.end} › " in text
        assert exhibit.quote in " ".join(text.split())
    assert "s7," not in text


def test_evidence_as_json_is_the_sheet_of_the_api(run, annotated_library):
    sheet = told(run, annotated_library.path, "evidence", BANK, "5", "--json").json
    assert [exhibit["segment"] for exhibit in sheet["exhibits"]] == [5]
    assert set(sheet) >= {"policy_id", "version", "page_sha256", "text_sha256", "seen", "exhibits"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([BANK, "9000"], "has no passage 9000; its passages are 0 to"),
        ([BANK, "3", "--version", "1999"], "1999"),
        (["nobody.example"], "the library has no policy 'nobody.example'"),
    ],
)
def test_what_cannot_be_quoted_is_one_line(run, annotated_library, arguments, message):
    done = run("evidence", *arguments, "--library", annotated_library.path)
    assert done.code == 1
    assert message in one_line(done)

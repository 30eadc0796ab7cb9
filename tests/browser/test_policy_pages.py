"""The pages of a policy as people meet them: with and without scripts, by keyboard alone, on a telephone, on paper."""

from __future__ import annotations

import re

import pytest

from .conftest import serious

pytestmark = pytest.mark.browser

BANK = "/policies/tidemarkbank.example-b32cf374"
PAGES = (
    BANK,
    f"{BANK}?show=choice&mark=vague&mark=names&q=account&s=4",
    f"{BANK}?show=security&others=hide",
    f"{BANK}/diff",
    f"{BANK}/evidence?s=3&s=12&s=13",
    f"{BANK}/ask",
    f"{BANK}/ask?question=How+long+do+you+keep+my+information%3F",
    f"{BANK}/ask?question=What+is+the+weather+in+Oslo%3F",
    f"{BANK}?question=cookies&at=100-190#s3",
    "/compare?policy=tidemarkbank.example&policy=kitegram.example&policy=brightvale.example",
    "/compare",
    "/policies/nowhere",
)
OPEN_ALL = "for (const one of document.querySelectorAll('details')) { one.removeAttribute('name'); one.open = true }"
BACKGROUND = "element => getComputedStyle(element).backgroundColor"


@pytest.mark.parametrize("width", [1200, 360])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_serious_and_nothing_sticks_out(open_page, axe, path, width):
    page = open_page(path, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(OPEN_ALL)
    assert serious(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_whole_without_scripts(open_page, path):
    with_scripts = open_page(path).locator("main").inner_text()
    assert open_page(path, java_script_enabled=False).locator("main").inner_text() == with_scripts
    assert len(with_scripts) > 50


def dimmed(page):
    return page.locator(".passage.dim").count()


def test_labels_are_filtered_without_scripts(open_page):
    page = open_page(BANK, java_script_enabled=False)
    assert dimmed(page) == 0
    page.get_by_role("checkbox", name="what you can choose").check()
    page.get_by_role("checkbox", name="vague words").check()
    page.get_by_role("checkbox", name="Choose passage 12", exact=True).check()
    page.get_by_role("button", name="Show", exact=True).click()
    assert re.search(r"\?version=\w+&show=choice&others=dim&mark=vague&s=12#text$", page.url)
    assert dimmed(page) > 20
    assert page.locator(".passage mark.vague").count() > 3
    assert page.get_by_role("checkbox", name="Choose passage 12", exact=True).is_checked()
    assert re.fullmatch(r"\d of 38 passages", page.locator("#told").inner_text())


def test_labels_are_filtered_at_once_with_scripts(open_page):
    page = open_page(BANK)
    page.evaluate("window.same = true")
    page.get_by_role("checkbox", name="Choose passage 12", exact=True).check()
    box = page.get_by_role("checkbox", name="what you can choose")
    box.check()
    page.locator(".passage.dim").first.wait_for()
    assert page.evaluate("window.same") is True  # the page was not loaded again
    assert "show=choice" in page.url
    assert page.get_by_role("checkbox", name="Choose passage 12", exact=True).is_checked()
    assert re.fullmatch(r"\d of 38 passages", page.locator("#told").inner_text())
    assert box.evaluate("element => element === document.activeElement")
    page.get_by_role("radio", name="hidden").check()
    page.locator("details.fold").first.wait_for()
    assert page.locator(".passage:visible").count() < 10
    page.go_back()
    page.locator("details.fold").first.wait_for(state="detached")


@pytest.mark.parametrize("scripts", [True, False])
def test_ticked_passages_become_an_evidence_sheet(open_page, scripts):
    page = open_page(BANK, java_script_enabled=scripts)
    for number in (13, 3):
        page.get_by_role("checkbox", name=f"Choose passage {number}", exact=True).check()
    page.get_by_role("button", name="Make an evidence sheet").click()
    assert [one.get_attribute("id") for one in page.locator(".exhibit").all()] == ["s3", "s13"]


@pytest.mark.parametrize("scripts", [True, False])
def test_the_address_of_a_passage_leads_to_it_and_shows_it(open_page, scripts):
    page = open_page(BANK, java_script_enabled=scripts)
    passage = page.locator("#s40")
    assert not passage.evaluate("element => element.matches(':target')")
    page.get_by_role("link", name="Address of passage 40", exact=True).click()
    page.wait_for_url("**/*#s40")
    other = open_page(page.url, java_script_enabled=scripts)
    for one in (page, other):
        box = one.locator("#s40").bounding_box()
        assert 0 <= box["y"] < 800
        assert one.locator("#s40").evaluate(BACKGROUND) != one.locator("#s39").evaluate(BACKGROUND)


def test_a_heading_that_is_folded_away_is_opened_by_its_link(open_page):
    page = open_page(f"{BANK}?show=security&others=hide", java_script_enabled=False)
    heading = page.get_by_role("heading", name="7. Children")
    assert not heading.is_visible()
    page.get_by_role("link", name="7. Children").click()
    assert heading.is_visible()


def test_what_a_label_says_is_opened_by_keyboard_and_covers_nothing(open_page):
    page = open_page(BANK, java_script_enabled=False)
    gloss = page.locator("#s12 .gloss")
    gloss.locator("summary").focus()
    page.keyboard.press("Enter")
    words = gloss.locator("ul")
    assert words.is_visible()
    assert words.bounding_box()["y"] >= page.locator("#s12 .words").bounding_box()["y"] + 20
    assert page.locator("#s13 .words").bounding_box()["y"] >= words.bounding_box()["y"] + words.bounding_box()["height"]


def test_by_keyboard_alone_from_a_label_to_a_sheet(open_page):
    page = open_page(f"{BANK}#text")
    page.get_by_role("checkbox", name="how they protect it").focus()
    page.keyboard.press("Space")
    page.locator(".passage.dim").first.wait_for()
    page.keyboard.press("Enter")  # the form's first button, for who has no scripts
    page.wait_for_url("**show=security**#text")
    page.get_by_role("checkbox", name="Choose passage 34", exact=True).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "pilcrow"
    page.get_by_role("button", name="Make an evidence sheet").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/evidence?**")
    assert page.locator(".exhibit").count() == 1


def test_whatever_has_the_focus_shows_it(open_page):
    page = open_page(f"{BANK}?show=security&others=hide")
    shown = []
    for _ in range(80):
        page.keyboard.press("Tab")
        tag, style, width = page.evaluate(
            "(() => { const e = document.activeElement, s = getComputedStyle(e);"
            " return [e.tagName, s.outlineStyle, parseFloat(s.outlineWidth)] })()"
        )
        shown.append((tag, style, width))
    assert {"SUMMARY", "INPUT", "A"} <= {one[0] for one in shown}
    assert [one for one in shown if one[0] != "BODY" and (one[1] == "none" or one[2] < 1)] == []


def test_beside_the_text_on_a_wide_page_and_in_drawers_on_a_narrow_one(open_page):
    wide = open_page(BANK)
    contents = wide.get_by_role("navigation", name="Contents")
    assert contents.get_by_role("link", name="7. Children").is_visible()
    assert wide.get_by_role("checkbox", name="what you can choose").is_visible()
    beside, text = wide.locator(".apparatus").bounding_box(), wide.locator("#passages").bounding_box()
    assert beside["x"] + beside["width"] <= text["x"]
    narrow = open_page(BANK, width=360, java_script_enabled=False)
    assert not narrow.get_by_role("link", name="7. Children").is_visible()
    narrow.locator(".drawer > summary").first.focus()
    narrow.keyboard.press("Enter")
    assert narrow.get_by_role("link", name="7. Children").is_visible()


def test_what_went_and_came_is_told_by_more_than_colour(open_page):
    page = open_page(f"{BANK}/diff", java_script_enabled=False)
    lines = "element => getComputedStyle(element).textDecorationLine"
    assert page.locator(".redline del").first.evaluate(lines) == "line-through"
    assert page.locator(".redline ins").first.evaluate(lines) == "underline"
    fold = page.locator("details.fold").first
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    assert fold.locator(".passage").first.is_visible()
    page.get_by_role("link", name="Change before this").click()
    assert page.locator("h1").inner_text() == "What changed"


@pytest.mark.parametrize("scripts", [True, False])
def test_adding_a_policy_to_a_comparison(open_page, scripts):
    page = open_page("/compare?policy=tidemarkbank.example", java_script_enabled=scripts)
    assert page.locator("table").count() == 0
    page.get_by_label("Add a policy, by its domain, address or id").fill("kitegram.example")
    page.keyboard.press("Enter")
    page.wait_for_url("**policy=kitegram.example")
    cell = page.locator("td.says details").first
    assert not cell.locator("blockquote").is_visible()
    cell.locator("summary").click()
    assert cell.locator("blockquote").is_visible()


def test_a_comparison_is_stacked_on_a_narrow_page(open_page):
    path = "/compare?policy=tidemarkbank.example&policy=kitegram.example"
    wide, narrow = open_page(path), open_page(path, width=360)
    for page, stacked in ((wide, False), (narrow, True)):
        first, second = (
            one.bounding_box() for one in page.locator("[aria-labelledby=matters] tbody tr").nth(3).locator("td").all()
        )
        assert (first["x"] == second["x"]) == stacked
        assert page.locator("td .who").first.is_visible() == stacked
        assert page.get_by_role("columnheader", name="kitegram.example").count() == 3


def test_a_sheet_on_paper_is_a4_and_has_nothing_of_the_site(open_page):
    page = open_page(f"{BANK}/evidence?s=3&s=12")
    assert page.locator(".masthead").is_visible()
    page.emulate_media(media="print")
    for gone in (".masthead", ".foot", ".tools"):
        assert not page.locator(gone).first.is_visible()
    for kept in ("h1", ".exhibit", ".hash", ".command"):
        assert page.locator(kept).first.is_visible()
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", page.pdf(prefer_css_page_size=True))
    assert boxes
    assert {(round(float(width)), round(float(height))) for width, height in boxes} <= {
        (595, 842),
        (596, 842),
        (596, 843),
    }


def test_a_policy_on_paper_has_its_text_and_its_labels(open_page):
    page = open_page(BANK)
    page.emulate_media(media="print")
    assert page.locator("#s12 .words").is_visible()
    assert page.locator("#s12 .code").first.is_visible()
    for gone in (".apparatus", ".take", "#s12 .pilcrow"):
        assert not page.locator(gone).first.is_visible()

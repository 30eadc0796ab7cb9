"""Searching as people do it: with and without scripts, by keyboard alone, on a telephone, by night."""

from __future__ import annotations

import re

import pytest

from .conftest import serious

pytestmark = pytest.mark.browser

SEARCHES = (
    "/search",
    "/search?q=data+breach&sector=medical&practice=retention+%2F+Retention+Period+%2F+Limited&grade=6%3A14",
    "/search?q=zzyzx&sector=medical&year=2024",
    "/help",
)
TEXT = (
    "Privacy Policy\n\nWe collect your name, e-mail address and payment details when you open an account with us. "
    "We may share your personal information with advertising partners. We use cookies to remember you.\n\n"
    "We keep your information for two years after you close your account, and then we delete it.\n\n"
    "You may ask us to see, correct or delete your personal information at any time by writing to us.\n\n"
) * 2


def number(page):
    """Give the number of policies that the page says it found."""
    return int(re.match(r"[\d,]+", page.locator("#count h1").inner_text())[0].replace(",", ""))


def unfold(page):
    """Open whatever is folded, and what is folded in it."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


@pytest.mark.parametrize("width", [1200, 360])
@pytest.mark.parametrize("path", SEARCHES)
def test_axe_finds_nothing_serious_and_nothing_sticks_out(open_page, axe, path, width):
    page = open_page(path, width=width)
    unfold(page)
    page.wait_for_timeout(300)  # near-duplicates come in
    assert serious(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1200, 360])
def test_axe_finds_nothing_serious_in_a_reading(open_page, axe, width):
    page = open_page("/", width=width)
    page.locator("#given").fill(TEXT)
    page.get_by_role("button", name="Read it").click()
    page.wait_for_selector(".spoken")
    unfold(page)
    assert serious(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_tick_brings_new_results_at_once_and_keeps_the_place(open_page):
    page = open_page("/search?q=cookies")
    before = number(page)
    page.locator("#more-sector summary").click()
    page.locator("#in-practice-0 summary").click()
    page.evaluate("window.here = 1")  # gone if the page were loaded anew
    box = page.get_by_role("checkbox", name=re.compile("^Medical"))
    box.focus()
    page.keyboard.press("Space")
    page.wait_for_url("**/search?q=cookies&sector=medical")
    assert number(page) < before
    assert page.title().startswith(f"cookies: {number(page)} policies")
    assert page.get_by_role("link", name="Remove Sector: Medical").is_visible()
    assert page.evaluate("window.here") == 1
    # Whoever works with the keyboard is where they were, and what they unfolded stays so.
    assert page.evaluate("document.activeElement.value") == "medical"
    assert page.locator("#more-sector").get_attribute("open") is not None
    assert page.locator("#in-practice-0").get_attribute("open") is not None
    page.keyboard.press("Space")
    page.wait_for_url("**/search?q=cookies")
    assert number(page) == before
    page.go_back()
    page.wait_for_selector(".chip")
    assert number(page) < before


def test_the_count_is_read_out_where_it_stands(open_page):
    page = open_page("/search?q=cookies")
    page.evaluate("window.region = document.querySelector('[role=status]')")
    page.get_by_role("checkbox", name=re.compile("^GDPR")).check()
    page.wait_for_url("**regulation=gdpr")
    assert page.evaluate("window.region.isConnected && window.region.textContent.includes('polic')")


def test_a_range_that_cannot_be_is_said_and_the_results_stay(open_page):
    page = open_page("/search?q=cookies&grade=8%3A12")
    hits = page.locator(".hit").count()
    page.locator("#grade-min").fill("20")
    page.locator("#grade-min").press("Tab")
    page.wait_for_selector("text=the lower end comes first")
    assert page.locator(".hit").count() == hits
    assert page.url.endswith("grade=8%3A12")


def test_new_words_keep_the_filters(open_page):
    page = open_page("/search?q=cookies&sector=medical")
    page.get_by_role("searchbox", name="Search the policies").fill("retention")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=retention&sector=medical")


def test_a_value_is_found_in_a_long_list(open_page):
    page = open_page("/search")
    facet = page.get_by_role("group", name="Practices", exact=True)
    box = facet.get_by_role("searchbox", name="Filter this list: Practices")
    box.fill("Do not track")
    ticks = facet.locator(".tick:visible .name")
    assert "whether they heed Do Not Track" in ticks.all_inner_texts()
    assert "what they collect and why" not in ticks.all_inner_texts()
    assert facet.get_by_role("status").inner_text() == "1 found"
    box.press("Enter")
    page.wait_for_timeout(200)
    assert page.url.endswith("/search")
    box.fill("")
    assert "what they collect and why" in ticks.all_inner_texts()
    assert facet.get_by_role("status").inner_text() == ""
    # A detail stands under the value to which it belongs.
    box.fill("for a limited time")
    assert ticks.all_inner_texts() == ["how long they keep it", "for a limited time they do not state"]


def test_what_was_looked_for_stays_when_results_change(open_page):
    page = open_page("/search")
    facet = page.get_by_role("group", name="Sector", exact=True)
    box = facet.get_by_role("searchbox")
    box.fill("food")
    assert facet.locator(".tick:visible .name").all_inner_texts() == ["Travel, Food and Hospitality"]
    # Numbers of policies are no names.
    box.fill("1")
    assert facet.locator(".tick:visible").count() == 0
    assert facet.get_by_role("status").inner_text() == "0 found"
    box.fill("food")
    facet.get_by_role("checkbox").and_(page.locator(":visible")).check()
    page.wait_for_url("**/search?sector=travel")
    assert box.input_value() == "food"
    assert facet.locator(".tick:visible").count() == 1
    assert page.locator("input.find").count() == page.locator("[data-find]").count() > 1
    box.fill("")
    assert facet.get_by_role("checkbox", name="Travel, Food and Hospitality").is_visible()


def test_without_scripts_there_is_no_box_that_does_nothing(open_page):
    page = open_page("/search", java_script_enabled=False)
    assert page.locator("[data-find]").count() > 1
    assert page.locator("input.find").count() == 0


def test_a_passage_is_opened_with_its_words_marked(open_page):
    page = open_page("/search?q=%22do+not+track%22")
    page.locator(".passage a").first.click()
    page.wait_for_url(re.compile(r"/policies/[^#]+\?q=%22do\+not\+track%22#s\d+$"))
    assert page.locator(".passage:target mark.found").first.inner_text().lower() == "do not track"


def test_near_duplicates_unfold(open_page):
    page = open_page("/search?q=brightwithy")
    page.locator(".alike summary").click()
    page.wait_for_selector(".others li")
    assert page.locator(".others li").count() == 2


def test_without_scripts_a_tick_and_a_press_do_the_same(open_page):
    page = open_page("/search?q=cookies", java_script_enabled=False)
    before = number(page)
    page.locator("#more-sector summary").click()
    page.get_by_role("checkbox", name=re.compile("^Medical")).check()
    page.locator("#grade-min").fill("8")
    page.get_by_role("button", name="Apply").click()
    assert page.url.partition("/search")[2] == "?q=cookies&sector=medical&grade=8%3A"
    assert 0 < number(page) < before
    page.get_by_role("link", name="Remove Reading grade").click()
    assert page.url.partition("/search")[2] == "?q=cookies&sector=medical"
    page.get_by_role("link", name="Clear all").click()
    assert number(page) == before
    page.get_by_role("link", name="Next").click()
    assert page.url.partition("/search")[2] == "?q=cookies&page=2"
    page.get_by_role("link", name="date", exact=True).click()
    assert page.url.partition("/search")[2] == "?q=cookies&rank=date"
    page.goto(page.url.partition("/search")[0] + "/search?q=brightwithy")
    page.locator(".alike summary").click()
    page.get_by_role("link", name="List them").click()
    assert page.locator("h1").inner_text() == "3 policies, nearly the same"


def test_by_keyboard_alone_to_a_filter_and_a_passage(open_page):
    page = open_page("/search?q=cookies", java_script_enabled=False)
    page.locator("main").focus()
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        kind, value, outline = page.evaluate(
            "(() => { const e = document.activeElement, s = getComputedStyle(e);"
            " return [e.tagName + '.' + (e.type || ''), e.value || e.textContent.trim(), s.outlineStyle] })()"
        )
        assert outline != "none", (kind, value)
        seen.append((kind, value))
        if kind == "INPUT.checkbox":
            break
    assert [one[0] for one in seen[:3]] == ["INPUT.search", "SELECT.select-one", "BUTTON.submit"]
    page.keyboard.press("Space")
    page.keyboard.press("Enter")  # in a form Enter sends it
    page.wait_for_url(f"**&sector={seen[-1][1]}")
    page.locator(".passage a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/policies/[^#]+#s\d+$"))


@pytest.mark.parametrize("scripts", [True, False])
def test_on_a_telephone_filters_are_folded_above_the_results(open_page, scripts):
    page = open_page("/search?q=cookies", width=360, height=740, java_script_enabled=scripts)
    box = page.get_by_role("checkbox", name=re.compile("^GDPR"))
    assert not box.is_visible()
    folded = page.locator("#narrowing > summary").bounding_box()
    assert folded["y"] + folded["height"] < page.locator(".hit").first.bounding_box()["y"] < 740
    page.locator("#narrowing > summary").click()
    assert box.is_visible()
    box.check()
    if not scripts:
        page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**/search?q=cookies&regulation=gdpr")
    assert page.locator(".chip").is_visible()


def test_on_a_wide_page_filters_stand_beside_the_results(open_page):
    page = open_page("/search?q=cookies", java_script_enabled=False)
    assert not page.locator("#narrowing > summary").is_visible()
    side = page.get_by_role("checkbox").first.bounding_box()
    assert side["x"] + side["width"] < page.locator(".hit").first.bounding_box()["x"]


def test_nothing_inline_is_left_behind_by_a_search(open_page):
    page = open_page("/search?q=cookies")
    page.get_by_role("checkbox", name=re.compile("^GDPR")).check()
    page.wait_for_url("**regulation=gdpr")
    assert page.evaluate("document.querySelectorAll('style, [style]').length") == 0
    assert page.evaluate("[document.cookie, localStorage.length]") == ["", 0]


@pytest.mark.parametrize("scripts", [True, False])
def test_a_text_is_read_at_once(open_page, scripts):
    page = open_page("/", java_script_enabled=scripts)
    page.get_by_role("textbox", name="Paste the text of a policy, or its address").fill(TEXT)
    page.get_by_role("button", name="Read it").click()
    assert page.locator("h1").inner_text() == "Privacy Policy"
    assert page.get_by_role("heading", name="what they collect and why").is_visible()
    assert page.locator("mark", has_text="cookies").is_visible()


def test_an_address_that_is_not_known_is_told_by_keyboard_alone(open_page):
    page = open_page("/")
    page.locator("#given").focus()
    page.keyboard.type("https://nowhere.example/privacy")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=This address is not in the library.")


def test_results_on_paper(open_page):
    page = open_page("/search?q=cookies")
    page.emulate_media(media="print")
    assert not page.locator("#narrow").is_visible()
    assert not page.locator("search").is_visible()
    assert page.locator(".hit").first.is_visible()

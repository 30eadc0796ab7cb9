"""Asking a policy as people do: with and without scripts, by keyboard alone, and on from the answer to the text."""

from __future__ import annotations

import re

import pytest

from .conftest import ask_once, patient, serious

pytestmark = pytest.mark.browser

BANK = "/policies/tidemarkbank.example-b32cf374"
KEEP = "How long do you keep my information?"
ASKED = f"{BANK}/ask?question=How+long+do+you+keep+my+information%3F"
BACKGROUND = "element => getComputedStyle(element).backgroundColor"


@pytest.fixture
def opened(open_page):
    """Give a function that opens a page on which things may take their time."""
    return lambda path, **named: patient(open_page(path, **named))


@pytest.fixture(scope="module", autouse=True)
def warm(chromium, site):
    ask_once(chromium, site + ASKED)


def is_seen(page, selector):
    box = page.locator(selector).bounding_box()
    return 0 <= box["y"] < 800


def test_without_scripts_the_answer_is_a_page_of_its_own(opened):
    page = opened(BANK, java_script_enabled=False)
    page.get_by_label("What do you want to know?").fill(KEEP)
    page.locator("form.question button").click()
    assert re.search(r"/ask\?question=How\+long.*&version=\w+$", page.url)
    assert page.get_by_label("What do you want to know?").input_value() == KEEP
    assert page.locator(".answer blockquote").count() > 0
    details = page.locator(".answer > details").last
    assert not details.locator(".words").first.is_visible()
    details.locator("summary").click()
    assert details.locator(".words").first.is_visible()


def test_with_scripts_the_answer_comes_under_the_form(opened):
    page = opened(BANK)
    page.evaluate("window.same = true")
    address = page.url
    page.get_by_label("What do you want to know?").fill(KEEP)
    page.locator("form.question button").click()
    page.locator("#answer .answer").wait_for()
    assert (page.evaluate("window.same"), page.url) == (True, address)
    line = page.locator("#answer h3").inner_text()
    assert page.locator("[role=status] #answer-told").inner_text() == line
    form, answer = page.locator("form.question").bounding_box(), page.locator("#answer").bounding_box()
    assert answer["y"] >= form["y"] + form["height"]
    # The same on its own page.
    quotes = page.locator("#answer blockquote").all_inner_texts()
    page.get_by_role("link", name="Open this answer on its own page").click()
    page.wait_for_url("**/ask?question=**")
    assert page.locator(".answer h3").inner_text() == line
    assert page.locator(".answer blockquote").all_inner_texts() == quotes


def test_that_something_is_under_way_can_be_seen(opened):
    page = opened(BANK)
    waiting = []

    def kept(route):  # the driver takes no method of a list
        waiting.append(route)

    page.route("**/ask?**", kept)
    busy = page.get_by_text("Reading the policy …")
    assert not busy.is_visible()
    page.get_by_role("link", name="Can I delete my account?").click()
    busy.wait_for()
    assert page.get_by_label("What do you want to know?").input_value() == "Can I delete my account?"
    while not waiting:
        page.wait_for_timeout(20)
    waiting[0].continue_()
    page.locator("#answer .answer").wait_for()
    assert not busy.is_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_an_example_asks_at_once(opened, scripts):
    page = opened(BANK, java_script_enabled=scripts)
    page.get_by_role("link", name=KEEP).click()
    page.locator(".answer h3").wait_for()
    assert page.get_by_label("What do you want to know?").input_value() == KEEP


def test_by_keyboard_alone_from_a_question_to_the_passage_and_back(opened):
    page = opened(BANK)
    page.get_by_role("link", name="JSON").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.type(KEEP)
    page.keyboard.press("Enter")
    page.locator("#answer .answer").wait_for()
    assert page.evaluate("document.activeElement.id") == "question"
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.answer figcaption') !== null"):
            break
    target = page.evaluate("document.activeElement.getAttribute('href')")
    assert re.fullmatch(r"#s\d+", target)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/*{target}")
    assert is_seen(page, target)
    assert page.locator(target).evaluate("element => element.matches(':target')")
    page.go_back()
    assert page.locator("#answer h3").is_visible()  # the answer is still there


@pytest.mark.parametrize("scripts", [True, False])
def test_from_an_answers_page_to_the_marked_passage_and_back(opened, scripts):
    page = opened(ASKED, java_script_enabled=scripts)
    quotation = page.locator(".answer .exhibit").first
    words = quotation.locator(".words").inner_text()
    quotation.get_by_role("link", name=re.compile("Passage")).click()
    page.wait_for_url("**#s*")
    target = "#" + page.url.rpartition("#")[2]
    assert is_seen(page, target)
    assert page.locator(target).evaluate(BACKGROUND) != page.locator("#s1").evaluate(BACKGROUND)
    marked = page.locator(f"{target} mark.quoted")
    assert "".join(marked.all_inner_texts()) in {words, page.locator(f"{target} .words").inner_text()}
    assert marked.first.evaluate(BACKGROUND) != page.locator(target).evaluate(BACKGROUND)
    page.get_by_role("link", name="Back to the answer").click()
    page.locator(".answer h3").wait_for()
    assert page.locator(".answer .words").first.inner_text() == words


def test_what_cannot_be_fetched_is_opened_as_a_page(opened):
    page = opened(BANK, watched=False)  # htmx will say that it could not
    page.route(
        "**/ask?**", lambda route: route.abort() if route.request.headers.get("hx-request") else route.continue_()
    )
    page.get_by_role("link", name=KEEP).click()
    page.wait_for_url("**/ask?question=**")
    assert page.locator(".answer h3").is_visible()


def test_an_empty_question_is_not_sent(opened):
    page = opened(BANK)
    page.locator("form.question button").click()
    assert page.evaluate("document.activeElement.id") == "question"
    assert page.locator("#answer").inner_text() == ""
    page.get_by_label("What do you want to know?").fill("  ")
    page.locator("form.question button").click()
    page.get_by_text("Please type a question").wait_for()


@pytest.mark.parametrize("width", [1200, 360])
def test_axe_finds_nothing_serious_in_an_answer_that_came_in(opened, axe, width):
    page = opened(BANK, width=width)
    page.get_by_role("link", name=KEEP).click()
    page.locator("#answer .answer").wait_for()
    page.evaluate("for (const one of document.querySelectorAll('#answer details')) one.open = true")
    assert serious(page, axe, "document.getElementById('ask')") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

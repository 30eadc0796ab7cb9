"""A conversation as people have it: with and without scripts, by keyboard alone, to the marked sentence and back."""

from __future__ import annotations

import re

import pytest

from smallprint.library import Library
from smallprint.library.feedback import feedback

from .conftest import ask_once, patient, serious, served

pytestmark = pytest.mark.browser

BANK = "/policies/tidemarkbank.example-b32cf374"
FIRST = "does Kitegram sell my data?"


@pytest.fixture(scope="module")
def own_library(copy_sample, tmp_path_factory):
    """Give a copy of the sample, since feedback is kept in it."""
    return copy_sample(tmp_path_factory.mktemp("talk"))


@pytest.fixture(scope="module")
def own_site(own_library):
    with served(own_library) as address:
        yield address


@pytest.fixture
def opened(open_page, own_site):
    """Give a function that opens a page on which things may take their time."""
    return lambda path, **named: patient(open_page(own_site + path, **named))


@pytest.fixture(scope="module", autouse=True)
def warm(chromium, own_site):
    ask_once(chromium, f"{own_site}/ask?q=does+Kitegram+sell+my+data%3F")


def say(page, words):
    """Type something, and wait for the reply to it."""
    page.locator("#said").fill(words)
    page.locator("#said").press("Enter")
    arrived(page, words)


def arrived(page, words):
    """Wait for the reply to something, and until what goes on from it is sent by scripts, a few milliseconds after."""
    page.locator("#turns > li:last-child:not(.htmx-added) > h2", has_text=words).wait_for()


def asked(page):
    return page.locator("#turns .asked").all_inner_texts()


def focus(page):
    return page.evaluate("document.activeElement.id || document.activeElement.className")


def settled(page, turn):
    """Wait until a turn is there and the focus has gone where it goes, a few milliseconds after."""
    page.locator(f"#turns > li:nth-child({turn}):not(.htmx-added)").wait_for()


def kept(path):
    with Library(path) as library:
        return list(feedback(library))


def test_a_question_that_is_sent_while_another_is_answered_is_answered_next(opened):
    page = opened("/ask")
    questions = [FIRST, "does Brightwithy sell my data?", "does Tidemark Bank sell my data?"]
    for words in questions:
        page.locator("#said").fill(words)
        page.locator("#said").press("Enter")
    page.locator("#turns > li:nth-child(3) > h2").wait_for()
    assert asked(page) == questions
    assert page.locator("#waiting").is_hidden()
    assert page.locator("#said").input_value() == ""


@pytest.mark.parametrize("scripts", [True, False])
def test_a_whole_conversation(opened, scripts):
    page = opened("/ask", java_script_enabled=scripts)
    say(page, FIRST)
    first = page.locator("#turns > li:last-child blockquote").all_inner_texts()
    say(page, "and my location?")
    assert "asked: “do you sell my location?”" in page.locator("#turns > li:last-child .whose").inner_text()
    say(page, "does Brightwithy sell my data?")
    option = page.locator(".next .option").nth(1)
    label = option.inner_text()
    option.click()
    arrived(page, label)
    assert asked(page) == [FIRST, "and my location?", "does Brightwithy sell my data?", label]
    assert "Millbrook" in page.locator("#turns > li:last-child .whose").inner_text()
    # With scripts all replies stay whole; without them earlier ones are lines.
    assert page.locator("#turns > li:first-child blockquote").all_inner_texts() == (first if scripts else [])
    assert page.locator("#turns > li:first-child").inner_text().count("\n") >= 1
    page.get_by_role("link", name="Begin a new conversation").click()
    page.wait_for_url("**/ask")
    assert asked(page) == []


@pytest.mark.parametrize("scripts", [True, False])
def test_what_is_asked_back_is_answered_with_one_press(opened, scripts):
    page = opened("/ask", java_script_enabled=scripts)
    say(page, "what about my location at PulseWell?")
    assert page.locator("#turns > li:last-child h3").inner_text().startswith("Do you mean how they use your location")
    assert page.locator(".feedback").count() == 0  # nothing was answered yet
    page.get_by_role("button", name="how they use your location").click()
    page.locator("#turns > li:last-child blockquote").first.wait_for()
    assert "How do you use my location?" in page.locator("#turns > li:last-child .whose").inner_text()
    assert asked(page)[-1] == "how they use your location"


def test_with_scripts_the_page_stays_and_says_what_came(opened):
    page = opened("/ask")
    page.evaluate("window.same = true")
    say(page, FIRST)
    line = page.locator("#turns h3").inner_text()
    assert page.locator("[role=status] #told").inner_text().startswith(line)
    assert focus(page) == "said"  # one goes on from where one typed
    assert page.locator("#said").input_value() == ""
    assert page.evaluate("window.same")
    box = page.locator("#turns > li:last-child").bounding_box()
    assert 0 <= box["y"] < 100
    assert page.locator(".examples").count() == 0
    # Only what goes on from the newest reply can be pressed.
    say(page, "and my location?")
    assert page.locator("form.next").count() == 1


def test_what_is_chosen_takes_the_focus_to_the_reply(opened):
    page = opened("/ask?q=does+Kitegram+sell+my+data%3F")
    page.locator(".next .suggestion").first.focus()
    page.keyboard.press("Enter")
    settled(page, 2)
    page.locator(".turn:focus").wait_for()
    assert page.evaluate("document.activeElement === document.querySelector('#turns > li:last-child')")


def test_without_scripts_one_is_taken_to_the_reply(opened):
    page = opened("/ask", java_script_enabled=False)
    for words in (FIRST, "and my location?", "more"):
        say(page, words)
    assert page.url.endswith("/ask#newest")
    box = page.locator("#newest").bounding_box()
    assert 0 <= box["y"] < 800


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("words", [FIRST, "which policies do not share data with advertisers?"])
def test_a_citation_leads_to_the_marked_sentence(opened, scripts, words):
    page = opened("/ask", java_script_enabled=scripts)
    say(page, words)
    quotation = page.locator("#turns .exhibit").first
    sentence = quotation.locator(".words").inner_text()
    quotation.get_by_role("link", name=re.compile("Passage")).click()
    page.wait_for_url("**/policies/**#s*")
    target = "#" + page.url.rpartition("#")[2]
    assert 0 <= page.locator(target).bounding_box()["y"] < 800
    assert sentence in "".join(page.locator(f"{target} mark.quoted").all_inner_texts())


def test_who_comes_back_from_a_policy_finds_the_conversation(opened):
    page = opened("/ask")
    say(page, FIRST)
    say(page, "and my location?")
    before = page.locator("#turns").inner_text()
    page.locator("#turns .exhibit").last.get_by_role("link", name=re.compile("Passage")).click()
    page.wait_for_url("**/policies/**")
    page.go_back()
    page.wait_for_url("**/ask")
    assert page.locator("#turns").inner_text() == before
    say(page, "why?")
    assert "Why do you sell my location?" in page.locator("#turns > li:last-child .whose").inner_text()
    assert page.evaluate("[document.cookie, localStorage.length]") == ["", 0]


@pytest.mark.parametrize("scripts", [True, False])
def test_feedback_is_stored(opened, own_library, scripts):
    before = len(kept(own_library))
    page = opened("/ask", java_script_enabled=scripts)
    say(page, FIRST)
    say(page, "and my location?")
    page.locator("#turns > li:last-child .feedback summary").click()
    note = f"Scripts: {scripts}."
    page.locator("#turns > li:last-child .feedback textarea").fill(note)
    page.locator("#turns > li:last-child .feedback").get_by_role("button", name="wrong").click()
    page.get_by_text("Thank you").wait_for()
    one = kept(own_library)[-1]
    assert (one.verdict, one.question, one.note) == ("wrong", "do you sell my location?", note)
    assert one.places
    assert len(kept(own_library)) == before + 1
    assert asked(page) == [FIRST, "and my location?"]
    say(page, "why?")  # the conversation goes on
    assert "Why do you sell my location?" in page.locator("#turns > li:last-child .whose").inner_text()


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("path", [BANK, f"{BANK}/ask?question=How+long+do+you+keep+my+information%3F"])
def test_feedback_on_a_policys_own_pages(opened, own_library, scripts, path):
    page = opened(path, java_script_enabled=scripts)
    name = "right" if scripts else "incomplete"  # the same twice in a minute counts once
    if path == BANK:
        page.get_by_role("link", name="Do you sell my data?").click()
    page.locator(".feedback").wait_for()
    before = len(kept(own_library))
    page.locator(".feedback").get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")
    page.get_by_text("Thank you").wait_for()
    if scripts:
        page.locator(".thanks:focus").wait_for()
    assert page.locator(".answer h3").is_visible()
    assert len(kept(own_library)) == before + 1
    assert kept(own_library)[-1].verdict == {"right": "right", "incomplete": "missing"}[name]


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("path", ["/", "/statistics", "/search?q=cookies", "/nowhere"])
def test_the_box_at_the_foot_asks_from_any_page(opened, scripts, path):
    page = opened(path, java_script_enabled=scripts)
    page.get_by_label("Ask the policies a question").fill(FIRST)
    page.keyboard.press("Enter")
    page.wait_for_url("**/ask?q=does+Kitegram+sell+my+data%3F")
    assert asked(page) == [FIRST]


@pytest.mark.parametrize("path", [BANK, f"{BANK}/ask", f"{BANK}/evidence?s=1", f"{BANK}/diff"])
def test_on_a_policys_page_the_box_asks_that_policy(opened, path):
    page = opened(path)
    page.get_by_label("Ask this policy a question").fill("Do you sell my data?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/ask?q=*&policy=tidemarkbank.example-b32cf374")
    assert "tidemarkbank.example" in page.locator("#turns .whose").inner_text()


@pytest.mark.parametrize("path", ["/", "/ask", BANK, "/search?q=cookies"])
def test_the_box_sticks_out_nowhere_and_is_not_printed(opened, path):
    for width in (320, 640):  # 640 is 1280 at 200 %
        page = opened(path, width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.emulate_media(media="print")
    assert not page.locator("footer form").first.is_visible()


def test_by_keyboard_alone(opened):
    page = opened("/ask")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skip to the content
    page.keyboard.press("Tab")
    assert focus(page) == "said"
    page.keyboard.type(FIRST)
    page.keyboard.press("Enter")
    settled(page, 1)
    page.locator("#said:focus:invalid").wait_for()  # it is required, and empty again
    page.keyboard.type("does Brightwithy sell my data?")
    page.keyboard.press("Enter")
    settled(page, 2)
    page.locator("#said:focus:invalid").wait_for()
    for _ in range(3):  # back to the first of three options
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    settled(page, 3)
    page.locator(".turn:focus").wait_for()
    for _ in range(8):  # on to the first sentence's place
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('figcaption') !== null"):
            break
    assert page.evaluate("document.activeElement.closest('#turns > li:last-child') !== null")
    page.keyboard.press("Enter")
    page.wait_for_url("**/policies/brightwithy-ashford**#s*")


def test_what_htmx_cannot_send_the_browser_sends(opened):
    page = opened("/ask?q=does+Brightwithy+sell+my+data%3F", watched=False)  # htmx will say that it could not
    page.route("**/ask", lambda route: route.abort() if route.request.headers.get("hx-request") else route.continue_())
    label = page.locator(".next .option").first.inner_text()
    page.locator(".next .option").first.click()
    page.locator("#turns h2", has_text=label).wait_for()
    assert page.url.endswith("/ask#newest")


def test_that_something_is_under_way_can_be_seen_and_is_not_sent_twice(opened):
    page = opened("/ask")
    waiting = []

    def held(route):  # the driver takes no method of a list
        waiting.append(route)

    page.route("**/ask", held)
    busy = page.get_by_text("Reading the policies …")
    assert not busy.is_visible()
    page.locator("#said").fill(FIRST)
    page.keyboard.press("Enter")
    busy.wait_for()
    page.keyboard.press("Enter")
    while not waiting:
        page.wait_for_timeout(20)
    waiting[0].continue_()
    page.locator("#turns > li").wait_for()
    assert not busy.is_visible()
    assert len(waiting) == 1


@pytest.mark.parametrize("width", [1200, 360])
def test_axe_finds_nothing_serious_in_a_conversation(opened, axe, width):
    page = opened("/ask", width=width)
    for words in (FIRST, "which medical sites do not share data with advertisers?",
                  "compare what Kitegram and Nestchat keep", "help", "does Brightwithy sell my data?"):  # fmt: skip
        say(page, words)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert serious(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

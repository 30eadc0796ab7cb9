"""Policies written to do harm, in a real browser: nothing of theirs runs, opens, moves or asks anybody for anything."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from ..hostile.making import ATTACKS, BARE, EVIL, TWIN, page, text
from .conftest import WAIT

pytestmark = pytest.mark.browser

EVERY = "&".join(f"s={number}" for number in range(40))
PAGES = (
    "/search?q=cookies&fold=0", "/search?q=script+onerror+alert", "/search?q=zzyzx&in=url",
    "/search/alike?q=cookies&group={local}", "/policies/{evil}?mark=vague&mark=names&q=script+cookies",
    "/policies/{evil}?version=2022&show=third-party&others=hide", "/policies/{evil}/diff",
    "/policies/{evil}/diff?old=2023&new=2022", f"/policies/{{evil}}/evidence?{EVERY}", "/policies/{local}",
    f"/policies/{BARE}",
    "/policies/{evil}/ask?question=Do+you+share+my+information%3F", "/policies/{evil}?question=x&at=5-900",
    "/ask?q=do+you+share+my+information&policy={evil}", "/ask?q=which+policies+share+data+with+advertisers%3F",
    "/ask?q=what+is+it+vague+about%3F&policy={evil}", f"/ask?q=compare+what+{EVIL}+and+{TWIN}+share",
    f"/compare?policy={EVIL}&policy={BARE}&policy={TWIN}", "/statistics", "/", "/policies/{evil}/text",
    "/api/v1/policies/{evil}/annotations", "/api/v1/search?q=cookies",
)  # fmt: skip
ASKED = (
    *(f"/search?q={quote(attack)}" for attack in ATTACKS),
    *(f"/policies/{quote(quote(attack), safe='')}" for attack in ATTACKS[:3]),
    *(f"/policies/{{evil}}/ask?question={quote(attack)}" for attack in ATTACKS[:6]),
)
WATCH = "window.broken = []; addEventListener('securitypolicyviolation', (one) => broken.push(one.violatedDirective));"


@pytest.fixture
def watched(chromium, hostile_site):
    """Give a page that notes what should never happen, and fails at the end if any of it did."""
    context = chromium.new_context()
    context.add_init_script(WATCH)
    context.set_default_timeout(WAIT)
    tab, happened = context.new_page(), []
    tab.on("dialog", lambda dialog: (happened.append(f"dialog {dialog.message}"), dialog.dismiss()))
    tab.on("request", lambda one: None if one.url.startswith(hostile_site) else happened.append(f"asked {one.url}"))
    tab.on("console", lambda said: happened.append(said.text) if "Content Security Policy" in said.text else None)
    tab.on("pageerror", lambda error: happened.append(str(error)))
    context.on("page", lambda other: happened.append(f"opened {other.url}"))
    yield tab
    context.close()
    assert happened == []


def is_calm(tab):
    """Open what is folded, go over what can be pointed at, and see that nothing came of it."""
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.evaluate(
        "document.querySelectorAll('*').forEach((one) => {"
        " for (const kind of ['mouseover', 'focus', 'load', 'error', 'toggle']) one.dispatchEvent(new Event(kind)); })"
    )
    tab.wait_for_load_state("networkidle")
    assert tab.evaluate("[window.hit, window.broken]") == [None, []]
    assert tab.evaluate("document.querySelectorAll('main :is(script, img, iframe, style, [style])').length") == 0


def ids(tab, site):
    tab.goto(f"{site}/search?fold=0")
    links = [
        href.removeprefix("/policies/")
        for href in tab.eval_on_selector_all(".hit h3 a", "all => all.map((link) => link.getAttribute('href'))")
    ]
    return {
        "evil": next(one for one in links if one.startswith(EVIL)),
        "local": next(one for one in links if "local" in one),
    }


def test_nothing_of_theirs_runs_on_any_page(watched, hostile_site):
    known = ids(watched, hostile_site)
    for path in (one.replace("{evil}", known["evil"]).replace("{local}", known["local"]) for one in (*PAGES, *ASKED)):
        answer = watched.goto(hostile_site + path)
        assert answer.status in {200, 404}, path
        is_calm(watched)


def test_nothing_of_theirs_runs_in_what_htmx_brings(watched, hostile_site):
    watched.goto(f"{hostile_site}/search?q=cookies")
    watched.locator("details.alike summary").first.click()
    watched.locator(".others li").first.wait_for()
    is_calm(watched)
    with watched.expect_response(lambda answer: "sector=" in answer.url):
        watched.evaluate("document.querySelector('#narrow input[name=sector]').click()")
    is_calm(watched)
    watched.goto(f"{hostile_site}/policies/{ids(watched, hostile_site)['evil']}")
    with watched.expect_response(lambda answer: "mark=names" in answer.url):
        watched.evaluate("document.querySelector('input[value=names]').click()")
    is_calm(watched)
    watched.locator("#question").fill(f"Do you share my information? {ATTACKS[1]}")
    watched.keyboard.press("Enter")
    watched.locator("#answer .answer").wait_for()
    is_calm(watched)


def test_nothing_of_theirs_runs_in_a_conversation(watched, hostile_site):
    known = ids(watched, hostile_site)
    watched.goto(f"{hostile_site}/ask?policy={known['evil']}")
    for number, said in enumerate(("Do you share my information?", ATTACKS[1], "anything surprising?", "more"), 1):
        watched.locator("#said").fill(said)
        watched.keyboard.press("Enter")
        watched.locator(f"#turns > li:nth-child({number})").wait_for()
        is_calm(watched)
    watched.reload()
    watched.locator("#turns > li:nth-child(4)").wait_for()
    is_calm(watched)


@pytest.mark.parametrize("given", [page(), text()])
def test_nothing_of_theirs_runs_when_it_is_pasted(watched, hostile_site, given):
    watched.goto(hostile_site)
    watched.locator("#given").fill(given)
    watched.get_by_role("button", name="Read it").click()
    watched.locator(".spoken").first.wait_for()
    is_calm(watched)


def test_the_page_itself_is_saved_and_never_shown(watched, hostile_site):
    known = ids(watched, hostile_site)
    with watched.expect_download() as saved:
        watched.evaluate("(path) => location.assign(path)", f"/policies/{known['evil']}/page")
    assert saved.value.suggested_filename.endswith(".bin")
    assert watched.url.startswith(f"{hostile_site}/search")


def test_what_is_watched_for_would_be_seen(chromium, hostile_site):
    context = chromium.new_context()
    context.add_init_script(WATCH)
    tab = context.new_page()
    tab.goto(hostile_site)
    tab.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hit=1\">')")
    tab.evaluate("async () => { while (!broken.length) await new Promise(done => setTimeout(done, 20)) }")
    assert tab.evaluate("broken")[0].startswith("script-src")
    context.close()

"""The pages as people meet them: with and without scripts, by keyboard alone, on a telephone, by night, on paper."""

from __future__ import annotations

import http.server
import threading

import pytest

from .conftest import serious

pytestmark = pytest.mark.browser

NIGHT = "@media (prefers-color-scheme: dark) { h1 { color: #333 !important; } }"
PAGES = ("/", "/ask", "/statistics", "/about", "/privacy", "/nowhere")


@pytest.mark.parametrize("width", [1200, 360])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_serious_and_nothing_sticks_out(open_page, axe, path, width):
    page = open_page(path, width=width)
    for summary in page.locator("summary").all():
        summary.click()
    assert serious(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_axe_can_find_something(open_page, axe):
    page = open_page("/")
    page.evaluate("document.querySelector('textarea').previousElementSibling.remove()")
    assert [name for name, _ in serious(page, axe)] == ["label"]
    page = open_page("/")
    page.evaluate(f"document.styleSheets[0].insertRule('{NIGHT}', document.styleSheets[0].cssRules.length)")
    assert [name for name, _ in serious(page, axe)] == ["color-contrast"]


@pytest.mark.parametrize("scripts", [True, False])
def test_a_search_with_and_without_scripts(open_page, scripts):
    page = open_page("/", java_script_enabled=scripts)
    page.get_by_role("searchbox").fill("do not track & more")
    page.get_by_role("radio", name="their addresses").check()
    page.get_by_role("button", name="Search").click()
    assert page.url.partition("/search")[2] == "?q=do+not+track+%26+more&in=url"


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_whole_without_scripts(open_page, path):
    with_scripts = open_page(path).locator("main").inner_text()
    assert open_page(path, java_script_enabled=False).locator("main").inner_text() == with_scripts
    assert len(with_scripts) > 50


def test_by_keyboard_alone_to_a_search(open_page):
    page = open_page("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    assert page.locator(".skip").bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    page.keyboard.type("retention period")
    page.keyboard.press("Tab")  # the button
    page.keyboard.press("Tab")  # the first radio
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=retention+period&in=url")


@pytest.mark.parametrize("path", ["/", "/statistics"])
def test_whatever_has_the_focus_shows_it(open_page, path):
    page = open_page(path)
    shown = []
    for _ in range(60):
        page.keyboard.press("Tab")
        tag, style, width = page.evaluate(
            "(() => { const e = document.activeElement, s = getComputedStyle(e);"
            " return [e.tagName, s.outlineStyle, parseFloat(s.outlineWidth)] })()"
        )
        if tag == "BODY":
            break
        shown.append((tag, style, width))
    assert len(shown) >= 10
    assert [one for one in shown if one[1] == "none" or one[2] < 2] == []


def test_a_summary_opens_its_table_by_keyboard(open_page):
    page = open_page("/statistics", java_script_enabled=False)
    table = page.locator("details table").first
    assert not table.is_visible()
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert table.is_visible()


def test_scripts_keep_to_the_content_policy_and_leave_nothing_behind(open_page):
    page = open_page("/statistics")
    assert page.evaluate("htmx.version") == "2.0.11"
    assert page.evaluate("[htmx.config.allowEval, htmx.config.includeIndicatorStyles]") == [False, False]
    assert page.evaluate("document.querySelectorAll('style, [style]').length") == 0
    page.goto(page.url.replace("/statistics", "/about"))
    assert page.evaluate("[document.cookie, localStorage.length]") == ["", 0]
    # Where the tab is, which it knows itself, and which goes with it.
    assert page.evaluate("({...sessionStorage})") == {"htmx-current-path-for-history": "/about"}


def test_a_script_smuggled_into_a_page_does_not_run(open_page):
    page = open_page("/about", watched=False)  # the browser will say what it stopped
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))"
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None


def test_our_own_form_is_taken_and_that_of_another_site_is_not(open_page, site):
    page = open_page("/")
    page.get_by_role("textbox", name="Paste the text of a policy, or its address").fill("We keep your data.")
    with page.expect_response("**/read") as ours:
        page.get_by_role("button", name="Read it").click()
    assert ours.value.status != 403
    form = f"<form method=post action='{site}/read'><button name=given value=x>go</button></form>".encode()

    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(form)

        def log_message(self, *arguments):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Other) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        other = open_page(f"http://127.0.0.1:{server.server_port}/")
        with other.expect_response("**/read") as theirs:
            other.get_by_role("button").click()
        server.shutdown()
        thread.join()
    assert theirs.value.status == 403


def test_a_name_that_points_here_is_not_answered(open_page, site):
    page = open_page(site.replace("127.0.0.1", "rebound.example") + "/statistics", watched=False)
    assert page.locator("h1").inner_text() == "Unknown host"


def test_on_paper_there_is_only_what_can_be_read(open_page):
    page = open_page("/statistics")
    page.emulate_media(media="print")
    assert not page.locator("header nav").is_visible()
    assert not page.locator("header form").is_visible()
    assert page.locator(".heat").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"

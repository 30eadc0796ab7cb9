"""A real server and a real browser. These tests run only when asked for: `make test-browser`."""

from __future__ import annotations

import shutil
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..hostile.making import hostile_library

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
    # A name that somebody else made point to this machine.
    "--host-resolver-rules=MAP rebound.example 127.0.0.1",
)  # fmt: skip
# Settings of a page as it comes, which a test may change.
AS_IT_COMES = {"media": "null", "color_scheme": "null"}


# The first question loads the models, and the machine may be busy.
WAIT = 120_000
USUAL_WAIT = 30_000  # Playwright's own


def pytest_ignore_collect(collection_path, config):
    """Leave these tests out of an ordinary run, which needs neither browser nor driver."""
    return None if "browser" in config.getoption("markexpr") else True


@contextmanager
def served(library):
    """Serve a library on a port of its own, and give its address."""
    from smallprint.api import router
    from smallprint.cli.serve import listening
    from smallprint.server.http_server import server_of
    from smallprint.settings import Settings
    from smallprint.web.app import application

    # The machine may be busy, and the first question loads the models.
    app = application(Settings(library=library, serve_rate=0, serve_seconds=0), routers=[router])
    with listening("127.0.0.1", 0) as listener:
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def patient(page):
    """Let things on a page take their time, and give it back."""
    page.set_default_timeout(WAIT)
    page.set_default_navigation_timeout(WAIT)
    return page


def serious(page, axe, where="document"):
    """Give what axe-core finds serious on a page as it stands, by day and, of its colours, by night as well."""
    page.evaluate(axe)
    found = page.evaluate(f"axe.run({where}, {{resultTypes: ['violations']}})")["violations"]
    page.emulate_media(color_scheme="dark")
    by_night = f"axe.run({where}, {{resultTypes: ['violations'], runOnly: ['color-contrast']}})"
    found += page.evaluate(by_night)["violations"]
    page.emulate_media(color_scheme="light")
    return [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found
            if one["impact"] in {"serious", "critical"}]  # fmt: skip


def ask_once(chromium, address):
    """Ask something before anything is measured."""
    context = chromium.new_context()
    context.new_page().goto(address, timeout=WAIT)
    context.close()


@pytest.fixture(scope="session")
def site(annotated_sample):
    """Serve the sample, and give its address."""
    with served(annotated_sample) as address:
        yield address


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory):
    """Serve policies that were written to do harm, and give the address."""
    with served(hostile_library(tmp_path_factory.mktemp("hostile"))) as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    """Start the system's chromium."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "these tests need chromium; install it with your system's packages"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tabs(chromium):
    """Give the pages that no test has in hand, by the options of their contexts; what they kept is forgotten.

    To start a context and a page takes Chromium 0.38 s of processor time, to load another page in one 0.14 s.
    """
    return defaultdict(list)


@pytest.fixture
def open_page(chromium, tabs, site):
    """Give a function that opens a page in a window of its own, and fails at the end if the console complained."""
    opened, complaints = [], []

    def on_console(message):
        if message.type == "error":
            complaints.append(message.text)

    def on_error(error):
        complaints.append(str(error))

    def open_page(path="/", *, width=1200, height=800, watched=True, **options):
        idle = tabs[repr(sorted(options.items()))]
        page = idle.pop() if idle else chromium.new_context(**options).new_page()
        opened.append((page, idle, watched))
        page.set_viewport_size({"width": width, "height": height})
        if watched:
            page.on("console", on_console)
            page.on("pageerror", on_error)
        page.goto(path if path.startswith("http") else site + path)
        return page

    yield open_page
    for page, idle, watched in opened:
        if watched:
            page.remove_listener("console", on_console)
            page.remove_listener("pageerror", on_error)
        page.unroute_all()
        page.emulate_media(**AS_IT_COMES)
        page.set_default_timeout(USUAL_WAIT)
        page.set_default_navigation_timeout(USUAL_WAIT)
        page.context.clear_cookies()
        page.evaluate("sessionStorage.clear(); localStorage.clear()")
        page.goto("about:blank")
        idle.append(page)
    # A page that is not there is a complaint, too, and here sometimes meant.
    assert [one for one in complaints if "Failed to load resource" not in one] == []


@pytest.fixture(scope="session")
def axe():
    """Give axe-core's source."""
    return (Path(__file__).parent / "axe-4.14.0.min.js").read_text(encoding="utf-8")

"""Take the pictures of the pages that the documents show. Run: python docs/screenshots.py ADDRESS.

ADDRESS is where the sample is served ('make run'); the driver comes with 'make test-browser'.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent / "screenshots"
BANK = "/policies/tidemarkbank.example-b32cf374"
PASSAGES = (13, 29, 42)


class Shot(NamedTuple):
    """A page, how much of it is shown, and what is done before: press what is named, go to a place."""

    path: str
    height: int
    width: int = 1200
    press: str = ""
    place: str = ""
    paper: bool = False


SHOTS = {
    "statistics-light": Shot("/statistics", 1300),
    "results-light": Shot("/search?q=data+breach&sector=medical&sector=finance", 1300),
    "policy-text-light": Shot(f"{BANK}?mark=names", 820, press="input[value='13']", place="#s10"),
    "conversation-light": Shot("/ask?q=does+Tidemark+Bank+sell+my+personal+information%3F", 1050),
    "evidence-print": Shot(f"{BANK}/evidence?{'&'.join(f's={passage}' for passage in PASSAGES)}", 930, 658, paper=True),
    "diff-light": Shot(f"{BANK}/diff", 1100),
    "compare-light": Shot(
        "/compare?policy=tidemarkbank.example&policy=kitegram.example&policy=brightvale.example", 1000,
        press="td details summary >> nth=3", place="#matters",
    ),
}  # fmt: skip


def main() -> None:
    """Write every picture."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, shot in SHOTS.items():
            page = browser.new_page(viewport={"width": shot.width, "height": shot.height})
            take(page, sys.argv[1].rstrip("/"), shot)
            page.screenshot(path=FOLDER / f"{name}.png")
            page.close()
        browser.close()


def take(page: Any, address: str, shot: Shot) -> None:
    """Bring a page to where its picture is taken."""
    if shot.paper:
        page.emulate_media(media="print")
    page.goto(address + shot.path, timeout=120_000)
    if shot.press:
        page.locator(shot.press).first.click()
    if shot.place:
        page.locator(shot.place).first.evaluate("one => place.scrollIntoView()")
    page.wait_for_timeout(500)  # for what moves


if __name__ == "__main__":
    main()

"""An address into a library that is being served: fetched, cleaned, stored, annotated and indexed, in this process."""

from __future__ import annotations

from dataclasses import replace

from smallprint.library import Library
from smallprint.pipeline.adding import Outcome, add_page, fetch_page
from smallprint.pipeline.annotate import annotate_library
from smallprint.pipeline.engines import Engines
from smallprint.pipeline.indexing import WHICH, bring_up_to_date
from smallprint.pipeline.ingest import settle_library
from smallprint.records import Page
from smallprint.settings import Settings
from smallprint.sources.guard import Network


def keep(
    address: str, settings: Settings, engines: Engines, network: Network | None = None, page: Page | None = None
) -> Outcome:
    """Add the policy at an address, and say what became of it; LibraryBusy where somebody else is writing.

    A page that was fetched from there already is not fetched again.
    """
    # A server has threads, and a process that forks while they run may hang.
    alone = replace(settings, workers=1)
    with Library(settings.library) as library, library.writing():
        outcome = add_page(library, address, page or fetch_page(address, alone, network), alone)
        if outcome.policy_id is not None:
            settle_library(library, alone)
            if settings.quality != "none":
                annotate_library(library, alone, "full" if settings.quality == "full" else "fast")
            for which in WHICH:
                bring_up_to_date(library, engines.engine(which, create=True), which)
    return outcome

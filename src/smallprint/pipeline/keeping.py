"""An address into a library that is being served: fetched, cleaned, stored, annotated and indexed.

Cleaning and annotating are done by processes; this one writes what they make of it.
"""

from __future__ import annotations

from contextlib import nullcontext

from smallprint.annotate.annotating import Quality
from smallprint.library import Library
from smallprint.library.reading import find_policy
from smallprint.pipeline.adding import Outcome, add_page, fetch_page
from smallprint.pipeline.annotate import annotate_library
from smallprint.pipeline.engines import Engines
from smallprint.pipeline.indexing import WHICH, bring_up_to_date
from smallprint.pipeline.ingest import settle_library
from smallprint.processes.jobs import Jobs
from smallprint.records import Page
from smallprint.settings import Settings
from smallprint.sources.guard import Network


def keep(
    address: str,
    settings: Settings,
    engines: Engines,
    network: Network | None = None,
    page: Page | None = None,
    jobs: Jobs | None = None,
) -> Outcome:
    """Add the policy at an address, and say what became of it; LibraryBusy where somebody else is writing.

    A page that was fetched from there already is not fetched again.
    """
    with (
        Library(settings.library) as library,
        library.writing(),
        nullcontext(jobs) if jobs else Jobs(1) as processes,
    ):
        arrived = page or fetch_page(address, settings, network)
        outcome = add_page(library, address, arrived, settings, processes)
        if outcome.policy_id is not None:
            settle_library(library, settings)
            if settings.quality != "none":
                quality: Quality = "full" if settings.quality == "full" else "fast"
                own = {one.version_id for one in find_policy(library, outcome.policy_id).versions}
                annotate_library(library, settings, quality, jobs=processes, only=own)  # not what others left undone
            for which in WHICH:
                bring_up_to_date(library, engines.engine(which, create=True), which)
    return outcome

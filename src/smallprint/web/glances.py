"""First readings of pages, as jobs: a text that is pasted twice at once is read once, and given up it is ended."""

from __future__ import annotations

import hashlib

from starlette.requests import Request

from smallprint.errors import TooLargeJob, TooSlow
from smallprint.pipeline.glance import Glance, glance, pasted
from smallprint.processes.clients import finished
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import Limits
from smallprint.records import Page, Reason, Rejection
from smallprint.settings import Settings


class Glances:
    """Reads pages for whoever asks, each within the time and memory that a server gives to one."""

    def __init__(self, jobs: Jobs, settings: Settings, limits: Limits) -> None:
        self._jobs = jobs
        self._settings = settings
        self._limits = limits

    async def read_text(self, request: Request, text: str) -> Glance | Rejection:
        """Read a text that was pasted."""
        return await self.read_page(request, pasted(text))

    async def read_page(self, request: Request, page: Page) -> Glance | Rejection:
        """Read a page; one that takes too much is turned away, and says so."""
        key = ("glance", page.url, hashlib.sha256(page.content).digest())
        try:
            pending = self._jobs.submit(glance, page, self._settings, limits=self._limits, key=key)
            return await finished(pending, request.receive)
        except TooLargeJob:
            detail = "it takes more memory to read than this server gives to one text"
        except TooSlow:
            detail = "it takes longer to read than this server gives to one text"
        return Rejection(page.url, Reason.TOO_LARGE, detail, page.source, page.fetched_at)

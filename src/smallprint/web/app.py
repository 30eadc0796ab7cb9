"""The settings in, the whole site out: its pages, its static files, and the guards around them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import anyio
from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from smallprint import __version__
from smallprint.addresses import OPENAPI, STATIC_PATH
from smallprint.errors import SmallprintError
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import Limits
from smallprint.server import failures
from smallprint.server.access import Gate
from smallprint.server.dependencies import Site
from smallprint.server.fetching import Fetcher, Glances
from smallprint.server.middleware.deadlines import Deadline
from smallprint.server.middleware.rates import Rates
from smallprint.server.middleware.safety import LOOPBACK, KnownHosts, Origins, OwnPages, SafeHeaders, Sizes
from smallprint.server.remembered import Readings, Recent
from smallprint.settings import Settings
from smallprint.shelf import Shelf
from smallprint.shelf.questions import Questions
from smallprint.web.pages import conversation, library, policy, reading, results
from smallprint.web.rendering import STATIC, render

PAGES: tuple[APIRouter, ...] = tuple(page.router for page in (library, results, reading, policy, conversation))
ABOUT = (
    "A library of privacy policies: searches, policies with their versions and annotations, questions answered with a "
    "policy's own sentences, whole results as files. Every error is a problem (RFC 9457). Places are half-open ranges "
    "of characters in a version's text; the first rank is 1; times are ISO 8601, as exact as they are known."
)
# What reads and answers is loaded once, and gives way to the server where both want the processor.
PRELOAD, NICENESS = ("smallprint.shelf.preloaded",), 5
# Addresses of static files change with their content (rendering.static).
FOR_GOOD = "public, max-age=31536000, immutable"


def application(
    settings: Settings, *, routers: Iterable[APIRouter] = (), any_name: Collection[str] = (), jobs: Jobs | None = None
) -> FastAPI:
    """Put the site together; `routers` are added to its pages, as the API is.

    `any_name` are paths that answer to whatever name they are asked by, since they check for themselves who asks.
    `jobs` does what is dear; without it the site has its own, as the settings say, and closes it.
    """
    shelf = Shelf(settings, lazy=True, seconds=settings.serve_seconds)
    own_jobs = jobs is None
    jobs = jobs or Jobs(settings.serve_processes, waiting=settings.serve_waiting, preload=PRELOAD, niceness=NICENESS)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        jobs.open()
        shelf.pool.open()
        expiring = asyncio.create_task(_expire(state))
        yield
        expiring.cancel()
        if own_jobs:
            await asyncio.to_thread(jobs.close)
        shelf.close()

    app = FastAPI(
        title="Smallprint",
        description=ABOUT,
        version=__version__,
        lifespan=lifespan,
        middleware=_guards(settings, any_name),
        # The framework's own pages of documentation load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        openapi_url=OPENAPI,
        exception_handlers={
            policy.Elsewhere: policy.answer_elsewhere,
            SmallprintError: failures.on_error,
            HTTPException: failures.on_http_error,
            RequestValidationError: failures.on_bad_request,
        },
    )
    app.state = state = Site()
    state.error_page = partial(render, "error.html")
    state.settings, state.shelf, state.pastes, state.jobs = settings, shelf, shelf.pastes, jobs
    state.network = None  # the system's own; tests put another in its place
    state.gate, state.recent, state.readings = Gate(settings), Recent(), Readings()
    state.long_forms = anyio.CapacityLimiter(1)  # many long forms at once take one thread, half of the interpreter
    state.fetcher = Fetcher(state)
    allowed = Limits(settings.serve_seconds, settings.serve_memory)
    state.glances = Glances(jobs, settings, allowed)
    state.questions = Questions(jobs, settings.library, allowed)
    state.fetching_questions = Questions(jobs, settings.library, allowed, state.fetcher.keep)
    for router in (*PAGES, *routers):
        app.include_router(router)
    app.mount(STATIC_PATH, _Static(directory=STATIC), name="static")
    return app


async def _expire(state: Site) -> None:
    """Delete, now and every minute, the pasted texts whose time is over, and what is remembered of them."""
    while True:
        with suppress(sqlite3.Error, OSError):  # storage that fails now may be there in a minute
            state.readings.keep_only(await run_in_threadpool(state.pastes.ids))
        await asyncio.sleep(60)


class _Static(StaticFiles):
    """Files that browsers may keep for good."""

    def file_response(self, *arguments: Any, **named: Any) -> Response:
        response = super().file_response(*arguments, **named)
        response.headers["Cache-Control"] = FOR_GOOD
        return response


def _guards(settings: Settings, any_name: Collection[str]) -> list[Middleware]:
    """List the guards, the outermost first: their own refusals, too, carry the headers and keep to the time."""
    named = [name for name in settings.serve_hosts.split(",") if name.strip()]
    return [
        Middleware(SafeHeaders),
        *([Middleware(Origins, origins=settings.cors)] if settings.cors else []),
        Middleware(Deadline, seconds=settings.serve_seconds),
        Middleware(KnownHosts, names=(*LOOPBACK, settings.serve_host, *named), any_name=any_name),
        Middleware(OwnPages, origins=settings.cors),
        Middleware(Rates, per_minute=settings.serve_rate),
        Middleware(Sizes, body_bytes=settings.serve_body_bytes, query_bytes=settings.serve_query_bytes),
    ]

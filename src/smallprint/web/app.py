"""The settings in, the whole site out: its pages, its static files, and the guards around them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from smallprint import __version__
from smallprint.errors import SmallprintError
from smallprint.library.memory import Memory
from smallprint.library.pastes import Pastes
from smallprint.library.pool import Pool
from smallprint.pipeline.engines import Engines
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import Limits
from smallprint.settings import Settings
from smallprint.shelf.questions import Questions
from smallprint.web import failures
from smallprint.web.access import Gate
from smallprint.web.deadlines import Deadline
from smallprint.web.fetching import Fetcher
from smallprint.web.glances import Glances
from smallprint.web.origins import Origins
from smallprint.web.pages import (
    about,
    asking,
    compare,
    conversation,
    corpus,
    diff,
    evidence,
    feedback,
    guide,
    landing,
    pasted,
    policy,
    reading,
    results,
    sign_in,
)
from smallprint.web.rates import Rates
from smallprint.web.readings import Readings
from smallprint.web.recent import Recent
from smallprint.web.rendering import STATIC, STATIC_PATH
from smallprint.web.safety import LOOPBACK, KnownHosts, OwnPages, SafeHeaders, Sizes

PAGES: tuple[APIRouter, ...] = (
    landing.router,
    results.router,
    guide.router,
    reading.router,
    pasted.router,
    corpus.router,
    about.router,
    policy.router,
    asking.router,
    conversation.router,
    feedback.router,
    diff.router,
    evidence.router,
    compare.router,
    sign_in.router,
)
OPENAPI = "/api/v1/openapi.json"
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
    pool = Pool(settings.library, seconds=settings.serve_seconds)
    own_jobs = jobs is None
    jobs = jobs or Jobs(settings.serve_processes, waiting=settings.serve_waiting, preload=PRELOAD, niceness=NICENESS)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        jobs.open()
        expiring = asyncio.create_task(_expire(app.state))
        yield
        expiring.cancel()
        if own_jobs:
            await asyncio.to_thread(jobs.close)
        pool.close()

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
            SmallprintError: failures.on_error,
            HTTPException: failures.on_http_error,
            RequestValidationError: failures.on_bad_request,
        },
    )
    app.state.settings = settings
    app.state.pool = pool
    app.state.memory = Memory(pool)
    app.state.engines = Engines(settings.library)
    app.state.network = None  # the system's own; tests put another in its place
    app.state.gate = Gate(settings)
    app.state.recent = Recent()
    app.state.pastes = Pastes(settings.library, settings.paste_minutes)
    app.state.readings = Readings()
    app.state.jobs = jobs
    app.state.fetcher = Fetcher(app.state)
    allowed = Limits(settings.serve_seconds, settings.serve_memory)
    app.state.glances = Glances(jobs, settings, allowed)
    app.state.questions = Questions(jobs, settings.library, allowed)
    app.state.questions_for = _questions(app.state, Questions(jobs, settings.library, allowed, app.state.fetcher.keep))
    for router in (*PAGES, *routers):
        app.include_router(router)
    app.mount(STATIC_PATH, _Static(directory=STATIC), name="static")
    return app


async def _expire(state: State) -> None:
    """Delete, now and every minute, the pasted texts whose time is over, and what is remembered of them."""
    while True:
        with suppress(sqlite3.Error, OSError):  # storage that fails now may be there in a minute
            state.readings.keep_only(await run_in_threadpool(state.pastes.ids))
        await asyncio.sleep(60)


def _questions(state: State, fetching: Questions) -> Callable[[Request], Questions]:
    """Return what chooses who answers a request: `fetching` only where the server fetches and the request may write."""

    def chosen(request: Request) -> Questions:
        may_fetch: bool = state.settings.serve_fetch and state.gate.allows(request)
        questions: Questions = fetching if may_fetch else state.questions
        return questions

    return chosen


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

"""Waiting for a job on behalf of a client that may go away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeVar

from smallprint.errors import ClientGone
from smallprint.processes.jobs import Pending

Result = TypeVar("Result")
# What an ASGI server calls `receive`.
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


async def finished(pending: Pending[Result], receive: Receive) -> Result:
    """Wait for a job's result; when the client of a request leaves, let go of the job and raise ClientGone.

    The request's body must have been read: what `receive` gives after it is that the client has left.
    """
    waiting = asyncio.ensure_future(pending.finished())
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({waiting, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            return waiting.result()
        raise ClientGone("nobody waits for the answer any more")
    finally:
        waiting.cancel()
        leaving.cancel()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

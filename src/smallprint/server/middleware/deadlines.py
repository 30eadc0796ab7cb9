"""The last net under a request: a time limit until its answer begins, and every unforeseen error as a calm page."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from smallprint.server.failures import RETRY, answer, note


class Deadline:
    """ASGI middleware. What has begun to be sent may take its time: exports are long."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self.app = app
        self.seconds = seconds
        self._abandoned: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app in a task of its own, so that it can be left behind: a thread cannot be stopped."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, left = asyncio.Event(), False

        async def watched(message: Message) -> None:
            if not left:
                begun.set()
                await send(message)

        task = asyncio.ensure_future(self.app(scope, receive, watched))
        waiting = asyncio.ensure_future(begun.wait())
        try:
            await asyncio.wait({task, waiting}, timeout=self.seconds or None, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and not begun.is_set():
                left = True
                self._abandoned.add(task)  # or it might be collected while it runs
                task.add_done_callback(self._forget)
                task.cancel()
                await answer(scope, 503, headers=RETRY)(scope, receive, send)
                return
            await task
        except asyncio.CancelledError:
            task.cancel()
            raise
        except Exception as error:
            # The border: what nobody foresaw becomes a page, or, too late for that, ends the connection.
            note(error)
            if begun.is_set():
                raise
            await answer(scope, 500)(scope, receive, send)
        finally:
            waiting.cancel()

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._abandoned.discard(task)
        if not task.cancelled():
            task.exception()  # asked for, so that nobody complains that it was not

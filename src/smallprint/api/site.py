"""What every endpoint may ask for, as parameters: library, indexes, desk, assistant, what was counted."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from smallprint.ask.desk import Desk
from smallprint.library.memory import Memory
from smallprint.library.pool import Pool
from smallprint.pipeline.engines import Engines
from smallprint.shelf.assistant import Assistant


# Coroutines, since a plain function would be sent to a thread for nothing.
async def _pool(request: Request) -> Pool:
    found: Pool = request.app.state.pool
    return found


async def _memory(request: Request) -> Memory:
    found: Memory = request.app.state.memory
    return found


async def _engines(request: Request) -> Engines:
    found: Engines = request.app.state.engines
    return found


async def _desk(request: Request) -> Desk:
    found: Desk = request.app.state.desk
    return found


async def _assistant(request: Request) -> Assistant:
    assistant: Assistant = request.app.state.assistant_for(request)
    return assistant


PoolHere = Annotated[Pool, Depends(_pool)]
MemoryHere = Annotated[Memory, Depends(_memory)]
EnginesHere = Annotated[Engines, Depends(_engines)]
DeskHere = Annotated[Desk, Depends(_desk)]
AssistantHere = Annotated[Assistant, Depends(_assistant)]

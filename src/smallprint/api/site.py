"""What every endpoint may ask for, as parameters: library, indexes, questions, what was counted."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from smallprint.library.memory import Memory
from smallprint.library.pool import Pool
from smallprint.pipeline.engines import Engines
from smallprint.shelf.questions import Questions


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


async def _questions(request: Request) -> Questions:
    questions: Questions = request.app.state.questions_for(request)
    return questions


PoolHere = Annotated[Pool, Depends(_pool)]
MemoryHere = Annotated[Memory, Depends(_memory)]
EnginesHere = Annotated[Engines, Depends(_engines)]
QuestionsHere = Annotated[Questions, Depends(_questions)]

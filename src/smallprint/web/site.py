"""What every page may ask for, as parameters: settings, library, indexes, jobs, questions, fetching, recent pages."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from smallprint.library.memory import Memory
from smallprint.library.pastes import Pastes
from smallprint.library.pool import Pool
from smallprint.pipeline.engines import Engines
from smallprint.settings import Settings
from smallprint.shelf.questions import Questions
from smallprint.web.access import Gate
from smallprint.web.fetching import Fetcher
from smallprint.web.glances import Glances
from smallprint.web.readings import Readings
from smallprint.web.recent import Recent


# Coroutines, since a plain function would be sent to a thread for nothing.
async def _settings(request: Request) -> Settings:
    found: Settings = request.app.state.settings
    return found


async def _pool(request: Request) -> Pool:
    found: Pool = request.app.state.pool
    return found


async def _memory(request: Request) -> Memory:
    found: Memory = request.app.state.memory
    return found


async def _engines(request: Request) -> Engines:
    found: Engines = request.app.state.engines
    return found


async def _glances(request: Request) -> Glances:
    glances: Glances = request.app.state.glances
    return glances


async def _questions(request: Request) -> Questions:
    questions: Questions = request.app.state.questions_for(request)
    return questions


async def _recent(request: Request) -> Recent:
    found: Recent = request.app.state.recent
    return found


async def _pastes(request: Request) -> Pastes:
    pastes: Pastes = request.app.state.pastes
    return pastes


async def _readings(request: Request) -> Readings:
    readings: Readings = request.app.state.readings
    return readings


async def _gate(request: Request) -> Gate:
    gate: Gate = request.app.state.gate
    return gate


async def _fetcher(request: Request) -> Fetcher:
    fetcher: Fetcher = request.app.state.fetcher
    return fetcher


SettingsHere = Annotated[Settings, Depends(_settings)]
PoolHere = Annotated[Pool, Depends(_pool)]
MemoryHere = Annotated[Memory, Depends(_memory)]
EnginesHere = Annotated[Engines, Depends(_engines)]
GlancesHere = Annotated[Glances, Depends(_glances)]
QuestionsHere = Annotated[Questions, Depends(_questions)]
RecentHere = Annotated[Recent, Depends(_recent)]
PastesHere = Annotated[Pastes, Depends(_pastes)]
ReadingsHere = Annotated[Readings, Depends(_readings)]
GateHere = Annotated[Gate, Depends(_gate)]
FetcherHere = Annotated[Fetcher, Depends(_fetcher)]

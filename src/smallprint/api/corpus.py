"""The endpoint on the whole library: /statistics."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated

from fastapi import APIRouter, Query

from smallprint.api.answers import StatisticsAnswer
from smallprint.api.endpoints import Marked, endpoint
from smallprint.api.parameters import Nothing
from smallprint.api.site import MemoryHere
from smallprint.library.statistics import statistics as counted

router = APIRouter(tags=["corpus"], route_class=Marked)


@endpoint(router, "/statistics")
def statistics(asked: Annotated[Nothing, Query()], memory: MemoryHere) -> StatisticsAnswer:
    """Give the whole library in figures. Sectors, reading grade, vagueness, what policies name and practise."""
    found = memory.recall("statistics", counted)
    plain = {one.name: getattr(found, one.name) for one in fields(found)}
    return StatisticsAnswer(**{**plain, "practices": {str(label): n for label, n in found.practices.items()}})

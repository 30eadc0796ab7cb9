"""All endpoints under one router."""

from __future__ import annotations

from fastapi import APIRouter

from smallprint.api import asking, chatting, corpus, exporting, policies, searching
from smallprint.api.endpoints import PREFIX

router = APIRouter(prefix=PREFIX)
for _part in (searching, policies, asking, chatting, corpus, exporting):
    router.include_router(_part.router)

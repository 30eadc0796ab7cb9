"""The library as JSON over HTTP, under /api/v1: the same searches, policies, questions and exports as the pages."""

from fastapi import APIRouter

from smallprint.addresses import API
from smallprint.api import exporting, resources

router = APIRouter(prefix=API)
for _part in (resources.searching, resources.policies, resources.asking, resources.library, exporting.router):
    router.include_router(_part)

__all__ = ["router"]

"""The library as JSON over HTTP, under /api/v1: the same searches, policies and exports as the pages and commands."""

from smallprint.api.routes import router

__all__ = ["router"]

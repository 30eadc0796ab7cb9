from __future__ import annotations

import pytest

from .making import hostile_library


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Give the path of a library whose every policy was written to do harm, to be read only."""
    return hostile_library(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="session")
def client(hostile, served_jobs):
    """Give a client to its pages and its API, as 'smallprint serve' serves them."""
    from starlette.testclient import TestClient

    from smallprint.api import router
    from smallprint.settings import Settings
    from smallprint.web.app import application

    app = application(Settings(library=hostile, serve_rate=0, serve_seconds=0), routers=[router], jobs=served_jobs)
    with TestClient(app, base_url="http://localhost:8017", follow_redirects=True) as client:
        yield client


@pytest.fixture(scope="session")
def ids(hostile):
    """Give the ids of its policies by domain."""
    from smallprint.library import Library, reading

    with Library(hostile) as library:
        return {reading.find_policy(library, one).domain or "local": one for one in reading.policies(library)}

from __future__ import annotations

from contextlib import ExitStack

import pytest
from starlette.testclient import TestClient

from smallprint.api import router
from smallprint.index.opening import WHICH, open_engine
from smallprint.library import Library
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.settings import Settings
from smallprint.web.app import application

HOST = "http://localhost:8017"


@pytest.fixture
def serve(served_jobs):
    """Give a function that serves a library with settings of the test's own, and gives a client to it.

    Answers may take as long as they do, since tests may run on a busy machine.
    """
    with ExitStack() as stack:

        def started(path, **settings):
            values = {"serve_rate": 0, "serve_seconds": 0, **settings}
            app = application(Settings(library=path, **values), routers=[router], jobs=served_jobs)
            return stack.enter_context(TestClient(app, base_url=HOST, follow_redirects=False))

        yield started


@pytest.fixture(scope="module")
def client_of_module(annotated_sample, served_jobs):
    settings = Settings(library=annotated_sample, serve_rate=0, serve_seconds=0)
    app = application(settings, routers=[router], jobs=served_jobs)
    with TestClient(app, base_url=HOST, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(client_of_module):
    """Give a client to the sample; a module's tests share the server, but no cookies."""
    client_of_module.cookies.clear()
    return client_of_module


@pytest.fixture
def sample(annotated_sample):
    """Give the sample's library."""
    with Library(annotated_sample) as library:
        yield library


@pytest.fixture
def copied(copy_sample, tmp_path):
    """Give the path of a copy of the sample with its indexes, to be written to."""
    return copy_sample(tmp_path)


@pytest.fixture
def changed(copied):
    """Give a function that changes a library so that its indexes change too."""

    def change(path=copied):
        with Library(path) as library:
            with library.transaction() as db:
                db.execute("UPDATE versions SET title = title || ' (new)'")
            for which in WHICH:
                bring_up_to_date(library, open_engine(Settings(library=path), which), which)

    return change

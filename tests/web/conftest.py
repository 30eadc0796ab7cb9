from __future__ import annotations

from contextlib import ExitStack

import pytest
from starlette.testclient import TestClient

from smallprint.settings import Settings
from smallprint.web.app import application

from .making import tree_of

HOST = "http://localhost:8017"


@pytest.fixture
def serve(served_jobs):
    """Give a function that serves a library, with settings and routers of the test's own, and gives a client to it.

    Without a deadline, unless a test sets one: tests may run on a busy machine.
    """
    with ExitStack() as stack:

        def started(path, *, routers=(), jobs=served_jobs, **settings):
            values = {"serve_seconds": 0, **settings}
            app = application(Settings(library=path, **values), routers=routers, jobs=jobs)
            return stack.enter_context(TestClient(app, base_url=HOST, follow_redirects=False))

        yield started


@pytest.fixture(scope="module")
def client_of_module(annotated_sample, served_jobs):
    settings = Settings(library=annotated_sample, serve_rate=0, serve_seconds=0)
    app = application(settings, jobs=served_jobs)
    with TestClient(app, base_url=HOST, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(client_of_module):
    """Give a client to the sample's pages; a module's tests share the server, but no cookies."""
    client_of_module.cookies.clear()
    return client_of_module


@pytest.fixture(scope="session")
def bank(annotated_library):
    """Give the view of a policy of the sample that has several versions."""
    from smallprint.library.reading import find_policy
    from smallprint.library.statistics import rates
    from smallprint.view.policy import policy_view

    entry = find_policy(annotated_library, "tidemarkbank.example")
    return policy_view(annotated_library, entry, rates=rates(annotated_library))


@pytest.fixture
def bank_path(bank):
    """Give the path of its page."""
    return f"/policies/{bank.entry.policy_id}"


@pytest.fixture
def open_bank(client, bank_path):
    """Give a function that opens its page with a query, and gives the tree."""
    return lambda query="": tree_of(client.get(f"{bank_path}{query}"))

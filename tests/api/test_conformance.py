"""Requests made up from the API's own description, right ones and wrong ones: every answer is as described."""

from __future__ import annotations

from pathlib import Path

import pytest
import schemathesis
from schemathesis import Config, GenerationMode
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig

from smallprint.api import router
from smallprint.library import Library, reading
from smallprint.search.language import parse_limits
from smallprint.settings import Settings
from smallprint.web.app import OPENAPI, application

EXAMPLES = 25
# The first question loads the models, and the machine may be busy.
SECONDS = 120


# What is too long for a schema may be too long for an address as well; that is for the tests of limits.
LONG = 10_000_000


def application_of(library):
    settings = Settings(library=library, serve_rate=0, serve_seconds=0, serve_hosts="*", serve_query_bytes=LONG)
    return application(settings, routers=[router])


def description(**generation):
    """Load the description as a server gives it; it does not depend on the library, which is not there yet."""
    made = GenerationConfig(max_examples=EXAMPLES, deterministic=True, **generation)
    config = Config(projects=ProjectsConfig(default=ProjectConfig(generation=made, request_timeout=SECONDS)))
    found = schemathesis.openapi.from_asgi(OPENAPI, application_of(Path("none.db")), config=config)

    @found.hook
    def filter_query(context, query):
        return not query or not any(_is_reversed(query, key) for key in ("grade", "vagueness"))

    return found


def _is_reversed(query, key):
    """Tell whether a range has its ends the wrong way round: that is refused, and no schema can say so."""
    whole = query.get(key) or f"{query.get(f'{key}_min', '')}:{query.get(f'{key}_max', '')}"
    found = parse_limits(whole) if isinstance(whole, str) else None
    return found is not None and None not in found and found[0] > found[1]


every = description()
known = description(modes=[GenerationMode.POSITIVE]).include(path_regex=r"\{|/ask$")


@pytest.fixture(scope="module")
def app(annotated_sample):
    return application_of(annotated_sample)


@pytest.fixture(scope="module")
def names(annotated_sample):
    """Give, for each parameter in a path, something that is there."""
    from smallprint.index.opening import open_engine
    from smallprint.search.exports import export_id
    from smallprint.search.request import Request

    with Library(annotated_sample) as library:
        entry = reading.find_policy(library, "tidemarkbank.example")
    return {
        "policy_id": entry.policy_id,
        "export_id": export_id(open_engine(Settings(library=annotated_sample)), Request("cookies")),
    }


@pytest.mark.slow
@every.parametrize()
def test_every_answer_is_as_described(case, app):
    case.call_and_validate(app=app)


@pytest.mark.slow
@known.parametrize()
def test_every_answer_on_what_is_there_is_as_described(case, app, names):
    case.path_parameters = {name: names[name] for name in case.path_parameters}
    given = case.body if case.method == "POST" else case.query
    if "policy" in given:
        given["policy"] = names["policy_id"]
    answer = case.call_and_validate(app=app)
    choices = ("version", "old", "new", "segment")  # what is well-formed may name nothing that is there
    assert answer.status_code == 200 or (answer.status_code == 404 and any(given.get(name) for name in choices))

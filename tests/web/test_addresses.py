"""Pages and API share their nouns, former addresses lead on, and no template spells a path itself."""

import re
from pathlib import Path

import pytest

from smallprint.web import rendering

TEMPLATES = sorted((Path(rendering.__file__).parent / "templates").glob("*.html"))


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("/policy/bank.example", "/policies/bank.example"),
        (
            "/policy/bank.example%2Fprivacy/diff?old=1&new=2",
            "/policies/bank.example%2Fprivacy/diff?old=1&new=2",
        ),
        ("/policy//evil.example", "/policies//evil.example"),
        ("/policy/x/ask?question=do+you+sell%3F&version=ab", "/policies/x/ask?question=do+you+sell%3F&version=ab"),
        ("/corpus", "/statistics"),
        ("/corpus?x=1", "/statistics?x=1"),
    ],
)
def test_former_addresses_are_redirected_for_good(client, former, present):
    for answer in (client.get(former, follow_redirects=False), client.head(former, follow_redirects=False)):
        assert (answer.status_code, answer.headers["location"]) == (301, present)


def test_a_former_address_leads_to_its_page(client):
    answer = client.get("/corpus", follow_redirects=True)
    assert (answer.status_code, answer.url.path) == (200, "/statistics")


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_template_spells_a_path_of_the_site(template):
    assert not re.findall(r'(?:href|action|hx-get|hx-post)="/', template.read_text())


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_strings_stand_in_templates_as_they_are_shown(template):
    assert not re.findall(r"(?<![\w.])(?:_|ngettext)\(|\{% trans", template.read_text())

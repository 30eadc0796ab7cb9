"""What holds for every page holds for those of a policy, too."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.library.reading import find_policy
from smallprint.web.rendering import STATIC, day

from .test_pages import (  # noqa: F401 - collected here once more, with this module's pages
    test_every_field_has_a_label,
    test_headings_go_down_one_step_at_a_time,
    test_ids_are_unique_and_what_refers_to_them_finds_them,
    test_nothing_inline_that_the_content_policy_would_stop,
    test_nothing_is_loaded_from_elsewhere,
)

PAGES = (
    "/policies/{}?mark=vague&mark=names&q=account&show=choice&others=hide&s=4",
    "/policies/{}?version=2021",
    "/policies/{}/diff",
    "/policies/{}/evidence?s=3&s=12",
    "/policies/{}/ask",
    "/policies/{}/ask?question=How+long+do+you+keep+my+information%3F",
    "/policies/{}/ask?question=What+is+the+weather+in+Oslo%3F&version=2021",
    "/policies/{}?version=2021&question=cookies&at=100-190&at=300-380",
    "/compare?policy={}&policy=kitegram.example",
    "/compare",
    "/policies/nowhere",
)


@pytest.fixture(params=PAGES)
def shown(request, client, annotated_library):
    """Give each page in turn: its path, its answer and its tree."""
    path = request.param.format(find_policy(annotated_library, "tidemarkbank.example").policy_id)
    answer = client.get(path)
    return path, answer, LexborHTMLParser(answer.text)


def test_they_answer_head_and_have_one_headline(shown, client):
    path, answer, tree = shown
    head = client.head(path)
    assert (head.status_code, head.content) == (answer.status_code, b"")
    assert answer.status_code == (404 if "nowhere" in path else 200)
    assert len(tree.css("h1")) == len(tree.css("main")) == 1


def test_links_within_the_page_lead_somewhere(shown):
    _, _, tree = shown
    ids = {node.attributes["id"] for node in tree.css("[id]")}
    inner = [node.attributes["href"] for node in tree.css("a[href^='#']")]
    assert [one for one in inner if one[1:] not in ids] == []


def test_nothing_is_fetched_by_the_style_sheet():
    css = (STATIC / "policy.css").read_text(encoding="utf-8")
    assert not any(word in css for word in ("@import", "@font-face", "url("))


@pytest.mark.parametrize(
    ("time", "shown"),
    [("2024-06-01T10:00:00Z", "1 June 2024"), ("2024-06-01", "1 June 2024"), ("2020-12", "December 2020"),
     ("2020", "2020"), ("2020-13-01", "2020-13-01"), ("<b>", "<b>"), ("", "")],
)  # fmt: skip
def test_days_are_as_exact_as_they_are_known(time, shown):
    assert day(time) == shown

from __future__ import annotations

import pytest

from smallprint.clean.cleaning import clean
from smallprint.clean.documents import cut, linked_documents
from smallprint.records import Block, Capture, Link, NamedDocument, Page, Reason, Rejection
from smallprint.settings import Settings

PRIVACY = (
    "This privacy policy explains what personal information we collect from you when you use our website and our app.",
    "We collect your name, email address, postal address and telephone number when you register for an account.",
    "We use the personal data we collect to process your orders, to answer your questions and to improve our service.",
    "We do not sell your personal information. We share it with service providers who process payments for us.",
    "You may ask us for a copy of your personal data, ask us to correct it, and ask us to delete it at any time.",
    "We keep your information for as long as your account is open, and we protect it with encryption.",
)
TERMS = (
    "By accessing this website you agree to be bound by these terms of service and by all applicable laws.",
    "You may not copy, modify, distribute, reverse engineer or resell any part of the service without permission.",
    "The service is provided as is, without warranties of any kind, whether express or implied, including fitness.",
    "In no event shall the company be liable for any indirect, incidental or consequential damages of any kind.",
    "You agree to indemnify and hold harmless the company from any claim that arises from your use of the service.",
    "These terms are governed by the laws of the State of Delaware, and disputes go to binding arbitration there.",
)


def paragraphs(*texts: str) -> list[Block]:
    return [Block("paragraph", text) for text in texts]


def heading(text: str, level: int = 2) -> Block:
    return Block("heading", text, level)


def page(*blocks: Block, address: str = "https://shop.example/privacy", title: str = "Legal") -> Page:
    tags = {"heading": "h{}", "paragraph": "p"}
    body = "".join(f"<{tag}>{block.text}</{tag}>" for block in blocks for tag in [tags[block.kind].format(block.level)])
    html = f"<html><head><title>{title}</title></head><body><main>{body}</main></body></html>"
    return Page(address, html.encode(), "html", "test", "2026-01-01")


BOTH = (
    heading("Terms of Service"),
    *paragraphs(*TERMS),
    heading("Privacy Policy"),
    *paragraphs(*PRIVACY),
)


def test_terms_and_a_policy_are_told_apart():
    parts = cut(BOTH)
    assert [(part.kind, part.title) for part in parts] == [("terms", "Terms of Service"), ("privacy", "Privacy Policy")]
    assert [block for part in parts for block in part.blocks] == list(BOTH)
    assert parts[1].blocks[0] == heading("Privacy Policy")


def test_the_policy_may_come_first_and_more_may_follow():
    refunds = paragraphs("Items may be returned within thirty days for a full refund of the price that was paid.") * 3
    parts = cut((
        heading("Privacy Policy"), *paragraphs(*PRIVACY), heading("Terms of Use"), *paragraphs(*TERMS),
        heading("Return Policy"), *refunds,
    ))  # fmt: skip
    assert [(part.kind, part.title) for part in parts] == [
        ("privacy", "Privacy Policy"),
        ("terms", "Terms of Use"),
        ("other", "Return Policy"),
    ]


@pytest.mark.parametrize(
    "blocks",
    [
        [heading("Privacy Policy", 1), *paragraphs(*PRIVACY)],
        [
            heading("Privacy Policy", 1), *paragraphs(*PRIVACY[:3]),
            heading("Changes to this privacy policy"), *paragraphs(*PRIVACY[3:]),
        ],
        # A title below the document's own is a chapter of it.
        [heading("Terms of Service", 1), *paragraphs(*TERMS), heading("8. Privacy Policy"), *paragraphs(PRIVACY[0])],
        [
            heading("Terms of Service", 1), *paragraphs(*TERMS[:3]),
            heading("Privacy"), *paragraphs("Please read our privacy policy to learn how we use what you tell us."),
            heading("Governing law"), *paragraphs(*TERMS[3:]),
        ],
        [],
    ],
)  # fmt: skip
def test_one_document_is_not_cut(blocks):
    assert cut(blocks) == ()


def test_a_page_of_terms_and_policy_is_kept_as_its_policy():
    capture = clean(page(*BOTH), Settings())
    assert isinstance(capture, Capture)
    assert capture.documents == (NamedDocument("terms", "Terms of Service"),)
    assert capture.text == "\n\n".join(["Privacy Policy", *PRIVACY])
    assert TERMS[0] in capture.page_text
    assert capture.title == "Privacy Policy"
    ends = [capture.text[segment.start : segment.end] for segment in capture.segments]
    assert ends == ["Privacy Policy", *PRIVACY]
    for segment in capture.segments:
        for sentence in segment.sentences:
            assert segment.start <= sentence.start < sentence.end <= segment.end


def test_a_policy_alone_names_no_other_document():
    capture = clean(page(heading("Privacy Policy", 1), *paragraphs(*PRIVACY), title="Privacy Policy"), Settings())
    assert isinstance(capture, Capture)
    assert capture.documents == ()


def test_terms_alone_are_turned_away():
    rejection = clean(page(heading("Terms of Service", 1), *paragraphs(*TERMS), title="Terms of Service"), Settings())
    assert isinstance(rejection, Rejection)
    assert rejection.reason is Reason.NOT_POLICY
    assert "links" not in rejection.detail


def test_a_page_that_only_links_to_policies_says_so():
    words = "Here we bring together the legal documents of all our shops and services for your convenience. " * 4
    html = (
        f"<html><body><main><h1>Legal documents</h1><p>{words}</p><ul><li><a href='/p'>Privacy Policy</a></li>"
        "<li><a href='/c'>Cookie Policy</a></li><li><a href='/t'>Terms of Service</a></li></ul>"
        f"<p>{words}</p></main></body></html>"
    )
    rejection = clean(Page("https://shop.example/legal", html.encode(), "html", "test", "2026-01-01"), Settings())
    assert isinstance(rejection, Rejection)
    assert rejection.reason is Reason.NOT_POLICY
    assert rejection.detail.endswith(
        "; the page only links to documents: Privacy Policy, Cookie Policy, Terms of Service"
    )


def test_links_outside_of_the_words_of_a_page_do_not_count():
    def link(name: str, *, furniture: bool) -> Block:
        return Block("item", name, 1, furniture, (Link(0, len(name), "/x"),))

    blocks = [
        link("Cookie Policy", furniture=True),
        *paragraphs("Welcome."),
        link("Privacy Policy", furniture=True),
        link("Our shops", furniture=True),
        *paragraphs("Goodbye."),
        link("Terms of Use", furniture=True),
    ]
    assert linked_documents(blocks) == ["Privacy Policy"]
    assert linked_documents(blocks[:1]) == []

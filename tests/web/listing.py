"""What tests read from a page of results: its count, its facets, and what its form sends."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

COUNT = re.compile(r"([\d,]+) polic(?:y|ies)")
HTMX = {"HX-Request": "true"}


def tree_of(client, address, status=200):
    answer = client.get(address)
    assert answer.status_code == status, (address, answer.status_code, answer.headers.get("location"))
    return LexborHTMLParser(answer.text)


def texts(tree, selector):
    return [" ".join(node.text().split()) for node in tree.css(selector)]


def links(tree, selector):
    return [node.attributes["href"] for node in tree.css(selector)]


def count(tree):
    (head,) = texts(tree, "h1")
    return 0 if head == "No policies found" else int(COUNT.fullmatch(head)[1].replace(",", ""))


def facet(tree, name):
    (found,) = [one for one in tree.css("fieldset.facet") if one.css_first("legend").text() == name]
    return found


def boxes(tree, name):
    """Give the values of a facet with their names and counts."""
    return {
        node.css_first("input").attributes["value"]: (
            node.css_first(".name").text(),
            int(node.css_first(".figure").text().replace(",", "")),
        )
        for node in facet(tree, name).css("label.tick")
    }


def sent(tree, **changed):
    """Give what a browser sends for the form of filters, with some of its fields changed; None for a box to untick."""
    form = tree.css_first("form#narrow")
    fields = [*form.css("input"), *tree.css("[form=narrow]")]
    pairs = []
    for field in fields:
        given = field.attributes
        if field.tag == "button" or (given.get("type") == "checkbox" and "checked" not in given):
            continue
        value = field.css_first("option[selected]").attributes["value"] if field.tag == "select" else given["value"]
        pairs.append((given["name"], value or ""))
    for name, value in changed.items():
        if name in {"sector", "practice", "technology", "body", "regulation", "year"}:
            pairs += [(name, one) for one in value]
        else:
            pairs = [(key, value if key == name else had) for key, had in pairs]
    return pairs


def is_inside(node, name):
    while node is not None:
        if node.attributes.get("id") == name:
            return True
        node = node.parent
    return False

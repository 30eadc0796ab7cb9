from __future__ import annotations

import pytest

from smallprint.clean.nesting import nests_too_deep


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>" * 10_000,
        "<div>" * 100_000,
        "<div class=x>\n" * 100_000 + "<p>We collect your name.</p>",
        "<b>" * 200_000,
        "".join(f"<p><b id={n}>" for n in range(2_000)),
        "".join(f"<P><FONT size={n}>" for n in range(2_000)),
        "".join(f"<font size={n}>" for n in range(900)) + "<p>x" * 1_000,
        "".join(f"<div><b id={n}></div>" for n in range(2_000)) + "</b>" * 2_000,
    ],
    ids=["tables", "divs", "divs around", "bold", "made anew", "in capitals", "fonts first", "closed at the end"],
)
def test_too_deep(html):
    assert nests_too_deep(html)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "no tags at all, 1 < 2",
        "<div>" * 9_000 + "</div>" * 9_000,
        "<div></div>" * 100_000,
        "<br>" * 50_000,
        "<p>" * 20_000,
        "<li>" * 20_000,
        "<img src=x />" * 20_000,
        "<p><strong class=x>Note</strong></p>" * 20_000,
        "<p><b>never closed" * 5_000,
        "<script>" + "if (a<b && c) { x = 1 } " * 20_000 + "</script>",
    ],
)
def test_not_too_deep(html):
    assert not nests_too_deep(html)

"""Time grows with the length of hostile text, never with its square: ratios of CPU within one run."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from smallprint import limits, markup
from smallprint.clean import dates, decoding, furniture, layout, lines

from ..growth import grows_linearly

# What is said over and over to each step, with what stands before and after it.
HOSTILE: dict[str, tuple[Callable[[str], object], list[tuple[str, str, str]]]] = {
    "dates": (
        lambda text: (dates.effective_on(text), dates.updated_on(text)),
        [
            *(
                ("", said, "")
                for said in ("effective ", "effective the\t", "is effective", "as of ", "in force as of ")
            ),
            *(("", said, "") for said in ("last updated ", "most recently ", "Effective date: 1/1/", "1", " \n")),
            ("effective", " ", "x"),
            ("updated", "\n", ":"),
        ],
    ),
    "lines": (
        lines.read_lines,
        [
            *(("x](", said, "") for said in ("[", "](", "[a](", '[a](b "', "[![", "(", "<![CDATA[")),
            *(
                ("", said, "")
                for said in ("#", "a", "A", "aB", ".", ".) ", " \n", "* ", "| ", "<", "Copyright", "\ufffd")
            ),
            ("# ", "#", "x"),
            ("[a](b", "(c)", ""),
            ("", "and so the words run on and on\n", ""),
            ("You and Tube\n", "YouTube", ""),
        ],
    ),
    "layout": (
        lambda text: furniture.mark(layout.lay_out(text)),
        [
            *(("", said, "") for said in ("<", "<a", "<!--", "&#", "a", " \n", "<br> ", "<p>", "<li>x", "<a href=#>x")),
            ("<table><tr>", "<td></td>", "<td>x"),
            ("<table>", "<tr><td>a<td>b", ""),
            *(
                ('<div class="', name, '"><p>x</p></div>')
                for name in ("nav-", "nav", "canavan ", "menuMenu", "-", "aB")
            ),
        ],
    ),
    "decoding": (
        lambda text: decoding.decode(text.encode() + b"\xff", "utf-8"),
        [("", said, "") for said in ("<", "<meta ", "<meta charset=", "Ã", "â€", "\r", "a", "é")],
    ),
    "markup": (
        markup.refusal,
        [("<" * limits.MAX_DEPTH, said, "") for said in ("<", "<a", "<b ", "</b>", "<br>", "</a b", "<b>")]
        + [("<" * limits.MAX_DEPTH + "<", said, "") for said in ("a", "a ", "a/")],
    ),
}
CASES = [
    pytest.param(step, case, id=f"{name} {case[0][-9:]!a} {case[1]!a}")
    for name, (step, cases) in HOSTILE.items()
    for case in cases
]


@pytest.mark.parametrize(("step", "case"), CASES)
def test_time_grows_with_the_length_of_hostile_text(step, case):
    before, said, after = case
    assert grows_linearly(step, lambda size: before + said * (size // len(said)) + after, 200_000)


def test_the_measure_of_growth_tells_a_quadratic_step():
    assert not grows_linearly(re.compile("a*b").search, lambda size: "a" * size, 200_000)

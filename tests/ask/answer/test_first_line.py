"""The first line of an answer claims no more than the sentence under it."""

from __future__ import annotations

import pytest

from smallprint.ask.answer.first_line import Line, first_line
from smallprint.card import Verdict

# A yes without more words, and what is said where the words under it may say otherwise.
PLAIN, TOLD = "Yes, going by this:", "This is what the policy says."


def verdict_of(line):
    return Verdict.NO if line.startswith("No") else Verdict.YES


@pytest.mark.parametrize(
    ("question", "sentence", "line"),
    [
        ("do you sell my data?", "We do not sell your data.", "No, it says it does not sell your data:"),
        ("do you sell my data?", "We may sell your data to partners.", "Yes, it says it may sell your data:"),
        (
            "Does Fitbit share my location?",
            "We share your location with our partners.",
            "Yes, it says it shares your location:",
        ),
        ("do you sell my data?", "Your data is never sold.", "No, it says it does not sell your data:"),
        (
            "do you share my data?",
            "We do not share your data, except with your consent.",
            "No, it says it does not share your data, with exceptions:",
        ),
        ("do you share my data with advertisers?", "We may share data with partners who cannot identify you.", PLAIN),
        (
            "do you share my data?",
            "We may share data with those who are not able to see it.",
            "Yes, it says it may share your data:",
        ),
        ("do you sell my data", "We don’t make money from selling your personal information.", PLAIN),
        ("do you sell my data", "We don’t sell your personal information.", "No, it says it does not sell your data:"),
        ("is my video encrypted?", "When an email is encrypted, only users have the key.", PLAIN),
        ("is my video encrypted?", "When a video is encrypted, only users have the key.", PLAIN),
        (
            "is my video encrypted?",
            "When you upload it, your video is encrypted.",
            "Yes, it says it encrypts your video:",
        ),
        (
            "is my location shared with Facebook?",
            "Your location is shared with Facebook.",
            "Yes, it says it shares your location with Facebook:",
        ),
        ("Do you use cookies?", "We use “cookies” to collect information.", "Yes, it says it uses cookies:"),
        ("Do you record my meetings?", "We collect content from meetings.", PLAIN),
        ("do you share my data?", "No partner of ours is one with whom we share your data.", PLAIN),
        (
            "do you share my data with any of the many other companies that you know?",
            "We share data with many companies we know.",
            "Yes, it says it shares:",
        ),
        ("do you share my data?", "We hope that you do not share your password.", PLAIN),
        ("do you sell my data?", "For every event for which we sell tickets we disclose your data.", PLAIN),
        ("do you sell my location?", "We do not sell your e-mail address.", PLAIN),
        ("how long do you keep my data?", "We keep your data for two years.", PLAIN),
        ("can i delete my account?", "We delete accounts that are not used.", PLAIN),
        ("do you not sell my data?", "We do not sell your data.", PLAIN),
        ("do you collect and share my photos?", "We collect photos.", PLAIN),
        ("do you track my location?", "You can track your order by its location.", PLAIN),
        ("is my data safe?", "We use firewalls.", PLAIN),
        ("?", "", "There is no question; ask one such as “Do you sell my data?”"),
    ],
)
def test_what_is_claimed(question, sentence, line):
    assert first_line(verdict_of(line), question, (sentence,)).text == line


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("Blue Kite will never share your location.", "No, it says it does not share your location:"),
        ("BlueKite, Inc. shares your location.", "Yes, it says it shares your location:"),
        ("Blue-Kite may also share your location.", "Yes, it says it may share your location:"),
        ("Blue Kite's partners may share your location.", PLAIN),
        ("With Blue Kite, advertisers may share your location.", PLAIN),
        ("Red Kite may share your location.", PLAIN),
        ("You may share your location with Blue Kite.", PLAIN),
    ],
)
def test_a_company_may_speak_of_itself_by_its_name(sentence, line):
    assert first_line(verdict_of(line), "do you share my location?", (sentence,), "bluekite").text == line


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict not in {Verdict.YES, Verdict.NO}])
def test_without_a_yes_or_no_nothing_is_claimed(verdict):
    line = first_line(verdict, "do you sell my data?", ("We sell your data.",))
    assert not line.text.startswith(("Yes", "No"))
    assert line.rests_on == ()


def test_a_verdict_without_sentences_claims_no_more_than_itself():
    assert first_line(Verdict.YES, "do you sell my data?", ()) == Line(PLAIN)
    assert first_line(Verdict.NO, "do you sell my data?", ("We like tea.",), earning=(0,)).rests_on == (0,)


@pytest.mark.parametrize(("verdict", "sentence"), [
    (Verdict.YES, "We do not sell your data."), (Verdict.NO, "We may sell your data."),
])  # fmt: skip
def test_nothing_is_claimed_that_the_words_deny(verdict, sentence):
    assert first_line(verdict, "do you sell my data?", (sentence,)) == Line(TOLD)


@pytest.mark.parametrize(
    ("sentences", "line"),
    [
        (
            ("We don’t make money from selling your data.", "We don’t sell your data.", "We like tea."),
            Line("No, it says it does not sell your data:", (1,)),
        ),
        (("We may sell your data.", "We do not sell your data."), Line(TOLD)),
        (
            ("We do not sell your data.", "We never sell your data, except in a merger."),
            Line("No, it says it does not sell your data, with exceptions:", (0, 1)),
        ),
    ],
)
def test_what_is_shown_at_first_is_taken_together(sentences, line):
    assert first_line(verdict_of(line.text), "do you sell my data?", sentences) == line


def test_nothing_is_claimed_where_another_sentence_says_otherwise_in_other_words():
    never, partners = "We never share your location.", "Partners may receive the location of your device."
    question = "do you share my location?"
    assert first_line(Verdict.NO, question, (never, partners)).text == TOLD
    assert first_line(Verdict.NO, question, (never, "Partners may receive cookies.")).text != TOLD

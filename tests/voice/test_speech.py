from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.voice.speech import LONGEST, for_ear, spoken_list, ssml


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("See https://www.kitegram.example/privacy?x=1#s2.", "See kitegram dot example."),
        ("Go to www.kitegram.example/opt-out, please", "Go to kitegram dot example, please."),
        ("Write to privacy@kitegram.example.", "Write to privacy at kitegram dot example."),
        ("We keep 90% of it, e.g. names & photos.", "We keep 90 percent of it, for example, names and photos."),
        ("We keep names, photos, etc.", "We keep names, photos, and so on."),
        ("Since 2021-06-03 we keep it 3–5 years", "Since 3 June 2021 we keep it 3 to 5 years."),
        ("On 2021-13-40 nothing happened.", "On 2021 to 13 to 40 nothing happened."),
        ("“Partners” and/or vendors; see § 5", "Partners or vendors; see section 5."),
        ("IMPORTANT: the GDPR applies", "Important: the GDPR applies."),
        ("Third party(s) — like Acme, Inc. — may see it", "Third partys, like Acme, Inc, may see it."),
        ("Yes, it says it sells:", "Yes, it says it sells:"),
        ("You can call us 24/7.", "You can call us around the clock."),
        ("", ""),
    ],
)
def test_what_is_written_and_what_is_said(written, said):
    assert for_ear(written) == said


def test_what_is_too_long_is_cut_between_words():
    said = for_ear("word " * 200)
    assert said.endswith("word, and so on.")
    assert len(said) <= LONGEST + 12


@pytest.mark.parametrize(
    ("names", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists(names, said):
    assert spoken_list(names) == said


@given(st.text())
def test_whatever_a_policy_says_is_speech_and_no_markup(text):
    root = ET.fromstring(ssml((for_ear(text),)))
    assert [one.tag for one in root.iter()] == ["speak", "s"]


def test_hostile_words_stay_words():
    assert ssml((for_ear('<audio src="x"/> & </speak>'),)).count("<") == 4

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from smallprint import limits
from smallprint.ask.question.normalising import LONGEST_WORD, Question, normalise
from smallprint.text import words

from ...growth import grows_linearly


def read(asked: str) -> str:
    return normalise(asked).text


def test_a_plain_question_stays_as_it_is():
    asked = "Do you sell my data to third parties?"
    assert normalise(asked) == Question(asked, asked, tuple(asked.lower().rstrip("?").split()))


@pytest.mark.parametrize(
    "asked", ["", " \n\t ", "???", "!?.", "🍪🍪", "\x00\x07", "https://t.co/abc", "@somebody", "'\"'"]
)
def test_nothing_that_can_be_read(asked):
    found = normalise(asked)
    assert (found.asked, found.words) == (asked, ())


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("do u share ur data w/ ppl", "do you share your data with people"),
        ("R u selling it plz", "Are you selling it please"),
        ("i wanna know if u r safe", "i want to know if you are safe"),
        ("what info do u need", "what info do you need"),
        ("why dont u delete it, im angry", "why don't you delete it, i'm angry"),
        ("is it sold to 3rd parties w/o asking", "is it sold to third parties without asking"),
        ("U.S. law, I.D. cards and R", "U.S. law, I.D. cards and R"),
        ("its cant and ill health", "its can't and ill health"),
    ],
)
def test_what_is_said_short_is_written_out(asked, text):
    assert read(asked) == text


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("sooo is it safe", "so is it safe"),
        ("is it reallyyyy safe", "is it really safe"),
        ("does dcccd share my grades", "does dcccd share my grades"),
        ("is it safe??? really!!!", "is it safe? really!"),
        ("is it safe ?", "is it safe?"),
        ("“Can’t I opt—out…?”", '"Can\'t I opt-out?"'),
        ("do you\u202e track\u200b me\x00", "do you track me"),
        ("ｄｏ　ｙｏｕ track me", "do you track me"),
        ("do you track me 😀👍🏽 :) ;-) <3", "do you track me"),
        ('"does the app \\phone home\\"" at any point?"""', "does the app phone home at any point?"),
        ("naïve café", "naïve café"),
        ("DO YOU SELL MY DATA", "do you sell my data"),
        ("is ©Acme™ ok", "is Acme ok"),
    ],
)
def test_signs_and_stretched_letters(asked, text):
    assert read(asked) == text


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("@shop do you sell my data?", "do you sell my data?"),
        (".@shop @help do you sell my data?", "do you sell my data?"),
        ("Hey @ShopNZ where is my data?", "Hey where is my data?"),
        ("RT @news: do you sell my data?", "do you sell my data?"),
        ("@birds sends my contacts to advertisers?", "birds sends my contacts to advertisers?"),
        ("does @fitbit sell my data", "does fitbit sell my data"),
        ("I doubt it. @bank, how sure are you?", "I doubt it. how sure are you?"),
        ("Also, @doctor you say nothing", "Also, you say nothing"),
        ("who sees my photos @evernote?", "who sees my photos?"),
        ("is it owned by @google?", "is it owned by google?"),
        ("my address is bob@site.example, is it shared?", "my address is bob@site.example, is it shared?"),
        ("do you track me? https://t.co/abc", "do you track me?"),
        ("is this true <http://t.co/gCBoF1cZ> or not", "is this true or not"),
        ("is my #data safe", "is my data safe"),
        ("was there a #DataBreach", "was there a Data Breach"),
        ("do you track me #cgc14 #zzzzq", "do you track me"),
        ("do you track me #privacy", "do you track me privacy"),
        ("are we #1", "are we 1"),
    ],
)
def test_tweets(asked, text):
    assert read(asked) == text


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("hwere is my adress kept", "where is my address kept"),
        ("is my data excrypted?", "is my data encrypted?"),
        ("do you folow the rules, goverment or not", "do you follow the rules, government or not"),
        ("deleted comletely, as interantional law asks", "deleted completely, as international law asks"),
        ("is it anonmyised/excrypted", "is it anonymised/encrypted"),
        ("Wesbite logs?", "Website logs?"),
    ],
)
def test_slips_are_mended(asked, text):
    assert read(asked) == text


@pytest.mark.parametrize(
    "word",
    ["tastemade", "evernote", "triposo", "mychart", "zillow", "gitlab", "freep", "launcher", "shuffle", "tickers",
     "keylogger", "geofencing", "donkey", "swiping", "2fa", "h4ck3d", "wha7", "xkcd", "Accuont", "Priavcy", "guilded"],
)  # fmt: skip
def test_names_and_rare_words_are_left_alone(word):
    assert read(f"does the {word} see me") == f"does the {word} see me"


def test_whoever_asks_is_told_what_was_read_otherwise():
    assert normalise("do you folow my excrypted folow").notes == (
        "“folow” was read as “follow”",
        "“excrypted” was read as “encrypted”",
    )
    assert normalise("do u track me??").notes == ()


def test_a_long_question_is_cut():
    found = normalise("do you sell my data " * 2000)
    assert len(found.words) == limits.MAX_QUESTION_WORDS
    assert found.notes == (f"only the first {limits.MAX_QUESTION_WORDS} words were read",)
    exact = " ".join(["data"] * limits.MAX_QUESTION_WORDS)
    assert normalise(exact) == Question(exact, exact, ("data",) * limits.MAX_QUESTION_WORDS)
    assert len(normalise("a/b-c " * 50).words) <= limits.MAX_QUESTION_WORDS


def test_a_word_that_is_none_is_left_out():
    found = normalise(f"do you track {'x' * (LONGEST_WORD + 1)}?")
    assert (found.text, found.notes) == ("do you track?", ("a very long word was left out",))
    assert read(f"is {'y' * LONGEST_WORD} fine") == f"is {'y' * LONGEST_WORD} fine"


@pytest.mark.parametrize(
    "asked",
    [
        "¿Venden ustedes mis datos a terceros?",
        "Geben Sie meine Daten weiter?",
        "你们会分享我的位置吗",
        "продаёте ли вы мои данные?",
    ],
)
def test_other_languages_are_left_as_they_are(asked):
    assert read(asked) == asked


@given(st.text(max_size=400))
@settings(deadline=None)
def test_any_text_can_be_asked(asked):
    found = normalise(asked)
    assert found.asked == asked
    assert found.words == tuple(words(found.text))
    assert len(found.words) <= limits.MAX_QUESTION_WORDS
    assert found.text == " ".join(found.text.split())
    assert found.text.encode().decode() == found.text


@given(
    st.lists(
        st.sampled_from("@a #b u dont sooo https://x.y :) ?? \" ' \\ - / w/ RT . , 3rd adress \u200b 😀".split(" "))
    )
)
@example(["#b", ".", ",", "."])
@settings(deadline=None)
def test_what_was_read_once_is_read_the_same_again(pieces):
    once = normalise(" ".join(pieces)).text
    assert normalise(once).text == once


@pytest.mark.parametrize(
    "piece", ["@", "#", "a/", "'", '"', "aaaa", ":(", "x" * 9 + " ", "comrpmisedd ", "@a ", "#a ", "?!."]
)
def test_no_question_takes_long(piece):
    assert grows_linearly(normalise, lambda size: piece * (size // len(piece)), 200_000)

"""What sentences state of selling, sharing, collecting and using; and what they do not."""

from __future__ import annotations

import pytest

from smallprint.ask.stances import Matter, stance
from smallprint.ask.statements import statements

SELL = Matter(frozenset({"sell"}))
ADVERTISERS = Matter(frozenset({"share"}), whom=frozenset({"advertisers"}))
LOCATION = Matter(frozenset({"share"}), things=frozenset({"location"}))
COLLECTED = Matter(frozenset({"collect", "use"}), things=frozenset({"location"}))
COOKIES = Matter(frozenset({"collect", "use"}), things=frozenset({"cookies"}))
OTHERS = Matter(frozenset({"track"}), frozenset({"cookies"}), frozenset({"anybody", "advertisers"}))
ADS = Matter(frozenset({"use"}), ends=frozenset({"advertising"}))


def said(sentence, matter):
    return {found for one in statements(sentence) if (found := stance(one, matter))}


@pytest.mark.parametrize(
    ("sentence", "matter", "stances"),
    [
        ("We do not sell your data.", SELL, {"does not"}),
        ("We sell some of it to data companies.", SELL, {"does"}),
        ("Some disclosures may be considered a “sale” of personal information.", SELL, {"does"}),
        ("If our business is sold, your data may be transferred.", SELL, set()),
        ("Use the Do Not Sell My Personal Information page.", SELL, set()),
        ("The app helps you to sell your old bicycle and your data stays here.", SELL, set()),
        ("We do not share your information with advertisers.", ADVERTISERS, {"does not"}),
        ("Advertisers get nothing about you from us.", ADVERTISERS, {"does not"}),
        ("No data goes to advertisers.", ADVERTISERS, {"does not"}),
        ("We share your e-mail address with advertisers.", ADVERTISERS, {"does"}),
        ("Advertising partners may receive your location.", ADVERTISERS, {"does"}),
        ("We do not share your information with anyone.", ADVERTISERS, {"does not"}),
        ("We do not share your information with companies in our group.", ADVERTISERS, set()),
        ("We do not share information with third parties except as described below.", ADVERTISERS, set()),
        ("We share aggregate statistics and other information with advertisers.", ADVERTISERS, set()),
        ("We do not sell your details or hand them to advertisers.", ADVERTISERS, {"does not"}),
        ("We do not send data outside the country.", ADVERTISERS, set()),
        ("We never share your location.", LOCATION, {"does not"}),
        ("We do not share your card number with anyone.", LOCATION, set()),
        ("Nobody outside our company learns where you are.", LOCATION, {"does not"}),
        ("If you do not agree, we share your location with our partners.", LOCATION, {"does"}),
        ("We do not sell your location but we share it with partners.", SELL, set()),
        ("We collect the location of your phone.", COLLECTED, {"does"}),
        ("We do not collect your location.", COLLECTED, {"does not"}),
        ("You may share your location with friends.", LOCATION, set()),
        ("There are no cookies.", COOKIES, {"does not"}),
        ("We use cookies to keep you signed in.", COOKIES, {"does"}),
        ("We do not use cookies to collect your name.", COOKIES, set()),
        ("Advertising networks set their own cookies on our pages.", OTHERS, {"does"}),
        ("There are no third-party trackers on the app.", OTHERS, {"does not"}),
        ("There are no third-party trackers on the app.", COOKIES, set()),
        ("We do not use your information for advertising.", ADS, {"does not"}),
        ("We use what you looked at to choose advertisements.", ADS, {"does"}),
    ],
)
def test_what_a_sentence_states(sentence, matter, stances):
    assert said(sentence, matter) == stances


@pytest.mark.parametrize("sentence", ["", "Privacy", "…", "not", "We", "sell sell sell", "no no no data sell"])
def test_any_text_is_read(sentence):
    assert isinstance(statements(sentence), tuple)

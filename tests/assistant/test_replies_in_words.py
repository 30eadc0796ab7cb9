"""How replies read: what sets a policy apart, and how policies of one name are told apart."""

from __future__ import annotations

from smallprint.assistant.findings import _apart
from smallprint.assistant.replies import OF_POLICY, suggestions, told_apart
from smallprint.library.directory import Listed
from smallprint.taxonomy import Label
from smallprint.view.unusual import Missing, Outlier, Rare, Unusual

CHOICE = "what you can choose · how you choose: settings"


def test_what_sets_a_policy_apart_can_be_read_aloud():
    found = Unusual(
        "medical",
        "sector",
        200,
        (Rare(Label("choice"), CHOICE, 6, 200, 0.9, (1,)),),
        (Missing(Label("retention"), "how long they keep it", 160, 200),),
        (Outlier("grade", 17.0, 9.0, 15.0, 0.97, 200), Outlier("vagueness", 0.02, 0.05, 0.4, 0.03, 200)),
    )
    assert _apart(found) == (
        "This sets it apart from 200 other policies of its sector (Medical):",
        "Of them 3 % say something like this: what you can choose (how you choose: settings).",
        "Of them 80 % speak of this, and it does not: how long they keep it.",
        "It is harder to read than 97 % of them.",
        "Of its sentences 2 % are vague, fewer than in 97 % of them.",
    )
    assert _apart(Unusual("medical", "sector", 200)) == ()


def test_policies_of_one_domain_are_told_apart_by_their_addresses():
    one, other = (
        Listed(f"a.example-{n}", "a.example", "a", "Privacy Policy", 1.0, f"https://{n}.a.example/privacy/")
        for n in ("shop", "pay")
    )
    assert told_apart(one, [one, other]) == "Privacy Policy (shop.a.example/privacy)"
    assert told_apart(other, [one, other]) == "Privacy Policy (pay.a.example/privacy)"
    assert told_apart(one, [one]) == "A (a.example)"


def test_what_was_just_asked_is_not_suggested_again():
    assert suggestions("", OF_POLICY[1])[-1] == OF_POLICY[1]
    assert "cookies" not in " ".join(suggestions("Do you use cookies?"))

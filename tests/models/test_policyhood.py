from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.errors import NoModel
from smallprint.models import policyhood, store
from smallprint.models.policyhood import LEXICON, ZONES, Evidence, features, probability
from smallprint.settings import Settings
from smallprint.text import hashed, words

POLICY = """This privacy policy says what personal information we collect, how we use it and with whom we share it. We
collect your name and your e-mail address when you make an account. We use cookies to keep you signed in. We do not sell
your personal information to third parties. You may ask us to delete your data at any time by writing to us. We keep
your information for as long as your account is open, and we protect it with encryption. """
RECIPE = """Peel the apples, cut them in quarters and take out the cores. Melt the butter in a heavy pan, strew the
sugar over it and wait until it is golden. Lay the apples in it, side by side, and put the pastry on top.
Bake for forty minutes in a hot oven, let the tart rest, and turn it over on a large plate. Serve it warm,
with cream or with ice. """


def evidence(text: str = "", url: str = "", title: str = "", headings: tuple[str, ...] = ()) -> Evidence:
    return Evidence(url, title, headings, hashed(words(text)))


@pytest.fixture
def fresh():
    """Let the model be loaded anew, and forget it afterwards."""
    policyhood._weights.cache_clear()
    yield
    policyhood._weights.cache_clear()


def test_a_policy_is_more_probable_than_a_recipe():
    policy = probability(
        evidence(POLICY, "https://a.example/privacy", "Privacy policy", ("What we collect", "Cookies"))
    )
    recipe = probability(evidence(RECIPE, "https://a.example/tart", "Apple tart", ("Ingredients",)))
    assert 0 < recipe < 0.5 < policy < 1


def test_the_address_and_the_title_speak_for_it():
    named = probability(evidence(POLICY, "https://a.example/privacy-policy", "Privacy Policy"))
    assert probability(evidence(POLICY, "https://a.example/tart", "Apple tart")) < named


def test_empty_evidence_does_not_fail():
    assert 0 < probability(evidence()) < 1
    assert 0 < probability(evidence(headings=("", " "))) < 1
    assert 0 < probability(evidence("word")) < 1


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=60), st.lists(st.text(max_size=20), max_size=70), st.text(max_size=300))
def test_any_evidence_has_a_probability_and_always_the_same(path, title, headings, text):
    seen = evidence(text, f"https://a.example/{path}", title, tuple(headings))
    found = probability(seen)
    assert 0 < found < 1
    assert probability(evidence(text, f"https://a.example/{path}", title, tuple(headings))) == found


def test_zones_are_of_length_one_and_within_their_weights():
    found = features(evidence(POLICY, "https://a.example/legal/privacy", "Privacy", ("Cookies", "Your rights")))
    assert list(found.zones) == list(ZONES)
    for name, zone in found.zones.items():
        assert np.linalg.norm(zone.values) == pytest.approx(1)
        assert zone.places.tolist() == sorted(set(zone.places.tolist()))
        assert 0 <= zone.places.min() <= zone.places.max() < 2 ** ZONES[name]


def test_the_host_is_no_evidence():
    one = features(evidence(url="https://privacy.example/legal?privacy")).zones["url"]
    other = features(evidence(url="http://other.test/legal?privacy")).zones["url"]
    assert (one.places.tolist(), one.values.tolist()) == (other.places.tolist(), other.values.tolist())
    assert features(evidence(url="file:///home/privacy.html")).zones["url"].places.tolist() == []


def test_what_the_lexicon_counts():
    counts = features(evidence("cookies " * 2 + "third party " + "blank " * 96)).counts
    assert len(counts) == 2 * len(LEXICON) + 1
    names = list(LEXICON)
    expected = np.zeros(len(names))
    expected[names.index("cookie")] = np.log1p(2)
    expected[names.index("share")] = np.log1p(1)
    assert counts[: len(names)] == pytest.approx(expected)
    assert counts[len(names) : -1] == pytest.approx(expected)
    assert counts[-1] == pytest.approx(np.log(101))


def test_the_model_is_named_by_its_hash():
    manifest = json.loads((store.folder() / store.MANIFEST).read_text(encoding="utf-8"))
    assert store.version(policyhood.MODEL) == manifest[policyhood.MODEL][:12]


@pytest.mark.usefixtures("fresh")
def test_weights_that_are_not_the_measured_ones_are_refused(tmp_path, monkeypatch):
    shutil.copytree(store.folder(), tmp_path / "weights")
    path = tmp_path / "weights" / f"{policyhood.MODEL}.npz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "weights")
    with pytest.raises(NoModel, match="is not the file the manifest names"):
        probability(evidence(POLICY))


@pytest.mark.usefixtures("fresh")
def test_weights_that_are_missing_are_an_error_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    with pytest.raises(NoModel, match="run 'smallprint train is-policy'"):
        probability(evidence(POLICY))


def test_the_setting_is_the_threshold_on_the_models_card():
    card = json.loads((store.folder() / f"{policyhood.MODEL}.json").read_text(encoding="utf-8"))
    assert Settings().policy_threshold == card["threshold"]

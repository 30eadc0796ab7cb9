"""The research data are what we took them for: how many items each data set has, and its first and last."""

from __future__ import annotations

import pytest

from smallprint.datasets import appcorp, corpus, opp115, pi_extract, policyqa, privacyqa, smallprint_qa, vagueness
from smallprint.datasets.questions import only

pytestmark = pytest.mark.real_data("labelled", "corpus", "exclude.txt")


def ends(items):
    """Give the number of items, the first and the last."""
    items = list(items)
    return len(items), items[0], items[-1]


def test_privacyqa(data_dir):
    sheets = privacyqa.load(data_dir / privacyqa.DEVELOPMENT)
    asked = [question for sheet in sheets for question in sheet.questions]
    assert ends(question.id for question in asked) == (100, "Fiverr _1_0", "Keep _2_49")
    assert [len(sheet.sentences) for sheet in sheets] == [173, 87]
    assert sum(bool(question.relevant) for question in asked) == 97
    flagged = privacyqa.flagged_questions(data_dir / privacyqa.TRAINING)
    assert ends(question.id for question in flagged) == (1350, "Cake Web Browser _1_0", "Khan Academy _27_49")


def test_policyqa(data_dir):
    tested, taught = (policyqa.load(data_dir / path) for path in (policyqa.DEVELOPMENT, policyqa.TRAINING))
    assert ends(passage.id for passage in tested) == (3809, "ctnk84gy3t6wdijv", "5p5gmonpo3hfn3sn")
    assert ends(passage.id for passage in taught) == (17129, "rebuilt_00001", "rebuilt_17129")
    assert (len(policyqa.training(data_dir)), len(policyqa.wordings(data_dir))) == (16158, 645)


def test_opp115(data_dir):
    passages = opp115.passages(data_dir / opp115.FOLDER)
    assert ends(passage.id for passage in passages) == (3193, "1017_sci-news.com#0", "988_solarviews.com#0")
    spans = (span.policy for span in opp115.spans(data_dir))
    assert ends(spans) == (35580, "1028_redorbit.com", "988_solarviews.com")
    pages = (page.id for page in opp115.references(data_dir))
    assert ends(pages) == (105, "1017_www.sci-news.com", "862_disinfo.com")


def test_smallprint_qa(data_dir):
    collection, taught = smallprint_qa.training(data_dir)
    first, last = "ota:123Greetings#0", "opp115:1089_freep.com#17"
    assert ends(question.id for question in collection.questions) == (3204, first, last)
    assert ends(question.id for question in taught) == (2628, first, last)
    assert ends(collection.policies) == (178, "dmoz:cat10-recreation/www-clubpeugeotuk-org-1", "ota:ubuntu.com")
    kept_out = only(collection.policies.values(), smallprint_qa.held())
    assert sum(len(sheet.questions) for sheet in kept_out) == 324


def test_vagueness(data_dir):
    sentences = vagueness.sentences(data_dir / vagueness.FILE)
    assert ends((one.id, one.document) for one in sentences) == (3767, ("88395", "831"), ("97576", "913"))


def test_the_others(data_dir):
    paragraphs = ((one.fold, one.topic, len(one.text)) for one in appcorp.training(data_dir))
    assert ends(paragraphs) == (6473, ("0", 3, 137), ("9", 7, 526))
    assert len(pi_extract.sentences(data_dir)) == 878
    pages = (sample.id for sample in corpus.tosback_pages(data_dir))
    assert ends(pages) == (1123, "tosback:4shared.com/Privacy Policy", "tosback:wordfeud.com/Terms of Service")
    versions = (sample.id.partition("/")[2] for sample in corpus.ota_versions(data_dir))
    assert ends(versions) == (1442, "123Greetings/Privacy Policy", "Zara/Terms of Service")

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make test-train'")

from smallprint.card import CODES
from smallprint.datasets.verdicts import AskedItem, Contrast, Labels, Wording
from smallprint.models.card_mapper import COLUMNS, MANY, MEANT, NEAREST, NONE, OF_MANY, TURNED
from smallprint.train.card_mapper import (
    NOTHING,
    calibrated,
    fit,
    of_others,
    of_twins,
    of_wordings,
    out_of_fold,
    stacked,
)

SELLS, AI = CODES.index("sells"), CODES.index("ai")
WIDTH = 24


def toy(count=240):
    """Give rows of wordings of two questions, on one policy or many, either way round, and of questions on neither."""
    luck = np.random.default_rng(1)
    directions = luck.normal(size=(7, WIDTH)).astype(np.float32)
    wordings, features = [], []
    for place in range(count):
        code, is_many, polarity = (
            ("sells", "ai")[place % 2],
            place // 2 % 2,
            place // 4 % 3 % (3 if place // 2 % 2 else 2),
        )
        wordings.append(Wording(code, "many" if is_many else "one", "+-0"[polarity], str(place)))
        features.append(directions[place % 2] + directions[2] * is_many + directions[3 + polarity])
    others = Labels({}, narrow=tuple(AskedItem(str(n), f"p{n % 9}", "?", "", "", (), {}, (), ()) for n in range(60)))
    noise = luck.normal(0, 0.2, (count, WIDTH)).astype(np.float32)
    asked = of_wordings(wordings, np.stack(features) + noise)
    near = directions[6] + luck.normal(0, 0.2, (70, WIDTH)).astype(np.float32)
    return asked, of_others(others, ["?"] * 10, lambda texts: near[: len(texts)])


def test_targets_say_what_is_known():
    wordings = [Wording("ai", "many", "0", "a"), Wording("sells", "one", "-", "b")] * 2
    rows = of_wordings(wordings, np.eye(4, WIDTH, dtype=np.float32))
    assert rows.targets[:, NEAREST].argmax(axis=1).tolist() == [AI, SELLS] * 2
    assert rows.targets[:, MEANT].argmax(axis=1).tolist() == [AI, SELLS] * 2
    assert rows.targets[:, [NONE, MANY]].tolist() == [[0, 1], [0, -1]] * 2
    assert np.isnan(rows.targets[0, TURNED])
    assert rows.targets[1, TURNED] == 1
    assert rows.targets[0, OF_MANY].tolist() == [0, 0, 1]
    assert np.isnan(rows.targets[1, OF_MANY]).all()


def test_a_twin_tells_its_question_alone():
    rows = of_twins([Contrast("ai", "-", "", "", "s", "b")], np.zeros((1, WIDTH), dtype=np.float32))
    assert rows.targets[0, NEAREST].argmax() == AI
    assert np.isnan(rows.targets[0, MANY:COLUMNS]).all()


def test_what_is_none_does_not_teach_which_is_nearest():
    _, others = toy()
    assert np.isnan(others.targets[:, NEAREST]).all()
    assert (others.targets[:, NONE] == 1).all()
    assert set(others.code.tolist()) == {NOTHING}


def test_weights_tell_questions_scopes_and_polarities_out_of_fold():
    asked, others = toy()
    twins = of_twins([Contrast("ai", "+", "", "", "s", "b")], asked.features[1:2])
    scores = out_of_fold(stacked(asked, others), twins)
    certainty, polarity, sure_from, measured = calibrated(scores, asked, others)
    assert measured["right of one"] == measured["right of many"] == 1.0
    assert measured["scope"] == 1.0
    assert measured["right and sure of one"] > 0.9
    assert measured["polarity of one"] > 0.9
    assert (len(certainty), len(polarity)) == (7, 2)
    assert 0 < sure_from < 1


def test_columns_are_fitted_to_the_rows_they_speak_of():
    asked, _ = toy()
    weights = fit(asked)
    changed = asked.targets.copy()
    changed[:, TURNED] = np.nan
    changed[0, TURNED] = 1
    other = fit(type(asked)(asked.features, changed, asked.counts, asked.group, asked.code))
    assert np.allclose(weights[:, NEAREST], other[:, NEAREST], atol=1e-4)
    assert not np.allclose(weights[:, TURNED], other[:, TURNED], atol=1e-2)

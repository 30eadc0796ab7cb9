from __future__ import annotations

import pytest

from smallprint.datasets.privacyqa import load_published
from smallprint.errors import NoData
from smallprint.evaluate.questions import against_experts, agreement, human

from .answerers import Decided, Overlap, ask_all, evaluator

evaluate = evaluator("privacyqa")

FLAGS = ("first", "third", "datasecurity", "dataretention", "user_access", "user_choice", "other")
EXPERTS = tuple(f"Ann{number}" for number in range(1, 7))
HEAD = ("Folder", "DocID", "QueryID", "SentID", "Split", "Query", "Segment", "Any_Relevant", *EXPERTS, *FLAGS)
TEXTS = ("We sell nothing.", "Logs are kept a year.", "We like you.")
WORD = {"R": "Relevant", "I": "Irrelevant", "N": "None"}
# Each question by sentence: what the six experts said.
MARKS = {
    "do you sell my data": ("RRINNN", "IRINNN", "IIINNN"),
    "for how long are logs kept": ("IIINNN", "RIRNNN", "IIINNN"),
    "what is the price": ("NNNNNI", "NNNNNI", "NNNNNI"),
}


def row(question: int, sentence: int, marks: str) -> str:
    anyone = "Relevant" if "R" in marks else "Irrelevant"
    query = list(MARKS)[question]
    cells = ("../Shop", "Shop _1", f"Shop _1_{question}", f"Shop _1_{question}_{sentence}", "test", query,
             TEXTS[sentence], anyone, *(WORD[mark] for mark in marks), *"1000000")  # fmt: skip
    return "\t".join(cells)


@pytest.fixture
def published(tmp_path):
    lines = [row(q, s, marks) for q, all_marks in enumerate(MARKS.values()) for s, marks in enumerate(all_marks)]
    path = tmp_path / "policy_test_data.csv"
    path.write_text("\n".join(["\t".join(HEAD), *reversed(lines)]) + "\n")
    return path


def sets(*places: tuple[int, ...]) -> tuple[frozenset[int], ...]:
    return tuple(map(frozenset, places))


def test_the_table_is_read_with_what_each_expert_marked(published):
    (sheet,), experts = load_published(published)
    assert (sheet.policy, sheet.numbers) == ("Shop _1", (0, 1, 2))
    assert [one.text for one in sheet.sentences] == list(TEXTS)
    relevant = {one.id: one.relevant for one in sheet.questions}
    assert relevant == {"Shop _1_0": {0, 1}, "Shop _1_1": {1}, "Shop _1_2": frozenset()}
    assert experts == {
        "Shop _1_0": sets((0,), (0, 1), ()),
        "Shop _1_1": sets((1,), (), (1,)),
        "Shop _1_2": sets(()),
    }


@pytest.mark.parametrize(
    ("chosen", "truth", "found"),
    [
        ({1, 2}, {2, 3, 4}, (1 / 2, 1 / 3, 2 / 5)),
        ({1}, {2}, (0, 0, 0)),
        (set(), set(), (1, 1, 1)),
        (set(), {1}, (0, 0, 0)),
        ({1}, set(), (0, 0, 0)),
    ],
)
def test_how_two_sets_agree(chosen, truth, found):
    assert agreement(frozenset(chosen), frozenset(truth)) == pytest.approx(found)


class Saying(Overlap):
    """Chooses what it is told to, question by question."""

    def __init__(self, *chosen):
        super().__init__()
        self.chosen = iter(chosen)

    def decide(self, question, sentences):
        return Decided(next(self.chosen), "answered", 0.5, 0.5)


def test_what_was_chosen_against_the_experts(published):
    (sheet,), experts = load_published(published)
    sheet = type(sheet)(
        sheet.policy, sheet.sentences, sheet.numbers, tuple(sorted(sheet.questions, key=lambda q: q.id))
    )
    replies = ask_all(Saying((0,), (1, 2), ()), [sheet], ("combined",))
    # First question, {0} against {0}, {0, 1}, {}: F1 1, 2/3, 0. Without each in turn the best is 2/3, 1, 1, with
    # precision 1, 1, 1 and recall 1/2, 1, 1. Second, {1, 2} against {1}, {}, {1}: F1 2/3 however one is left out, with
    # precision 1/2 and recall 1. Third: nothing against nothing.
    found = against_experts(replies, experts)
    precision, recall = (1 + 1 / 2 + 1) / 3, (5 / 6 + 1 + 1) / 3
    assert found == pytest.approx({
        "leave_one_out_precision": precision,
        "leave_one_out_recall": recall,
        "leave_one_out_F1": 2 * precision * recall / (precision + recall),
        "leave_one_out_mean_F1": (8 / 9 + 2 / 3 + 1) / 3,
        "max_expert_F1": (1 + 2 / 3 + 1) / 3,
        "mean_expert_F1": (5 / 9 + 4 / 9 + 1) / 3,
    })  # fmt: skip


def test_experts_against_each_other(published):
    _, experts = load_published(published)
    # First question: {0} has 2/3 with {0, 1}, which has the same with it, {} agrees with nobody. Second: the two that
    # marked the same agree wholly, the third with nobody. The third question had one expert.
    found = human(experts, frozenset(experts))["human"]
    precision, recall = (1.5 / 3 + 2 / 3) / 2, (1.5 / 3 + 2 / 3) / 2
    assert found["leave_one_out_precision"] == pytest.approx(precision)
    assert found["leave_one_out_recall"] == pytest.approx(recall)
    assert found["leave_one_out_F1"] == pytest.approx(precision)
    assert found["leave_one_out_mean_F1"] == pytest.approx((4 / 9 + 2 / 3) / 2)
    assert found["n"] == 2
    assert human(experts, frozenset({"Shop _1_2"})) == {}


def test_the_benchmark_on_the_file_and_on_its_folder(published):
    result = evaluate(published, by=Overlap())
    assert (result["n"], result["answerable"]) == (3, 2)
    assert list(result["systems"]) == ["combined", "backwards", "nothing", "human"]
    assert result["systems"]["combined"]["F@5_answerable"] == 1
    assert "leave_one_out_F1" in result["systems"]["combined"]
    assert "leave_one_out_F1" not in result["systems"]["backwards"]
    assert evaluate(published.parent, by=Overlap()) == result


def test_the_training_table_has_one_label(tmp_path):
    path = tmp_path / "policy_train_data.csv"
    head = ("Folder", "DocID", "QueryID", "SentID", "Split", "Query", "Segment", "Label")
    cells = ("x", "Shop _1", "Shop _1_0", "Shop _1_0", "train", "do you sell", "We sell nothing.", "Relevant")
    path.write_text("\t".join(head) + "\n" + "\t".join(cells) + "\n")
    (sheet,), experts = load_published(path)
    assert sheet.questions[0].relevant == {0}
    assert experts == {"Shop _1_0": ()}
    result = evaluate(path, by=Overlap())
    assert list(result["systems"]) == ["combined", "backwards", "nothing"]


def test_without_labels_nothing_is_measured(tmp_path):
    path = tmp_path / "policy_test_data.csv"
    cells = ("Shop _1", "Shop _1_0", "Shop _1_0", "do you sell", "We sell nothing.")
    path.write_text("DocID\tQueryID\tSentID\tQuery\tSegment\n" + "\t".join(cells) + "\n")
    assert evaluate(path, by=Overlap()) == {"task": "privacyqa", "data": f"{tmp_path.name}/{path.name}", "n": 0}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("\tRelevant\t", "\tperhaps\t", "'perhaps' as "),
        ("Shop _1_0_1", "Shop _1_0_x", "'Shop _1_0_x' as 'SentID', which does not end"),
    ],
)
def test_what_is_not_in_this_layout_is_told(published, old, new, says):
    published.write_text(published.read_text().replace(old, new))
    with pytest.raises(NoData, match=says):
        load_published(published)

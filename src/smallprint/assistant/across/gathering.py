"""A question over the library in, the policies that answer it out, each with the sentence that earns it.

The index brings the policies that may answer, the best known and most to the point first; of so many of them the
sentences are read. What a policy does not speak of it neither does nor denies, so that it is not among the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from smallprint import limits
from smallprint.ask.english.lexicon import forms
from smallprint.ask.ranking.units import sentences_of
from smallprint.assistant.across.parsing import LibraryQuestion
from smallprint.assistant.across.supporting_sentences import Earned, Glance, earned, glance, key_words
from smallprint.assistant.desk import Desk
from smallprint.assistant.replies import NamedCitation, named
from smallprint.index.engine import Engine
from smallprint.index.ordering import find
from smallprint.index.tree import EVERYTHING, AllOf, AnyOf, Favoured, Node, OneOf, Query, Ranking, Words
from smallprint.index.words import words
from smallprint.library import Library, reading
from smallprint.library.directory import Listed
from smallprint.models.reader import Read
from smallprint.records import Segment
from smallprint.taxonomy import DOES_NOT, Label

# So many policies are looked at for one question, and of so many characters the sentences are read: the best known have
# the longest policies. This takes a second at most (benchmarks/library_questions.py).
MOST_READ = 400
# Of so many the texts are read at once, then of twice as many.
FIRST_PORTION = 25
# So many answers are looked for, and shown at first.
AT_FIRST = 10
# The reader looks at the sentences of so many, and what it finds beside the question comes last. Nothing is dropped for
# it: of 861 answers to our own questions over the sample it would lose as many right ones as wrong ones.
MOST_CHECKED = 12
BEARS_LEAST = -1.0
# How much more a policy is to the point that has the practice, and one that denies something where a denial is wanted.
PRACTISED, DENYING = 2.0, 4.0
# How much more it counts that a policy is of an app, or of the kind of company that was asked about.
MEANT = 2.0
MOST_WORDS = 12
# Of each beginning of a word so many words, the most frequent in policies.
MOST_FORMS = 6
# Counted as they stand, since a pattern takes twenty times as long; "APPs" are Australian principles.
_APP, _NO_APP = (" app", " App"), (" appl", " appe", " appr", " appo", " Appl", " Appe", " Appr", " Appo")
_SITE = (" site", " website", " Site", " Website", " web site", " Web site")
LEAST_APPS = 3
# So many are named of those that say both.
MOST_BOTH = 3


_Answer = tuple[Listed, Earned]
# A policy that may answer: its text, None where it is damaged; a glance at it, None where it cannot; its segments.
_Candidate = tuple[Listed, str | None, Glance | None, Sequence[Segment]]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The policies that answer, in order; how many were read for it, of how many that may speak of the matter.

    `both` are some of those that affirm and deny the same, `saying_both` is how many do; `damaged` is how many could
    not be read, since their stored text does not match its hash.
    """

    policies: tuple[NamedCitation, ...]
    read: int
    among: int
    both: tuple[NamedCitation, ...] = ()
    saying_both: int = 0
    damaged: int = 0


def gather(
    desk: Desk, library: Library, known: Mapping[str, Listed], engine: Engine, question: LibraryQuestion,
    most: int = AT_FIRST, skip: int = 0,
) -> Gathered:  # fmt: skip
    """Find policies that affirm, or deny, what is asked; `skip` leaves out the first ones, which were told before."""
    # The best known policies are long, and deny little without saying the contrary elsewhere.
    ranking = Ranking.RELEVANCE if question.wants == "does not" else Ranking.CUSTOM
    hits = find(engine, query_of(question, desk.kit.words.words), ranking, MOST_READ)
    policies = [known[hit.policy_id] for hit in hits.hits if hit.policy_id in known]
    exact: list[_Answer] = []
    others: list[_Answer] = []  # in the same words as one before, or that say less
    both: list[_Answer] = []
    told: set[tuple[str, ...]] = set()
    read = length = damaged = 0
    for policy, text, seen, segments in _candidates(library, policies, question):
        if len(exact) >= skip + most or length > limits.MAX_LIBRARY_READ:
            break
        damaged += text is None
        read += text is not None
        if text is None or seen is None:
            continue
        length += len(text)
        # What ends with a question mark is a heading, for all that it looks like a sentence.
        sentences = [own for own in sentences_of(text, segments) if not own.text.rstrip().endswith("?")]
        stances = earned(question, seen, sentences, desk.kit.labeller)
        own = stances.get(question.wants)
        if own is None:
            continue
        if len(stances) > 1:
            both.append((policy, own))
            continue
        key = tuple(words(own.sentence.text))
        (exact if own.is_exact and key not in told else others).append((policy, own))
        told.add(key)
    kept = _ordered(desk, question, [*exact, *others][skip : skip + most])
    answers, contrary = (
        tuple(named(policy, own.sentence) for policy, own in some) for some in (kept, both[:MOST_BOTH])
    )
    return Gathered(answers, read, hits.total, contrary, len(both), damaged)


def _candidates(library: Library, policies: Sequence[Listed], question: LibraryQuestion) -> Iterator[_Candidate]:
    """Read policies in ever larger portions: most questions are answered by the first."""
    start, size = 0, FIRST_PORTION
    while start < len(policies):
        portion = policies[start : start + size]
        texts = reading.texts(library, [policy.version_id for policy in portion])
        glances = {
            policy.version_id: glance(question, text.replace("İ", "I").lower())  # each letter stays at its place
            for policy in portion
            if (text := texts.get(policy.version_id)) is not None and _is_meant(question, policy, text)
        }
        segments = reading.segments_of(library, [version_id for version_id, seen in glances.items() if seen])
        for policy in (policy for policy in portion if policy.version_id in texts):  # others were removed meanwhile
            seen = glances.get(policy.version_id)
            own = segments.get(policy.version_id, ()) if seen else ()
            yield policy, texts[policy.version_id] if own is not None else None, seen, own or ()
        start, size = start + size, 2 * size


def query_of(question: LibraryQuestion, vocabulary: tuple[str, ...] = ()) -> Query:
    """Return a query for policies that may speak of the matter; `vocabulary` has words, the most frequent first."""
    filters = [OneOf("sector", question.sectors)] if question.sectors else []
    filters += [OneOf("mention", (name,)) for name in question.names]
    likely = [Favoured("practice", str(label), PRACTISED) for label in question.labels]
    deeds = sorted(question.matter.deeds) if question.matter else []
    nodes: list[Node] = []
    if question.matter is not None:
        nodes += [Words("text", tuple(words(" ".join(spelt)))) for spelt in key_words(question.matter)[:MOST_WORDS]]
        nodes += [Words("text", (form,)) for deed in deeds for form in forms(deed)]
    if question.wants == "does not":
        categories = {label.category for label in question.labels} & {"first-party", "third-party"} or {"third-party"}
        denied = [str(Label(category, "Does/Does Not", DOES_NOT)) for category in categories]
        likely += [Favoured("practice", label, DENYING) for label in denied]
        nodes += [Words("text", (no, deed), DENYING) for deed in deeds for no in ("not", "never")]
    if question.topic is not None:
        spelt = [tokens for name in question.topic.says if (tokens := tuple(words(name)))]
        spellings = dict.fromkeys(form for tokens in spelt for form in (*_begun(tokens, vocabulary), tokens))
        nodes = [Words("text", form) for form in spellings]
        nodes += [Words("text", (word,), PRACTISED) for word in question.topic.further(question.about)]
    wanted: Node = AnyOf(tuple(nodes)) if nodes or question.topic else EVERYTHING
    narrow: list[Node] = []
    if question.of_apps:
        narrow.append(AnyOf((Words("text", ("app",), MEANT), Words("text", ("apps",), MEANT))))
    if question.company is not None:
        begun = [form for name in question.company.says for form in _begun(tuple(words(name)), vocabulary)]
        of_kind = tuple(Words("text", form, MEANT) for form in dict.fromkeys(begun))
        if question.company.sector and nodes:  # a bank may be one by its name alone
            wanted = AnyOf((wanted, *of_kind))
        else:
            narrow.append(AnyOf(of_kind))
    if narrow:
        wanted = AllOf((*([wanted] if nodes else []), *narrow))
    return Query(wanted, (), tuple(filters), tuple(likely))


def _ordered(desk: Desk, question: LibraryQuestion, answers: Sequence[_Answer]) -> list[_Answer]:
    """Let the reader look at what leads, and put last what it finds beside the question."""
    leading = [own.sentence for _, own in answers[:MOST_CHECKED]]
    pairs = [Read(own.text, own.headings[-1] if own.headings else "", own.lead_in) for own in leading]
    readings = desk.kit.reader.read(question.about, pairs) if pairs else []
    doubtful = [place for place, reading in enumerate(readings) if reading.bears < BEARS_LEAST]
    good = [own for place, own in enumerate(answers) if place not in doubtful]
    return [*good, *(answers[place] for place in doubtful)]


def _is_meant(question: LibraryQuestion, policy: Listed, text: str) -> bool:
    """Return whether a policy is of those that were asked about: apps, or a kind of company."""
    if question.of_apps:  # the policy of an app, and not of a site which has one as well, speaks of it more
        apps = sum(map(text.count, _APP)) - sum(map(text.count, _NO_APP))
        if apps < LEAST_APPS or apps <= sum(map(text.count, _SITE)):
            return False
    return question.company is None or question.company.is_of(f"{policy.company} {policy.domain} {policy.title}", text)


@lru_cache(1000)
def _begun(spelt: tuple[str, ...], vocabulary: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the most frequent words that begin with a word, as the index has them; several are left as they are."""
    if len(spelt) != 1:
        return [spelt]
    begun = (word for word in vocabulary if word.startswith(spelt[0]))
    return [(word,) for word in islice(begun, MOST_FORMS)] or [spelt]

"""A question over the library in, the policies that answer it out, each with the sentence that earns it.

The index brings the policies that may answer, the best known and most to the point first; of so many of them the
sentences are read. What a policy does not speak of it neither does nor denies, so that it is not among the answers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import islice, takewhile

from smallprint import limits
from smallprint.annotate.sentences import Sentence, sentences_of
from smallprint.ask.desk import Desk
from smallprint.ask.library_questions import LibraryQuestion
from smallprint.ask.stances import Stance
from smallprint.ask.statements import FORMS
from smallprint.ask.topics import Topic
from smallprint.errors import DamagedText
from smallprint.index.engine import Engine
from smallprint.index.tree import EVERYTHING, AllOf, AnyOf, Favoured, Filter, Node, OneOf, Query, Ranking, Words
from smallprint.index.words import words
from smallprint.library import Library, reading
from smallprint.library.companies import company
from smallprint.library.directory import proper
from smallprint.library.findable import Shown, shown_if_there
from smallprint.models.reader import Read
from smallprint.records import Segment
from smallprint.shelf.earning import Earned, earned, glance, key_words
from smallprint.taxonomy import DOES_NOT, Label
from smallprint.view.permalinks import passage_path

# So many policies are looked at for one question, and of so many characters the sentences are read: the best known have
# the longest policies. This takes a second at most (benchmarks/library_questions.py).
MOST_READ = 400
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


@dataclass(frozen=True, slots=True)
class PolicySaid:
    """A policy in an answer, with the sentence that earns it: its words, its place, and its address on the site.

    `before` introduces it where it is an item of a list; `contrary` is a sentence of the same policy that says the
    opposite.
    """

    policy_id: str
    version_id: str
    name: str
    domain: str
    url: str
    text: str
    before: str | None
    start: int
    end: int
    segment: int
    permalink: str
    contrary: str | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """The policies that answer, in order; how many were read for it, of how many that may speak of the matter.

    `both` are some of those that affirm and deny the same, `saying_both` is how many do; `damaged` is how many could
    not be read, since their stored text does not match its hash.
    """

    policies: tuple[PolicySaid, ...]
    read: int
    among: int
    both: tuple[PolicySaid, ...] = ()
    saying_both: int = 0
    damaged: int = 0


def gather(
    desk: Desk, library: Library, engine: Engine, question: LibraryQuestion, most: int = AT_FIRST, skip: int = 0
) -> Gathered:
    """Find policies that affirm, or deny, what is asked; `skip` leaves out the first ones, which were told before."""
    # The best known policies are long, and deny little without saying the contrary elsewhere.
    ranking = Ranking.RELEVANCE if question.wants == "does not" else Ranking.CUSTOM
    found = engine.find(query_of(question, desk.kit.words.words), ranking, MOST_READ)
    exact: list[tuple[Shown, Earned]] = []
    others: list[tuple[Shown, Earned]] = []  # in the same words as one before, or that say less
    both: list[tuple[Shown, Earned]] = []
    told: set[tuple[str, ...]] = set()
    read = length = damaged = 0
    for hit in found.hits:
        if len(exact) >= skip + most or length > limits.MAX_LIBRARY_READ:
            break
        policy = shown_if_there(library, hit.policy_id)
        if policy is None:
            continue
        try:
            text = reading.text(library, policy.version_id)
            seen = glance(question, _lower(text)) if _is_meant(library, question, policy, text) else None
            segments = reading.segments(library, policy.version_id) if seen else ()
        except DamagedText:
            damaged += 1
            continue
        read += 1
        if seen is None:
            continue
        length += len(text)
        sentences = _sentences(text, segments)
        said = earned(question, seen, sentences, desk.kit.labeller)
        own = said.get(question.wants)
        if own is None:
            continue
        if _other(question.wants) in said:
            both.append((policy, own))
            continue
        key = tuple(words(own.sentence.text))
        (exact if own.is_exact and key not in told else others).append((policy, own))
        told.add(key)
    kept = _ordered(desk, question, [*exact, *others][skip : skip + most])
    return Gathered(
        tuple(policy_said(library, policy, one.sentence) for policy, one in kept),
        read,
        found.total,
        tuple(policy_said(library, policy, one.sentence) for policy, one in both[:MOST_BOTH]),
        len(both),
        damaged,
    )


def query_of(question: LibraryQuestion, vocabulary: Sequence[str] = ()) -> Query:
    """Ask the index for policies that may speak of the matter, narrowed to those that were meant."""
    filters: list[Filter] = []
    if question.sectors:
        filters.append(OneOf("sector", question.sectors))
    filters += [OneOf("mention", (name,)) for name in question.names]
    likely: list[Favoured] = [Favoured("practice", str(label), PRACTISED) for label in question.labels]
    nodes: list[Node] = []
    if question.matter is not None:
        nodes = [Words("text", tuple(words(" ".join(said)))) for said in key_words(question.matter)[:MOST_WORDS]]
        nodes += [Words("text", (form,)) for deed in sorted(question.matter.deeds) for form in FORMS[deed].split()]
    if question.wants == "does not":
        categories = {label.category for label in question.labels} & {"first-party", "third-party"} or {"third-party"}
        likely += [Favoured("practice", str(Label(one, "Does/Does Not", DOES_NOT)), DENYING) for one in categories]
        deeds = sorted(question.matter.deeds) if question.matter else ()
        nodes += [Words("text", (no, deed), DENYING) for deed in deeds for no in ("not", "never")]
    wanted: Node = AnyOf(tuple(nodes)) if nodes else EVERYTHING
    if question.topic is not None:
        nodes = [Words("text", said) for said in _forms(question.topic, vocabulary)]
        nodes += [Words("text", (word,), PRACTISED) for word in question.topic.further(question.about)]
        wanted = AnyOf(tuple(nodes))
    narrow: list[Node] = []
    if question.of_apps:
        narrow.append(AnyOf((Words("text", ("app",), MEANT), Words("text", ("apps",), MEANT))))
    if question.company is not None:
        said = [form for one in question.company.says for form in _begun(tuple(words(one)), vocabulary)]
        of_kind = tuple(Words("text", form, MEANT) for form in dict.fromkeys(said))
        if question.company.sector and nodes:  # a bank may be one by its name alone
            wanted = AnyOf((wanted, *of_kind))
        else:
            narrow.append(AnyOf(of_kind))
    if narrow:
        wanted = AllOf((*([wanted] if nodes else []), *narrow))
    return Query(wanted, (), tuple(filters), tuple(likely))


def policy_said(library: Library, policy: Shown, sentence: Sentence, contrary: Sentence | None = None) -> PolicySaid:
    """Put a policy and its sentence into an answer."""
    known = company(library, policy.domain)
    return PolicySaid(
        policy.policy_id,
        policy.version_id,
        proper(known.name) if known else policy.domain,
        policy.domain,
        policy.url,
        sentence.text,
        sentence.lead_in or None,
        sentence.start,
        sentence.end,
        sentence.passage,
        passage_path(policy.policy_id, policy.version_id, sentence.passage),
        contrary.text if contrary else None,
    )


def _ordered(
    desk: Desk, question: LibraryQuestion, answers: Sequence[tuple[Shown, Earned]]
) -> list[tuple[Shown, Earned]]:
    """Let the reader look at what leads, and put last what it finds beside the question."""
    leading = list(answers[:MOST_CHECKED])
    pairs = [
        Read(one.sentence.text, one.sentence.headings[-1] if one.sentence.headings else "", one.sentence.lead_in)
        for _, one in leading
    ]
    readings = desk.kit.reader.read(question.about, pairs) if pairs else []
    bearing = [reading.bears >= BEARS_LEAST for reading in readings]
    good = [own for own, bears in zip(leading, bearing, strict=True) if bears]
    doubtful = [own for own, bears in zip(leading, bearing, strict=True) if not bears]
    return [*good, *answers[MOST_CHECKED:], *doubtful]


def _sentences(text: str, segments: Sequence[Segment]) -> tuple[Sentence, ...]:
    found = sentences_of(text, segments)
    return tuple(one for one in found if not one.text.rstrip().endswith("?"))  # a heading, for all that it looks like


def _lower(text: str) -> str:
    """Write a text in small letters, each at its own place."""
    return text.replace("İ", "I").lower()  # the one letter that becomes two


def _is_meant(library: Library, question: LibraryQuestion, policy: Shown, text: str) -> bool:
    """Tell whether a policy is of those that were asked about: apps, or a kind of company."""
    if question.of_apps and not _is_of_an_app(text):
        return False
    if question.company is None:
        return True
    known = company(library, policy.domain)
    return question.company.is_of(f"{known.name if known else ''} {policy.domain} {policy.title}", text)


def _forms(topic: Topic, vocabulary: Sequence[str]) -> list[tuple[str, ...]]:
    """Give a topic's words as the index has them: a beginning stands for the most frequent words that begin so."""
    found: list[tuple[str, ...]] = []
    for said in topic.says:
        own = tuple(words(said))
        if own:
            found += [*_begun(own, vocabulary), own]
    return list(dict.fromkeys(found))


def _begun(said: tuple[str, ...], vocabulary: Sequence[str]) -> list[tuple[str, ...]]:
    """Give the most frequent words that begin with a word; several are left as they are."""
    if len(said) != 1:
        return [said]
    ranked = _ranked(tuple(vocabulary))
    first = bisect_left(ranked, (said[0], 0))
    begun = takewhile(lambda one: one[0].startswith(said[0]), islice(ranked, first, None))
    return [(word,) for word, _ in nsmallest(MOST_FORMS, begun, key=lambda one: one[1])] or [said]


@lru_cache(2)
def _ranked(vocabulary: tuple[str, ...]) -> list[tuple[str, int]]:
    return sorted((word, rank) for rank, word in enumerate(vocabulary))


def _is_of_an_app(text: str) -> bool:
    """Tell the policy of an app from that of a site which has an app as well: the app is spoken of more."""
    apps = sum(map(text.count, _APP)) - sum(map(text.count, _NO_APP))
    return apps >= LEAST_APPS and apps > sum(map(text.count, _SITE))


def _other(stance: Stance) -> Stance:
    return "does" if stance == "does not" else "does not"

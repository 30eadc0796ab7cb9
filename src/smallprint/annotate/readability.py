"""How hard a text is to read: its Flesch-Kincaid grade, the years of American schooling it asks for.

The formula is from Kincaid et al. 1975 (https://stars.library.ucf.edu/istlibrary/56). What counts as a word, and how
it is spoken, follows Flesch, "How to Write Plain English" (1979), chapter 2: contractions, hyphenated words,
abbreviations and figures are single words; abbreviations and figures have one syllable; of two ways to say a word the
shorter counts; headings and the numbers of paragraphs are not running text and are skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from smallprint import limits
from smallprint.annotate.kinds import Annotator, Kind, table
from smallprint.records import Segment, Span

# Raised whenever the same text would be given another grade.
VERSION = "1"


@dataclass(frozen=True, slots=True)
class Readability:
    """The counts of a text and the grade they give, None where there are no words."""

    words: int
    sentences: int
    syllables: int
    # The words in sentences above LONGEST_SENTENCE; where they are many, the page's lost full stops were graded.
    overlong: int
    grade: float | None


# What is longer counts as several sentences: of 43 looked at above 120 words, some 40 were lists, tables or paragraphs
# run together, and without a limit 3,000 words without a full stop have a grade above 1,000. It touches 0.2 % of the
# sentences of 13,671 DMOZ policies and moves their mean grade from 12.41 to 12.39.
LONGEST_SENTENCE = 100
# What is longer is a key or a path and is spoken like a figure.
LONGEST_WORD = 40
_LETTER = re.compile(r"[^\W\d_]")
_FIGURE = re.compile(r"[\d_.]")
_HYPHEN = re.compile("[-‐‑]")
# "1.", "3.2", "(a)", "iv)" in front of a sentence: the numbers of paragraphs.
_LABEL = re.compile(
    r"\W*(?:\d{1,3}(?:\.\d{1,3})*[.):]|\d{1,3}(?:\.\d{1,3})+|[a-z][.)]|[ivx]{2,5}[.)])(?:\s+|$)", re.IGNORECASE
)
# An address stands where a noun would, so it is a word, and like a figure is not spelt out.
_ADDRESS = re.compile(r"://|@|^\W*www\.|\.(?:com|org|net|edu|gov|info|io|co|uk|ca|au|eu|de)\b", re.IGNORECASE)
# "U.S.", "e.g."; "don't", "opt-out", "3rd", "1,000", "12:30", "25/05/2018". A slash parts other words, and so does a
# full stop without a blank after it.
_WORD = re.compile(r"\b[^\W\d_](?:\.[^\W\d_]\b)+|\w+(?:['’‐‑-]\w+|(?<=\d)[.,:/]\d+)*")

# A syllable for every group of vowels, less the mute ones, and more where vowels are spoken apart. Against CMUdict's
# shortest pronunciations, weighed by the running words of 1,500 DMOZ policies, on the half of the vocabulary that the
# rules were not chosen on: 98.3 % exact, 0.2 % too many syllables. With the table of SPOKEN, on 1,500 other policies:
# 99.4 % exact, 0.2 % too few, by abbreviations such as "etc", one syllable here; pyphen: 91.6 %, 4.4 % too few.
_VOWELS = re.compile(r"(?:[aeiouà-æè-ïò-öø-ü]|(?<=[^aeiou])y|y(?![aeiou]))+")
# Vowels that are written and not spoken.
_MUTE = re.compile(
    r"""
      (?<=[^aeiouyl])e(?:s(?<![csxzg]es)(?<![cs]hes))?$     # share, shares; not notices, changes, searches
    | (?<=[aeiouyrl]l)e[sd]?$                               # while, rules, called; not able, articles, enabled
    | (?<=[^aeioutdl])ed$                                   # used; not visited, added
    | (?<=[^aeiouyl])e(?=(?:ly|ful|less|ments?|ness|some|ty|things?|times?|body|where)(?:ly|ness)?$)
    | (?<=[aeiouy]l)e(?=(?:ly|ments?)$)                     # solely; not settlement, which is spoken as settle
    | (?<=^[sh]om)e(?=[^aeioudrsl]) | (?<=^her)e(?=[^aeioudrs]) | (?<=^[tw]her)e(?=[^aeioudsv])  # somewhat, hereby
    | (?<=^saf)e(?=g) | (?<=^hous)e(?=h) | (?<=^shar)e(?=h)
    | (?<=[aeiou][gq]u)e(?=(?:s|d|ly)?$)                    # league, uniquely
    | (?<=ic)a(?=lly$)                                      # specifically
    """,
    re.VERBOSE,
)
# What makes a syllable more than the vowels show: vowels that stand together but are spoken apart, and "-ism".
_APART = re.compile(
    r"""
      (?<![ctg])i(?=a) | (?<=[ct])i(?=a(?:t[ei]|bl|lity))   # via, media, associate, negotiable; not social, initial
    | i(?=o(?![nur])) | (?<![nv])i(?=or)                    # period, prior; not behavior
    | (?<![cstgxnl])i(?=on) | (?<![ctgx])i(?=ou)            # criterion, various; not region, conscious
    | i(?=[iu]) | (?<![qg])u(?=a) | (?<=[tn])u(?=i)         # medium, individual, continuity; not quality, language
    | (?:[aeiou]|(?<![aeiou])y)(?=ing)                      # being, doing, applying
    | (?<![ctfhr])i(?=e[nt]) | (?<=r)i(?=et|en[ct]) | (?<=oc)i(?=et) | (?<=^sc)i(?=e)  # client, experience, society
    | (?<=[fldrs])i(?=e(?:rs?|st)$)                         # identifiers, earliest
    | (?<=cr)e(?=at[eio]) | (?<=[rd])e(?=as?$) | (?<=op)e(?=an) | e(?=alit) | (?<=th)e(?=at)  # create, area, European
    | (?<![prg])e(?=o(?![nru])) | (?<!g)e(?=ous) | (?<=g)e(?=og)  # video, simultaneous, geography; not people, thereof
    | (?<=^r)e(?=[uei]) | (?<=^co)o(?=[pr]) | (?<=s)e(?=um)  # reuse, cooperate, museum
    | (?<=s)m(?=s?$)                                        # mechanism
    """,
    re.VERBOSE,
)
_ENDING = re.compile(r"[^aeiouy]n't$|(?:[sxz]|[cs]h|[csgz]e)'s$")  # doesn't, service's; not don't, user's
# The frequent words that the rules miss, by their syllables.
SPOKEN = {word: int(count) for count, words in table("syllables").items() for word in words}


def running(segments: Iterable[Segment]) -> Iterator[Span]:
    """Yield the sentences that are read as running text: not those of headings and table rows."""
    for segment in segments:
        if segment.kind not in {"heading", "row"}:
            yield from segment.sentences


def grade(text: str, sentences: Iterable[Span]) -> Readability:
    """Grade the sentences of a text; what lies outside of them does not count."""
    words = spoken = count = overlong = 0
    for span in sentences:
        stretch = text[span.start : span.end]
        label = _LABEL.match(stretch)
        if label is not None:
            stretch = stretch[label.end() :]
        if _LETTER.search(stretch) is None:  # "1.", "•", "2018": what the splitter cut off, not a sentence
            continue
        length = 0
        for chunk in stretch.split():
            chunk_words, chunk_syllables = _chunks[chunk] if len(chunk) <= LONGEST_WORD else _counted(chunk)
            length += chunk_words
            spoken += chunk_syllables
        words += length
        count += -(-length // LONGEST_SENTENCE)
        overlong += length if length > LONGEST_SENTENCE else 0
    value = 0.39 * words / count + 11.8 * spoken / words - 15.59 if words else None
    return Readability(words, count, spoken, overlong, value)


def syllables(word: str) -> int:
    """Count the syllables of a word, at least 1; of a hyphenated word, those of its parts."""
    if len(word) > LONGEST_WORD or _FIGURE.search(word) is not None:
        return 1
    return sum(_spoken(part) for part in _HYPHEN.split(word.lower().replace("’", "'")) if part) or 1


def _spoken(word: str) -> int:
    stem, _, ending = word.partition("'")
    count = SPOKEN.get(stem)
    if count is None:
        count = max(len(_VOWELS.findall(stem)) + len(_APART.findall(stem)) - len(_MUTE.findall(stem)), 1)
    return count + (1 if ending and _ENDING.search(word) else 0)


def _counted(chunk: str) -> tuple[int, int]:
    """Count the words and syllables in what stands between two blanks: none in a dash, two in "and/or"."""
    if _ADDRESS.search(chunk) is not None:
        return 1, 1
    words = _WORD.findall(chunk)
    return len(words), sum(map(syllables, words))


class _Chunks(dict[str, tuple[int, int]]):
    """The counts of the chunks met so far: a language has few, and policies share them."""

    def __missing__(self, chunk: str) -> tuple[int, int]:
        if len(self) >= limits.MAX_KNOWN_CHUNKS:
            self.clear()
        value = self[chunk] = _counted(chunk)
        return value


_chunks = _Chunks()


KIND = Kind(
    name="readability",
    annotator=lambda quality: Annotator("readability", "flesch-kincaid", VERSION),
    make=lambda document, model: grade(document.text, running(document.segments)),
    decode=lambda content: Readability(**json.loads(content)),
    measures=lambda readability: {"grade": readability.grade},
)

"""A question as somebody typed it, made fit to be read: tweets, chat, slips and stray characters put right."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from string import ascii_lowercase

from rapidfuzz.distance import OSA

from smallprint import limits
from smallprint.ask.english.lexicon import pattern, table
from smallprint.models.vectors import Vectors, shipped
from smallprint.text import words

# Longer ones are keys, addresses or noise, and take a translator minutes.
LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was `asked`, and as it is read: `text`, and its `words` in lower case.

    `notes` tell whoever asked what was read otherwise than typed, beyond blanks and signs.
    """

    asked: str
    text: str
    words: tuple[str, ...]
    notes: tuple[str, ...] = ()


def normalise(text: str) -> Question:
    """Make a question fit to be read; any text is taken, and one without words gives an empty question."""
    known = shipped()
    notes: list[str] = []
    line = _names(_plain(text[: limits.MAX_QUESTION_READ]), known)
    if line.isupper() and len(line.split()) > 2:  # all of it is shouted
        line = line.lower()
    opens, read = True, []
    for typed in line.split():
        read.append(_read(typed, known, notes, opens=opens))
        opens = typed.rstrip("\"')").endswith((".", "?", "!", ":"))
    line = _tidy(" ".join(token for token in read if token))
    kept = line.split()[: limits.MAX_QUESTION_WORDS]
    while len(words(" ".join(kept))) > limits.MAX_QUESTION_WORDS:
        kept.pop()
    if " ".join(kept) != line or len(text) > limits.MAX_QUESTION_READ:
        line = " ".join(kept)
        notes.append(f"only the first {limits.MAX_QUESTION_WORDS} words were read")
    return Question(text, line, tuple(words(line)), tuple(dict.fromkeys(notes)))


# Characters.

_SAME = str.maketrans({
    **dict.fromkeys("’‘‛`´ʼ′", "'"), **dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("–—―−", "-"),
    **dict.fromkeys("©®™\\", " "),
})  # fmt: skip
# Pictures, marks without a letter, and what no reader sees.
_DROPPED = frozenset({"So", "Sk", "Cc", "Cf", "Cs", "Co", "Cn", "Me"})
_VARIANTS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_FACE = pattern(r"(?<![^\s.,!?])(?:[:;=]['^o-]?[)(\]\[dp/|*o3]+|<3+|\^_*\^|xd)(?![^\s.,!?])")
_URL = pattern(r"<?(?:https?://|www\.)\S*|(?<![\w.@])(?:t\.co|bit\.ly|goo\.gl|pic\.twitter\.com)/\S*")


def _plain(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode("utf-8").translate(_SAME)
    folded = unicodedata.normalize("NFKC", whole).translate(_SAME)
    letters = (" " if unicodedata.category(sign) in _DROPPED else sign for sign in _VARIANTS.sub("", folded))
    line = _FACE.sub(" ", _URL.sub(" ", " ".join("".join(letters).split())))
    return " ".join(line.split())


def _tidy(line: str) -> str:
    """Put signs in order: no blank before a mark, no mark thrice, no quotation mark that quotes nothing."""
    line = re.sub(r'"{2,}', '"', line)
    if line.count('"') % 2:
        line = line.replace('"', "")
    line = re.sub(r"([.!?])(?:\s+,)+", r"\1", line)
    line = re.sub(r"([?!.,;:])(?:\s*\1)+", r"\1", line)
    line = re.sub(r"\s+([?!.,;:)])(?=\s|$)", r"\1", line)
    line = re.sub(r"[?!.]*\?[?!.]*", "?", line)
    return " ".join(re.sub(r"^[\s,.;:!?)\-]+", "", line).split())


# Names that begin with "@", and words that begin with "#".

_RETWEET = re.compile(r"^\W*RT\s*:?\s*(?=@)")
_HANDLE = re.compile(r"(?<![\w.@])\.?@(\w{1,30})\b")
_TAG = re.compile(r"(?<![\w#&])#(\w+)")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WORD = re.compile(r"[\w']+")
_GREETING = frozenset("hey hi hello dear yo ok okay thanks thx also and so but".split())
# Before one of these a name is the one spoken to, and not what is spoken of.
_ADDRESSED = frozenset(
    "you your u ur i we my the do does did is are was can could will would should have has how what".split()
)
# After one of these a name at the end is what is asked about.
_GOVERNING = frozenset({"IN", "VB", "VBZ", "VBG", "VBD", "VBN", "MD", "DT"})


def _names(line: str, known: Vectors) -> str:
    line = _HANDLE.sub(lambda handle: _name(handle, known), _RETWEET.sub("", line))
    return _TAG.sub(lambda tag: _tag(tag, known), line)


def _name(handle: re.Match[str], known: Vectors) -> str:
    """Drop the name of whoever is spoken to, and keep that of whoever is spoken of."""
    after = handle.string[handle.end() :]
    ahead = _HANDLE.sub(" ", handle.string[: handle.start()]).rstrip()
    before = [word.lower() for word in _WORD.findall(ahead)]
    next_word = next((word[0].lower() for word in _WORD.finditer(_HANDLE.sub(" ", after))), "")
    if not ahead or ahead[-1] in ".!?:" or (len(before) == 1 and before[0] in _GREETING):
        is_kept = known.part(next_word) == "VBZ" and next_word not in _ADDRESSED and not after.startswith((",", ":"))
    elif next_word in {"you", "your", "u", "ur"} or ahead.endswith(","):
        is_kept = False
    else:
        is_kept = bool(next_word) or known.part(before[-1] if before else "") in _GOVERNING
    return handle[1] if is_kept else ""


def _tag(tag: re.Match[str], known: Vectors) -> str:
    """Turn a tag into its words; what nobody knows is dropped where only tags follow."""
    pieces = _CAMEL.findall(tag[1]) or [tag[1]]
    is_last = not _WORD.search(_TAG.sub(" ", tag.string[tag.end() :]))
    is_known = all(piece.isdigit() or piece.lower() in known for piece in pieces)
    return " ".join(pieces) if is_known or not is_last else ""


# Words.

_SPLIT = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_PIECES = {"w/o": "without", "w/out": "without", "w/": "with", "b/c": "because"}
_SHORT = {short: meant for group in table("short", __package__).values() for short, meant in group.items()}


def _read(typed: str, known: Vectors, notes: list[str], *, opens: bool) -> str:
    """Return a word with the signs around it as it is meant; `opens` tells that it begins a sentence."""
    if typed.lower() in _PIECES:
        return _PIECES[typed.lower()]
    before, core, after = _SPLIT.fullmatch(typed).groups()  # type: ignore[union-attr]  # which matches anything
    if len(core) > LONGEST_WORD:
        notes.append("a very long word was left out")
        return before.strip() + after.strip()
    # A capital inside a sentence may be a name or a sign and is left.
    if core.lower() in _SHORT and (opens or not core[0].isupper() or core[1:].islower()):
        meant = _SHORT[core.lower()]
        core = meant[0].upper() + meant[1:] if core[0].isupper() else meant
    elif not any(sign in "@._\\" or sign.isdigit() for sign in core):  # neither an address nor a number
        core = _LETTERS.sub(lambda word: _spelt(word[0], known, notes, opens=opens), core)
    return before + core + after


def _spelt(word: str, known: Vectors, notes: list[str], *, opens: bool) -> str:
    """Undo stretched letters and slips in one word."""
    lower, capital = word.lower(), word[0].isupper()
    if lower in known or (capital and not (opens and word[1:] == lower[1:])):
        return word
    meant = _shrunk(lower, known)
    if meant is None:
        meant = mended(lower, known, VERY_COMMON) if capital else mended(lower, known)
        if meant is None:
            return word
        notes.append(f"“{word}” was read as “{meant}”")
    return meant.capitalize() if capital else meant


def _shrunk(word: str, known: Vectors) -> str | None:
    """Return a stretched word as it is: "sooo" as "so", "stilll" as "still"; None where nobody can tell."""
    if not _STRETCHED.search(word):
        return None
    tries = (_STRETCHED.sub(r"\1", word), _STRETCHED.sub(r"\1\1", word))
    ranked = [(rank, shrunk) for shrunk in tries if len(shrunk) > 1 and (rank := known.rank(shrunk)) is not None]
    return min(ranked)[1] if ranked else None


# Slips are mended by the words that policies use; what may be a name or a rare word is left alone.

# Letters that were left out, put in, turned round or mistaken. What changes the beginning or the end of a word makes
# another word as often as not ("tickers" is no "tickets", "launcher" not "launched", "swiping" not "wiping").
SHORTEST, SHORTEST_LOOSE, SHORTEST_TWO = 5, 7, 10
# A word is mended to one of the commonest only, and to none where another is nearly as common.
COMMON, VERY_COMMON = 10_000, 300
CLEARLY = 8
END = 2


def mended(word: str, known: Vectors, commonest: int = COMMON) -> str | None:
    """Return what a word in lower case was meant to be; None where it is known, or nobody can tell."""
    if not re.fullmatch("[a-z]+", word) or known.rank(word) is not None:
        return None
    near = _near(word)
    if len(word) < SHORTEST:
        return _clearly(near if len(word) > 2 else set(), known, VERY_COMMON)
    meant = _clearly(near, known, commonest)
    is_open = meant is None and all((known.rank(other) or commonest + 1) > commonest for other in near)
    if is_open and len(word) >= SHORTEST_TWO:
        # Up to two slips in a long word that begins and ends rightly: "repercutions", "statemenrt".
        alike = (other for other in known.words[:commonest] if (other[0], other[-1]) == (word[0], word[-1]))
        long = (other for other in alike if len(other) >= SHORTEST_LOOSE)
        near = {other for other in long if OSA.distance(word, other, score_cutoff=2) <= 2}
        meant = _clearly(near, known, commonest)
    return meant


def _clearly(near: set[str], known: Vectors, commonest: int) -> str | None:
    """Return the commonest of some words if no other is nearly as common."""
    ranked = sorted((rank, word) for word in near if (rank := known.rank(word)) is not None)
    if not ranked or ranked[0][0] > commonest:
        return None
    return ranked[0][1] if len(ranked) == 1 or ranked[1][0] >= CLEARLY * ranked[0][0] else None


def _near(word: str) -> set[str]:
    """Return what a word may be a slip of.

    Two letters are turned round ("thier"), or one is written once for twice ("acess"); in longer words one is left out,
    put in or mistaken that is neither the first nor among the last ("completly", "excrypted").
    """
    parts = [(word[:at], word[at:]) for at in range(len(word))]
    near = {before + after[1] + after[0] + after[2:] for before, after in parts[:-1]}
    if len(word) >= SHORTEST:
        near |= {before + after[0] + after for before, after in parts}
        near |= {before + after[1:] for before, after in parts if before[-1:] == after[0]}
    if len(word) >= SHORTEST_LOOSE:
        near |= {before + letter + after for before, after in parts[1:] for letter in ascii_lowercase}
        near |= {before + letter + after[1:] for before, after in parts[1:-END] for letter in ascii_lowercase}
    if len(word) > SHORTEST_LOOSE:
        near |= {before + after[1:] for before, after in parts[1:-END]}
    return near

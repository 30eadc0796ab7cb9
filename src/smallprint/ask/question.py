"""A question as somebody typed it, made fit to be read: tweets, chat, slips and stray characters put right."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from smallprint import limits
from smallprint.ask.spelling import VERY_COMMON, mended
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
    read = [_read(token, known, notes) for token in _tokens(line)]
    line = _tidy(" ".join(token for token in read if token))
    kept, cut = _cut(line)
    if cut or len(text) > limits.MAX_QUESTION_READ:
        notes.append(f"only the first {limits.MAX_QUESTION_WORDS} words were read")
    return Question(text, kept, tuple(words(kept)), tuple(dict.fromkeys(notes)))


# Characters.

_SAME = str.maketrans({
    **dict.fromkeys("’‘‛`´ʼ′", "'"), **dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("–—―−", "-"),
    **dict.fromkeys("©®™\\", " "),
})  # fmt: skip
# Pictures, marks without a letter, and what no reader sees.
_DROPPED = frozenset({"So", "Sk", "Cc", "Cf", "Cs", "Co", "Cn", "Me"})
_VARIANTS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_FACE = re.compile(r"(?<![^\s.,!?])(?:[:;=]['^o-]?[)(\]\[dp/|*o3]+|<3+|\^_*\^|xd)(?![^\s.,!?])", re.IGNORECASE)
_URL = re.compile(r"<?(?:https?://|www\.)\S*|(?<![\w.@])(?:t\.co|bit\.ly|goo\.gl|pic\.twitter\.com)/\S*", re.IGNORECASE)


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
    line = _RETWEET.sub("", line)
    line = _HANDLE.sub(lambda found: _name(found, known), line)
    return _TAG.sub(lambda found: _tag(found, known), line)


def _name(found: re.Match[str], known: Vectors) -> str:
    """Drop the name of whoever is spoken to, and keep that of whoever is spoken of."""
    before, after = found.string[: found.start()], found.string[found.end() :]
    ahead = _HANDLE.sub(" ", before).rstrip()
    next_word = next((match[0].lower() for match in _WORD.finditer(_HANDLE.sub(" ", after))), "")
    last_word = (_WORD.findall(ahead) or [""])[-1].lower()
    opens = not ahead or ahead[-1] in ".!?:" or (last_word in _GREETING and len(_WORD.findall(ahead)) == 1)
    if opens:
        speaks = known.part(next_word) == "VBZ" and next_word not in _ADDRESSED and not after.startswith((",", ":"))
        return found[1] if speaks else ""
    if next_word in {"you", "your", "u", "ur"} or ahead.endswith(","):
        return ""
    if not next_word:
        return found[1] if known.part(last_word) in _GOVERNING else ""
    return found[1]


def _tag(found: re.Match[str], known: Vectors) -> str:
    """Turn a tag into its words; what nobody knows is dropped where only tags follow."""
    pieces = _CAMEL.findall(found[1]) or [found[1]]
    after = _TAG.sub(" ", found.string[found.end() :])
    if not _WORD.search(after) and not all(piece.isdigit() or piece.lower() in known for piece in pieces):
        return ""
    return " ".join(pieces)


# Words.

_SPLIT = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_PIECES = {"w/o": "without", "w/out": "without", "w/": "with", "b/c": "because"}
_SENTENCE_END = (".", "?", "!", ":")


@dataclass(frozen=True, slots=True)
class _Token:
    """A word with the signs around it; `opens` where it begins a sentence, `shouted` where all are in capitals."""

    typed: str
    opens: bool
    shouted: bool


def _tokens(line: str) -> Iterator[_Token]:
    shouted = line.isupper() and len(line.split()) > 2
    opens = True
    for typed in line.split():
        yield _Token(typed, opens, shouted)
        opens = typed.rstrip("\"')").endswith(_SENTENCE_END)


def _read(token: _Token, known: Vectors, notes: list[str]) -> str:
    typed = token.typed.lower() if token.shouted else token.typed
    if typed.lower() in _PIECES:
        return _PIECES[typed.lower()]
    before, core, after = _SPLIT.fullmatch(typed).groups()  # type: ignore[union-attr]  # which matches anything
    if len(core) > LONGEST_WORD:
        notes.append("a very long word was left out")
        return before.strip() + after.strip()
    said = _said(core, token)
    if said is None:
        said = _LETTERS.sub(lambda found: _spelt(found[0], token, known, notes), core) if _is_plain(core) else core
    return before + said + after


def _said(core: str, token: _Token) -> str | None:
    """Write out what is said short; a capital inside a sentence may be a name or a sign and is left."""
    short = _short()
    if core.lower() not in short or (core[:1].isupper() and not token.opens and not core[1:].islower()):
        return None
    said = short[core.lower()]
    return said[0].upper() + said[1:] if core[0].isupper() else said


def _is_plain(core: str) -> bool:
    """Tell a word, or several with "/" or "-" between them, from addresses and numbers."""
    return not any(sign in core for sign in "@._\\") and not any(map(str.isdigit, core))


def _spelt(word: str, token: _Token, known: Vectors, notes: list[str]) -> str:
    """Undo stretched letters and slips in one word."""
    lower = word.lower()
    capital = word[0].isupper()
    if lower in known or (capital and not (token.opens and word[1:] == lower[1:])):
        return word
    meant = _shrunk(lower, known)
    if meant is None:
        meant = mended(lower, known, VERY_COMMON) if capital else mended(lower, known)
        if meant is None:
            return word
        notes.append(f"“{word}” was read as “{meant}”")
    return meant.capitalize() if capital else meant


def _shrunk(word: str, known: Vectors) -> str | None:
    """Give a stretched word as it is: "sooo" as "so", "stilll" as "still"; None where nobody can tell."""
    if not _STRETCHED.search(word):
        return None
    tries = (_STRETCHED.sub(r"\1", word), _STRETCHED.sub(r"\1\1", word))
    ranked = sorted((rank, one) for one in tries if len(one) > 1 and (rank := known.rank(one)) is not None)
    return ranked[0][1] if ranked else None


@cache
def _short() -> dict[str, str]:
    table = tomllib.loads(resources.files(__package__).joinpath("short.toml").read_text(encoding="utf-8"))
    return {short: said for group in table.values() for short, said in group.items()}


def _cut(line: str) -> tuple[str, bool]:
    """Give the beginning of a line up to so many words, and whether anything was cut."""
    said = line.split()
    kept = " ".join(said[: limits.MAX_QUESTION_WORDS])
    while len(words(kept)) > limits.MAX_QUESTION_WORDS:
        said = kept.split()[:-1]
        if not said:
            return "", True
        kept = " ".join(said)
    return kept, kept != line

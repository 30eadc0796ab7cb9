"""What a privacy policy can speak of: OPP-115's categories, their attributes and values.

Names are the dataset's own (Wilson et al. 2016, https://aclanthology.org/P16-1126), to the letter, beside the name we
show to people. Only attributes an annotator had to fill in are here; "Other" is split in three, as Polisis does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar


@dataclass(frozen=True, slots=True)
class Value:
    """One answer to an attribute's question."""

    name: str
    plain: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """One question that is asked of every practice in a category."""

    name: str
    plain: str
    values: tuple[Value, ...]

    def value(self, name: str) -> Value:
        """Find a value by the dataset's name; KeyError if there is none."""
        return _by_name(self.values, name)


@dataclass(frozen=True, slots=True)
class Category:
    """One of the twelve things a passage can be about."""

    id: str
    name: str
    plain: str
    attributes: tuple[Attribute, ...] = ()

    def attribute(self, name: str) -> Attribute:
        """Find an attribute by the dataset's name; KeyError if there is none."""
        return _by_name(self.attributes, name)


class Label(NamedTuple):
    """What a passage can be labelled with: a category by its id, alone or with one value of one of its attributes."""

    category: str
    attribute: str | None = None
    value: str | None = None

    def __str__(self) -> str:
        return " / ".join(part for part in self if part)


_Named = TypeVar("_Named", Value, Attribute)


def _by_name(things: tuple[_Named, ...], name: str) -> _Named:
    return {thing.name: thing for thing in things}[name]


def _values(*pairs: tuple[str, str]) -> tuple[Value, ...]:
    return tuple(Value(name, plain) for name, plain in pairs)


def _attribute(name: str, plain: str, *pairs: tuple[str, str]) -> Attribute:
    return Attribute(name, plain, _values(*pairs))


def _renamed(values: tuple[Value, ...], old: str, new: str) -> tuple[Value, ...]:
    return tuple(Value(new, v.plain) if v.name == old else v for v in values)


_INFORMATION = _values(
    ("Financial", "payment and money matters"),
    ("Health", "health"),
    ("Contact", "name, address, e-mail or phone number"),
    ("Location", "location"),
    ("Demographic", "age, gender and the like"),
    ("Personal identifier", "official numbers, such as a passport's"),
    ("User online activities", "what you do on the site or in the app"),
    ("User profile", "your profile and what you put in it"),
    ("Social media data", "data from social networks"),
    ("IP address and device IDs", "IP address and device identifiers"),
    ("Cookies and tracking elements", "cookies and other trackers"),
    ("Computer information", "browser, operating system and device"),
    ("Survey data", "answers to surveys"),
    ("Generic personal information", "personal information in general"),
    ("Other", "something else"),
    ("Unspecified", "not said"),
)
# The dataset spells two values differently under third parties, and has no social media data there.
_INFORMATION_SHARED = tuple(
    v for v in _renamed(_INFORMATION, "User profile", "User Profile") if v.name != "Social media data"
)

_PURPOSES = _values(
    ("Basic service/feature", "to provide what you asked for"),
    ("Additional service/feature", "to provide extras"),
    ("Advertising", "to advertise"),
    ("Marketing", "to send you offers"),
    ("Analytics/Research", "to measure and study use"),
    ("Personalization/Customization", "to tailor the service to you"),
    ("Service Operation and Security", "to keep the service running and safe"),
    ("Legal requirement", "because the law asks for it"),
    ("Merger/Acquisition", "if the company is sold or merged"),
    ("Other", "something else"),
    ("Unspecified", "not said"),
)
_PURPOSES_SHARED = _renamed(_PURPOSES, "Service Operation and Security", "Service operation and security")

_FIRST_PARTY = Category(
    "first-party",
    "First Party Collection/Use",
    "what they collect and why",
    (
        _attribute(
            "Action First-Party",
            "how it is collected",
            ("Collect on website", "on the website"),
            ("Collect in mobile app", "in the app"),
            ("Collect on mobile website", "on the mobile website"),
            ("Track user on other websites", "by following you on other sites"),
            ("Collect from user on other websites", "through something of theirs on other sites"),
            ("Receive from other parts of company/affiliates", "from companies of the same group"),
            ("Receive from other service/third-party (unnamed)", "from others they do not name"),
            ("Receive from other service/third-party (named)", "from others they name"),
            ("Other", "in another way"),
            ("Unspecified", "not said"),
        ),
        Attribute("Personal Information Type", "what is collected", _INFORMATION),
        Attribute("Purpose", "what for", _PURPOSES),
    ),
)

_THIRD_PARTY = Category(
    "third-party",
    "Third Party Sharing/Collection",
    "who else gets it",
    (
        _attribute(
            "Third Party Entity",
            "who gets it",
            ("Unnamed third party", "others they do not name"),
            ("Named third party", "others they name"),
            ("Other part of company/affiliate", "companies of the same group"),
            ("Other users", "other users"),
            ("Public", "everybody"),
            ("Other", "somebody else"),
            ("Unspecified", "not said"),
        ),
        _attribute(
            "Action Third Party",
            "how they get it",
            ("Receive/Shared with", "it is passed on to them"),
            ("Collect on first party website/app", "they collect it here themselves"),
            ("Track on first party website/app", "they track you here"),
            ("See", "they can see it"),
            ("Other", "in another way"),
            ("Unspecified", "not said"),
        ),
        Attribute("Personal Information Type", "what they get", _INFORMATION_SHARED),
        Attribute("Purpose", "what for", _PURPOSES_SHARED),
    ),
)

_CHOICE = Category(
    "choice",
    "User Choice/Control",
    "what you can choose",
    (
        _attribute(
            "Choice Type",
            "how you choose",
            ("Dont use service/feature", "by not using the service or a part of it"),
            ("Opt-in", "they ask you first"),
            ("Opt-out link", "a link to say no"),
            ("Opt-out via contacting company", "write to them to say no"),
            ("First-party privacy controls", "their own settings"),
            ("Third-party privacy controls", "somebody else's settings"),
            ("Browser/device privacy controls", "your browser's or device's settings"),
            ("Other", "in another way"),
            ("Unspecified", "not said"),
        ),
        _attribute(
            "Choice Scope",
            "what the choice is about",
            ("First party collection", "what they collect"),
            ("First party use", "what they do with it"),
            ("Third party sharing/collection", "what others get"),
            ("Third party use", "what others do with it"),
            ("Unspecified", "not said"),
        ),
        Attribute("Personal Information Type", "which information", _INFORMATION),
        Attribute("Purpose", "which purpose", _PURPOSES),
    ),
)

_ACCESS = Category(
    "access",
    "User Access, Edit and Deletion",
    "how to see, correct or delete it",
    (
        _attribute(
            "Access Type",
            "what you can do",
            ("None", "nothing"),
            ("View", "see it"),
            ("Export", "take a copy away"),
            ("Edit information", "correct it"),
            ("Deactivate account", "switch the account off"),
            ("Delete account (partial)", "delete some of it"),
            ("Delete account (full)", "delete all of it"),
            ("Other", "something else"),
            ("Unspecified", "not said"),
        ),
        _attribute(
            "Access Scope",
            "with which information",
            ("User account data", "your account"),
            ("Transactional data", "orders and payments"),
            ("Profile data", "your profile"),
            ("Other data about user", "other information about you"),
            ("Other", "something else"),
            ("Unspecified", "not said"),
        ),
    ),
)

_RETENTION = Category(
    "retention",
    "Data Retention",
    "how long they keep it",
    (
        _attribute(
            "Retention Period",
            "how long",
            ("Indefinitely", "without end"),
            ("Limited", "for a limited time they do not state"),
            ("Stated Period", "for a time they state"),
            ("Other", "something else"),
            ("Unspecified", "not said"),
        ),
        _attribute(
            "Retention Purpose",
            "why it is kept",
            ("Perform service", "to provide the service"),
            ("Legal requirement", "because the law asks for it"),
            ("Analytics/Research", "to measure and study use"),
            ("Service operation and security", "to keep the service running and safe"),
            ("Advertising", "to advertise"),
            ("Marketing", "to send you offers"),
            ("Other", "something else"),
            ("Unspecified", "not said"),
        ),
        Attribute("Personal Information Type", "which information", _INFORMATION),
    ),
)

_SECURITY = Category(
    "security",
    "Data Security",
    "how they protect it",
    (
        _attribute(
            "Security Measure",
            "what they do",
            ("Secure data transfer", "protection on the way, such as encryption"),
            ("Secure user authentication", "safe sign-in"),
            ("Secure data storage", "protection where it is stored"),
            ("Data access limitation", "only some staff may see it"),
            ("Privacy training", "training of staff"),
            ("Privacy review/audit", "reviews and audits"),
            ("Privacy/Security program", "a privacy or security programme"),
            ("Generic", "security in general terms"),
            ("Other", "something else"),
            ("Unspecified", "not said"),
        ),
    ),
)

_CHANGE = Category(
    "change",
    "Policy Change",
    "how they tell you of changes",
    (
        _attribute(
            "Change Type",
            "which changes",
            ("Non-privacy relevant change", "changes that do not touch privacy"),
            ("Privacy relevant change", "changes that touch privacy"),
            ("In case of merger or acquisition", "if the company is sold or merged"),
            ("Other", "something else"),
            ("Unspecified", "not said"),
        ),
        _attribute(
            "Notification Type",
            "how you learn of them",
            ("No notification", "they do not tell you"),
            ("General notice in privacy policy", "the policy itself changes"),
            ("General notice on website", "a notice on the site"),
            ("Personal notice", "a message to you"),
            ("Other", "in another way"),
            ("Unspecified", "not said"),
        ),
        _attribute(
            "User Choice",
            "what you can do about them",
            ("None", "nothing"),
            ("Opt-out", "say no"),
            ("Opt-in", "they ask you first"),
            ("User participation", "stop using the service"),
            ("Other", "something else"),
            ("Unspecified", "not said"),
        ),
    ),
)

_DO_NOT_TRACK = Category(
    "do-not-track",
    "Do Not Track",
    "whether they heed Do Not Track",
    (
        _attribute(
            "Do Not Track policy",
            "what they do about the signal",
            ("Not mentioned", "not said"),
            ("Honored", "they heed it"),
            ("Not honored", "they do not heed it"),
            ("Mentioned, but unclear if honored", "mentioned, but unclear"),
            ("Other", "something else"),
        ),
    ),
)

_AUDIENCES = Category(
    "audiences",
    "International and Specific Audiences",
    "children, and people of certain places",
    (
        _attribute(
            "Audience Type",
            "who it is for",
            ("Californians", "people in California"),
            ("Europeans", "people in Europe"),
            ("Citizens from other countries", "people of other countries"),
            ("Children", "children"),
            ("Other", "others"),
        ),
    ),
)

CATEGORIES = (
    _FIRST_PARTY,
    _THIRD_PARTY,
    _CHOICE,
    _ACCESS,
    _RETENTION,
    _SECURITY,
    _CHANGE,
    _DO_NOT_TRACK,
    _AUDIENCES,
    Category("introduction", "Introductory/Generic", "introduction and general words"),
    Category("contact", "Privacy contact information", "whom to ask"),
    Category("not-covered", "Practice not covered", "something else they do"),
)

# Every label, categories first, in the one order in which models give their probabilities.
CATEGORY_LABELS = tuple(Label(c.id) for c in CATEGORIES)
VALUE_LABELS = tuple(Label(c.id, a.name, v.name) for c in CATEGORIES for a in c.attributes for v in a.values)
LABELS = CATEGORY_LABELS + VALUE_LABELS
# Whether a statement on collecting or sharing affirms or denies it.
DOES, DOES_NOT = "Does", "Does Not"
POLARITY = tuple(Label(c.id, "Does/Does Not", said) for c in (_FIRST_PARTY, _THIRD_PARTY) for said in (DOES, DOES_NOT))

# Practices annotated "Other" carry one of these as their "Other Type"; the last belongs to none of the twelve.
OTHER = "Other"
OTHER_TYPES = ("Introductory/Generic", "Practice not covered", "Privacy contact information", "Other")

_CATEGORY = {key: c for c in CATEGORIES for key in (c.id, c.name)}


def category(name: str) -> Category:
    """Find a category by our id or the dataset's name; KeyError if there is none."""
    return _CATEGORY[name]


def plain_name(label: Label) -> str:
    """Say a label in plain words."""
    own = category(label.category)
    if label.attribute is None or label.value is None:
        return own.plain
    if label in POLARITY:
        return "says it does not" if label.value == DOES_NOT else "says it does"
    attribute = own.attribute(label.attribute)
    return f"{attribute.plain}: {attribute.value(label.value).plain}"

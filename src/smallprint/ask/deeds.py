"""What companies do with data, as policies say it: to sell is not to share, whatever practice both belong to."""

from __future__ import annotations

from smallprint.text import words

# What policies are asked about doing: a form of the question, as it stands after "it says it does", and its stems.
DEEDS = {
    "sell": "sell sells sold selling rent rents trade",
    "share": "share shares shared sharing disclose discloses disclosed provide give gives pass transfer transfers",
    "collect": "collect collects collected collecting gather gathers obtain record records receive access accesses",
    "store": "store stores stored storing keep keeps kept retain retains retained save saves hold holds",
    "use": "use uses used using utilize process processes",
    "track": "track tracks tracked tracking monitor monitors follow follows",
    "encrypt": "encrypt encrypts encrypted encrypting encryption",
    "delete": "delete deletes deleted deleting erase erases remove removes destroy",
}
DEED_OF = {word: deed for deed, forms in DEEDS.items() for word in forms.split()}


def deeds(text: str) -> frozenset[str]:
    """Give the deeds that a text speaks of."""
    return frozenset(DEED_OF[word] for word in words(text) if word in DEED_OF)

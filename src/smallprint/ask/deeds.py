"""What companies do with data, as policies say it: to sell is not to share, whatever practice both belong to."""

from __future__ import annotations

from smallprint.text import words

# What policies are asked about doing: the verb, as it stands after "it says it does", and the forms of it and of those
# that say just the same. "Provide", "process" or "access" may say the same and mostly do not.
DEEDS = {
    "sell": "sell sells sold selling",
    "share": "share shares shared sharing disclose discloses disclosed disclosing",
    "collect": "collect collects collected collecting gather gathers gathered gathering",
    "record": "record records recorded recording",
    "store": "store stores stored storing keep keeps kept retain retains retained save saves saved",
    "use": "use uses used using utilize utilizes",
    "track": "track tracks tracked tracking monitor monitors monitored monitoring",
    "encrypt": "encrypt encrypts encrypted encrypting",
    "delete": "delete deletes deleted deleting erase erases erased remove removes removed",
}
DEED_OF = {word: deed for deed, forms in DEEDS.items() for word in forms.split()}


def deeds(text: str) -> frozenset[str]:
    """Give the deeds that a text speaks of."""
    return frozenset(DEED_OF[word] for word in words(text) if word in DEED_OF)

"""The sectors that the words of a question name: "medical sites", "banks", "apps for schools"."""

from __future__ import annotations

from smallprint.text import words

_WORDS = {
    "medical": "medical health healthcare hospital hospitals clinic clinics doctors pharmacy pharmacies dental "
    "dentists therapy wellness fitness",
    "finance": "finance financial bank banks banking insurance insurer insurers lender lenders marketing recruitment "
    "broker brokers fintech",
    "technology": "technology tech software messenger messengers messaging",
    "consumer": "shop shops shopping retail retailers store stores consumer delivery logistics",
    "engineering": "engineering construction energy utility utilities builders manufacturing",
    "media": "media news newspaper newspapers entertainment sports sport game games gaming streaming radio",
    "education": "education educational school schools college colleges university universities learning courses "
    "tutors",
    "government": "government council councils legal law solicitors lawyers authorities",
    "travel": "travel hotel hotels restaurant restaurants food hospitality airline airlines",
    "nonprofit": "charity charities nonprofit nonprofits ngo ngos foundations",
}
_SECTOR = {word: sector for sector, some in _WORDS.items() for word in some.split()}
# What a sector's word must stand before to be meant: "medical sites", not "my medical records".
_KINDS = frozenset(
    "site sites website websites app apps application applications policy policies company companies service services "
    "firm firms business businesses provider providers organisation organisations organization organizations sector "
    "industry one ones".split()
)
# Words that by themselves name those who have policies.
_WHOLE = frozenset(
    "hospital hospitals clinic clinics pharmacy pharmacies dentists bank banks insurer insurers lenders brokers shop "
    "messenger messengers shops retailers stores newspapers games school schools college colleges university hotel "
    "universities councils solicitors lawyers hotels restaurant restaurants airlines charity charities nonprofits "
    "ngos".split()
)


def sectors_in(text: str) -> tuple[str, ...]:
    """Give the sectors that are named, in the order of their words."""
    tokens = words(text)
    found = []
    for place, token in enumerate(tokens):
        sector = _SECTOR.get(token)
        after = [
            other for other in tokens[place + 1 : place + 5] if other not in _SECTOR and other not in {"and", "or"}
        ][:2]
        is_first = place <= 4 and token in _WHOLE
        if sector and (is_first or (after and (after[0] in _KINDS or after[-1] in _KINDS))):
            found.append(sector)
    return tuple(dict.fromkeys(found))

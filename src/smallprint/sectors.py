"""The eleven sectors, lines of business to which the industries of the company list belong."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sector:
    """A line of business, consolidated from the 148 industries of the company list."""

    id: str
    name: str


SECTORS = (
    Sector("unknown", "Unknown"),
    Sector("finance", "Finance, Marketing and Human Resources"),
    Sector("technology", "Information Technology and Electronics"),
    Sector("consumer", "Consumer and Supply Chain"),
    Sector("engineering", "Civil, Mechanical and Electrical"),
    Sector("medical", "Medical"),
    Sector("media", "Sports, Media and Entertainment"),
    Sector("education", "Education"),
    Sector("government", "Government, Defense and Legal"),
    Sector("travel", "Travel, Food and Hospitality"),
    Sector("nonprofit", "Non-Profit"),
)

_SECTOR = {key: s for s in SECTORS for key in (s.id, s.name)}


def sector(name: str) -> Sector:
    """Find a sector by its id or name; KeyError if there is none."""
    return _SECTOR[name]

"""Entries made for tests."""

from __future__ import annotations

from smallprint.index.engine import Entry


def entry(policy_id: str, body: str = "we collect cookies", **facts) -> Entry:
    """Make an entry; facts are its own or values of fields; one that is `grouped` has near-duplicates."""
    usual = {"stamp": "1", "date": "2024-03-01", "p_policy": 0.9, "popularity": 1.0, "group": policy_id}
    grouped = facts.pop("grouped", False)
    own = {name: facts.pop(name, value) for name, value in usual.items()}
    values = {
        "title": "Privacy", "url": f"https://{policy_id}.example/privacy", "body": body, "sector": ("medical",),
        "year": (own["date"][:4],), "group": (own["group"],) if grouped else (), **facts,
    }  # fmt: skip
    return Entry(policy_id=policy_id, values=values, **own)

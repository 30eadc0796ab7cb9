"""Entries made for tests."""

from __future__ import annotations

from smallprint.index.engine import Entry


def entry(policy_id: str, body: str = "we collect cookies", **facts) -> Entry:
    usual = {
        "stamp": "1", "title": "Privacy", "url": f"https://{policy_id}.example/privacy", "date": "2024-03-01",
        "p_policy": 0.9, "popularity": 1.0, "sector": "medical", "group": policy_id, "grouped": False,
    }  # fmt: skip
    return Entry(policy_id=policy_id, body=body, **(usual | facts))

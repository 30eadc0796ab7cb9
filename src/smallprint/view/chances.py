"""Probabilities as people read them."""

from __future__ import annotations


def chance(probability: float) -> str:
    """Write a probability as a percentage that claims neither none nor all: under 1 %, 43 %, over 99 %."""
    if probability < 0.01:
        return "under 1 %"
    return "over 99 %" if probability > 0.99 else f"{100 * probability:.0f} %"

"""Scored sentences in, an answer out: its state, the sentences that earn it, its first line."""

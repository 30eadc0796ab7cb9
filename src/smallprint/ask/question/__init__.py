"""A question as it was typed in; the question analysed out: normalised, spelled, expanded, mapped to practices."""

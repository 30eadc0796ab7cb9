"""One or several policies laid out for a person: what changed, what is unusual, side by side, as evidence. No HTML."""

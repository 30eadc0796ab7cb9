"""A conversation and what was said next in, what to do next out. Nothing is looked up here."""

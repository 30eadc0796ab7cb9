"""A policy's text in, what is known of it out: how it reads, what it names, what it does, who says it."""

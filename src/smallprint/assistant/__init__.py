"""A conversation over a library: what was said in, a reply with the policies' own sentences out."""

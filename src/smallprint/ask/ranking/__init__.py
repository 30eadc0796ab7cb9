"""A question and a policy's sentences in, a score for each sentence out."""

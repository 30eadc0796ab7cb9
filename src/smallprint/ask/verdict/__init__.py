"""What sentences say on a question in, a verdict with the sentences that it rests on out."""

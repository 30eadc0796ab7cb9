"""Trained models as the product runs them: weights by name and hash, nothing unpickled, no training code."""

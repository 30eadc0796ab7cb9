"""Recipes: data in, weights and a card out. Needs the extra `train`; the product never imports this."""

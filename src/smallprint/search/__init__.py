"""A question in words and filters to a page of results: language, facets, snippets, rankings."""

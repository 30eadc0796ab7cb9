"""Policies made findable: the query tree, the engines that answer it, and the words they go by."""

"""Benchmarks on any data in the documented layout; our own splits stand as lists of ids."""

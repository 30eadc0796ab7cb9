"""The library as tools for a language model, over the Model Context Protocol: search, read, ask and compare."""

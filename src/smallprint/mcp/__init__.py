"""The library as tools for a language model (Model Context Protocol): plain values in, cited records out."""

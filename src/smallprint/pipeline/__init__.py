"""The stages, composed over a library: ingest, crawl, and what keeps the library settled."""

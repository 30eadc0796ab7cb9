"""Records in, what a page shows of them out: words, marks, links, charts. No HTML but what is escaped here."""

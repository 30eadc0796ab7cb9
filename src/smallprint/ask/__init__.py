"""Questions about a policy: what was asked, in which other words, which sentences answer it, and how sure one is."""

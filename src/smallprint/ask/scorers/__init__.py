"""Ways of telling how well each sentence of a policy answers a question; each can be used alone."""

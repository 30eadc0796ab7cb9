"""One module a page or a few that belong together; each has a `router`, and `app.PAGES` lists them."""

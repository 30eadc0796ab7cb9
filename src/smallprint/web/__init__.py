"""Pages for people: server-rendered, quiet, and whole without JavaScript."""

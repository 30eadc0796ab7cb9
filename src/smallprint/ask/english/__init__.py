"""What English sentences state and what questions name, by rules and word lists (TOML). The only place for them."""

"""Questions over many policies, from parsing to wording."""

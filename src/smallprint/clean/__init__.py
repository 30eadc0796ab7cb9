"""From a page to a policy, or to a rejection that says why: pure functions from records to records."""

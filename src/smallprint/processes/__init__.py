"""Work done in processes of its own, so that it can be ended: within a time, within some memory, a few at once."""

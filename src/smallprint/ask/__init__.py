"""A question about a policy, answered by the policy's own sentences. Pure: no look-ups, no writes.

A question and a policy's sentences come in; sentences with their places go out, or that the policy is silent, or that
nobody can be sure. Imports models and the modules at the root; whatever stands above it may import it.
"""

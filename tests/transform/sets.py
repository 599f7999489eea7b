"""Divisions of the ranks into V x W sets: V sets share fields, W sets share wavenumbers and latitudes."""


def all_sets(n_ranks, max_w=None):
    """All (V, W) whose product is `n_ranks`, with at most `max_w` W sets."""
    return [(n_ranks // w, w) for w in range(1, min(n_ranks, max_w or n_ranks) + 1) if n_ranks % w == 0]

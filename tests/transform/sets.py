"""V x W sets of ranks."""


def all_sets(n, most_w=None):
    """All (V, W) whose product is n, with at most `most_w` W sets."""
    return [(n // w, w) for w in range(1, min(n, most_w or n) + 1) if n % w == 0]

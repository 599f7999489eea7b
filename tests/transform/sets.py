"""V x W sets of ranks."""


def all_sets(n, most_w=None):
    """(V, W) of every product that is n, and of as many W sets as a grid allows."""
    return [(n // w, w) for w in range(1, min(n, most_w or n) + 1) if n % w == 0]

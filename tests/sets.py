"""V x W sets of ranks."""


def all_sets(n):
    """(V, W) of every product that is n."""
    return [(n // w, w) for w in range(1, n + 1) if n % w == 0]

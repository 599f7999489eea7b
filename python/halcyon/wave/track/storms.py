"""Which storm of a file that holds several."""

from halcyon.base import InputError

_SHOWN = 8


def choose(path, storms, wanted):
    """The key of the storm that is wanted.

    storms: their ids and names by key. wanted: one of them, whatever its case; None where there is but one.
    Raises InputError where there are several, none, or two of that name."""
    if wanted is None and len(storms) == 1:
        return next(iter(storms))
    if wanted is None:
        raise InputError(
            f"{path} holds {len(storms)} storms: {_listed(storms)}. Choose one by forcing.wind.storm."
        )
    found = [key for key, words in storms.items() if wanted.strip().lower() in {w.lower() for w in words}]
    if len(found) > 1:
        raise InputError(f"{path} holds {len(found)} storms '{wanted}': {_listed(found)}. Choose by the id.")
    if not found:
        raise InputError(f"{path} holds no storm '{wanted}'. It has {_listed(storms)}.")
    return found[0]


def _listed(storms):
    """`WP122022 HINNAMNOR, ...`: ids and names."""
    words = [" ".join(dict.fromkeys(storms[key])) if isinstance(storms, dict) else str(key) for key in storms]
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more

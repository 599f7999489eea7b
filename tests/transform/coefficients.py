"""Random coefficients of real fields, and relative errors."""

import numpy as np


def random_coefficients(transform, *fields, seed=5, with_mean=True):
    """Coefficients (*fields, coefficient) of real fields, normally distributed."""
    rng = np.random.default_rng(seed)
    shape = *fields, transform.n_coefficients
    found = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    found[..., transform.wavenumbers == 0] = found[..., transform.wavenumbers == 0].real
    if not with_mean:
        found[..., 0] = 0
    return found


def random_waves(transform, *fields, seed=5):
    """Normally distributed coefficients of real fields on a plane; of all waves, even if ranks share
    these."""
    rng = np.random.default_rng(seed)
    shape = *fields, transform.n_coefficients
    found = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    last = transform.last_n[0]
    found[..., :last] = found[..., last + 1 : 2 * last + 1][..., ::-1].conj()
    found[..., last] = found[..., last].real
    return found


def relative(found, expected):
    """Root mean square of the difference, relative to that of the expected values."""
    return np.sqrt((np.abs(found - expected) ** 2).mean() / (np.abs(expected) ** 2).mean())

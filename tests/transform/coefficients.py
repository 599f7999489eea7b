"""Random coefficients of real fields, and relative errors."""

import numpy as np


def random_coefficients(transform, *fields, seed=5, with_mean=True):
    """Coefficients (*fields, coefficient) of real fields on the sphere, normally distributed; the mean is 0
    without `with_mean`."""
    rng = np.random.default_rng(seed)
    shape = *fields, transform.n_coefficients
    coefficients = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    coefficients[..., transform.wavenumbers == 0] = coefficients[..., transform.wavenumbers == 0].real
    if not with_mean:
        coefficients[..., 0] = 0
    return coefficients


def random_waves(transform, *fields, seed=5):
    """Coefficients (*fields, coefficient) of real fields on a plane, normally distributed.

    If ranks share the transform, each rank returns the coefficients of all waves."""
    rng = np.random.default_rng(seed)
    shape = *fields, transform.n_coefficients
    coefficients = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    last = transform.last_n[0]  # coefficients of m = 0 come first, n = -last ... last
    coefficients[..., :last] = coefficients[..., last + 1 : 2 * last + 1][..., ::-1].conj()
    coefficients[..., last] = coefficients[..., last].real
    return coefficients


def relative_error(found, expected):
    """Root mean square of the difference over the root mean square of the expected values."""
    return np.sqrt((np.abs(found - expected) ** 2).mean() / (np.abs(expected) ** 2).mean())

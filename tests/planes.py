"""Random coefficients of real fields on a plane."""

import numpy as np


def random_waves(transform, *fields, seed=5):
    """Coefficients (*fields, coefficient), normally distributed; of all waves, where ranks share these."""
    rng = np.random.default_rng(seed)
    shape = *fields, transform.n_coefficients
    found = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    last = transform.last_n[0]
    found[..., :last] = found[..., last + 1 : 2 * last + 1][..., ::-1].conj()
    found[..., last] = found[..., last].real
    return found

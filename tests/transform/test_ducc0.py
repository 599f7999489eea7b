"""Each stage of the transform against other libraries: Legendre sums and vectors (spin-1 transforms) against
ducc0, Fourier transforms of rows against numpy."""

import numpy as np
import pytest

from halcyon.transform import Grid, Transform
from tests.transform.coefficients import random_coefficients, relative_error

sht = pytest.importorskip("ducc0", reason="ducc0, of the extra `test`, is not installed").sht

TRUNCATION = 63
GRIDS = {
    "full": Grid.full(96, 192),
    "reduced": Grid.reduced(96, TRUNCATION),
    "octahedral": Grid.octahedral(64),
}


def to_ducc0(transform, coefficients):
    """Converts coefficients to the normalization and sign of ducc0."""
    return coefficients * np.sqrt(4 * np.pi) * (-1.0) ** transform.wavenumbers


def from_ducc0(transform, coefficients):
    """Converts coefficients of ducc0 to our normalization and sign."""
    return coefficients / np.sqrt(4 * np.pi) * (-1.0) ** transform.wavenumbers


def colatitudes(grid):
    return np.arctan2(grid.cosines, grid.sines)


def rows(grid):
    """Slice of the points of each row."""
    ends = np.cumsum(grid.row_lengths)
    return [slice(end - n, end) for end, n in zip(ends, grid.row_lengths, strict=True)]


def waves(grid, values):
    """Fourier coefficients (row, wavenumber) of values (point), for the wavenumbers that a row resolves."""
    coefficients = np.zeros((len(grid.row_lengths), TRUNCATION + 1), complex)
    for row, points in enumerate(rows(grid)):
        of_row = np.fft.rfft(values.ravel()[points])[: (grid.row_lengths[row] + 1) // 2]
        n = min(TRUNCATION + 1, len(of_row))
        coefficients[row, :n] = of_row[:n] / grid.row_lengths[row]
    return coefficients


def is_resolved(grid):
    """Whether a row resolves a wavenumber (row, wavenumber)."""
    return 2 * np.arange(TRUNCATION + 1) < np.asarray(grid.row_lengths)[:, None]


@pytest.mark.parametrize("kind", GRIDS)
def test_sums_over_n_and_rows_of_waves(kind):
    """Synthesis: Fourier coefficients of rows against ducc0, values against numpy's inverse FFT of these."""
    grid = GRIDS[kind]
    transform = Transform(grid, TRUNCATION)
    coefficients = random_coefficients(transform)
    values = transform.synthesis(coefficients)
    legendre_sums = sht.experimental.alm2leg(
        alm=to_ducc0(transform, coefficients)[None], lmax=TRUNCATION, theta=colatitudes(grid)
    )[0]
    largest = abs(legendre_sums).max()
    assert abs(waves(grid, values) - legendre_sums)[is_resolved(grid)].max() < 1e-13 * largest
    for row, points in enumerate(rows(grid)):
        n = grid.row_lengths[row]
        spectrum = np.where(is_resolved(grid)[row], legendre_sums[row], 0)[: n // 2 + 1]
        assert abs(values.ravel()[points] - np.fft.irfft(spectrum * n, n)).max() < 1e-12 * largest


@pytest.mark.parametrize("kind", GRIDS)
def test_waves_of_rows_and_sums_over_latitudes(kind):
    """Analysis of values that are not band-limited, against numpy's FFT and ducc0's weighted sums."""
    grid = GRIDS[kind]
    transform = Transform(grid, TRUNCATION)
    values = np.random.default_rng(2).normal(size=transform.shape)
    weights = [grid.areas.ravel()[points].sum() for points in rows(grid)]
    weighted = waves(grid, values) * 4 * np.pi * np.array(weights)[:, None]
    expected = from_ducc0(
        transform,
        sht.experimental.leg2alm(leg=weighted[None], lmax=TRUNCATION, theta=colatitudes(grid))[0],
    )
    found = transform.analysis(values)
    assert abs(found - expected).max() < 1e-14 * abs(expected).max()


@pytest.mark.parametrize("truncation", [42, 127])
def test_scalars_both_ways(truncation):
    """Synthesis and analysis of scalars on a full Gaussian grid (GL) against ducc0."""
    n_rows, n_columns = truncation + 2, 2 * truncation + 3
    transform = Transform(Grid.full(n_rows, n_columns), truncation)
    coefficients = random_coefficients(transform, 3)
    all_alm = to_ducc0(transform, coefficients)
    all_values = transform.synthesis(coefficients)
    for values, alm in zip(all_values, all_alm, strict=True):
        expected = sht.synthesis_2d(
            alm=alm[None], spin=0, lmax=truncation, geometry="GL", ntheta=n_rows, nphi=n_columns
        )
        assert relative_error(values, expected[0]) < 5e-14
        back = sht.analysis_2d(map=values[None], spin=0, lmax=truncation, geometry="GL")
        assert relative_error(transform.analysis(values), from_ducc0(transform, back[0])) < 5e-14


def test_gradients():
    """Gradients against ducc0's derivatives of a scalar, southward and eastward."""
    transform = Transform(Grid.full(128, 256), 127, radius=1)
    coefficients = random_coefficients(transform)
    southward, eastward = sht.synthesis_2d(
        alm=to_ducc0(transform, coefficients)[None],
        spin=1,
        lmax=127,
        geometry="GL",
        ntheta=128,
        nphi=256,
        mode="DERIV1",
    )
    east, north = transform.gradient(coefficients)
    assert relative_error(east, eastward) < 1e-13
    assert relative_error(north, -southward) < 1e-13


def test_winds_both_ways():
    """Winds against spin-1 transforms of ducc0: its E and B modes are divergence and vorticity over
    -sqrt(n (n + 1))."""
    transform = Transform(Grid.full(96, 192), TRUNCATION, radius=1)
    vorticity, divergence = (random_coefficients(transform, seed=seed, with_mean=False) for seed in (3, 4))
    factor = np.sqrt(np.maximum(1, transform.degrees * (transform.degrees + 1.0)))
    alm = np.stack([to_ducc0(transform, each / -factor) for each in (divergence, vorticity)])
    southward, eastward = sht.synthesis_2d(
        alm=alm, spin=1, lmax=TRUNCATION, geometry="GL", ntheta=96, nphi=192
    )
    u, v = transform.winds(vorticity, divergence)
    assert relative_error(u, eastward) < 5e-14
    assert relative_error(v, -southward) < 5e-14
    back = sht.analysis_2d(map=np.stack([-v, u]), spin=1, lmax=TRUNCATION, geometry="GL")
    found = transform.vorticity_divergence(u, v)
    for each, their in zip(found[::-1], back, strict=True):
        assert relative_error(each, from_ducc0(transform, their) * -factor) < 1e-13

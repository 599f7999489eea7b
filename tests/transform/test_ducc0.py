"""Each stage against ducc0: Legendre sums in both directions, rows by numpy's FFT, vectors by spin-1
transforms."""

import numpy as np
import pytest

from halcyon.transform import Grid, Transform
from tests.transform.coefficients import random_coefficients, relative

sht = pytest.importorskip("ducc0", reason="ducc0, of the extra `test`, is not installed").sht

LAST = 63
GRIDS = {
    "full": Grid.full(96, 192),
    "reduced": Grid.reduced(96, LAST),
    "octahedral": Grid.octahedral(64),
}


def theirs(transform, coefficients):
    """Coefficients with ducc0's normalization and sign."""
    return coefficients * np.sqrt(4 * np.pi) * (-1.0) ** transform.wavenumbers


def ours(transform, coefficients):
    return coefficients / np.sqrt(4 * np.pi) * (-1.0) ** transform.wavenumbers


def colatitudes(grid):
    return np.arctan2(grid.cosines, grid.sines)


def rows(grid):
    """Slice of the points of each row."""
    ends = np.cumsum(grid.row_lengths)
    return [slice(end - n, end) for end, n in zip(ends, grid.row_lengths, strict=True)]


def waves(grid, values):
    """Fourier coefficients (row, wavenumber) of values (point), for the wavenumbers that a row resolves."""
    found = np.zeros((len(grid.row_lengths), LAST + 1), complex)
    for row, points in enumerate(rows(grid)):
        each = np.fft.rfft(values.ravel()[points])[: (grid.row_lengths[row] + 1) // 2]
        n = min(LAST + 1, len(each))
        found[row, :n] = each[:n] / grid.row_lengths[row]
    return found


def held(grid):
    """Whether a row resolves a wavenumber."""
    return 2 * np.arange(LAST + 1) < np.asarray(grid.row_lengths)[:, None]


@pytest.mark.parametrize("kind", GRIDS)
def test_sums_over_n_and_rows_of_waves(kind):
    grid = GRIDS[kind]
    transform = Transform(grid, LAST)
    coefficients = random_coefficients(transform)
    values = transform.synthesis(coefficients)
    leg = sht.experimental.alm2leg(
        alm=theirs(transform, coefficients)[None], lmax=LAST, theta=colatitudes(grid)
    )[0]
    largest = abs(leg).max()
    assert abs(waves(grid, values) - leg)[held(grid)].max() < 1e-13 * largest
    for row, points in enumerate(rows(grid)):
        n = grid.row_lengths[row]
        spectrum = np.where(held(grid)[row], leg[row], 0)[: n // 2 + 1]
        assert abs(values.ravel()[points] - np.fft.irfft(spectrum * n, n)).max() < 1e-12 * largest


@pytest.mark.parametrize("kind", GRIDS)
def test_waves_of_rows_and_sums_over_latitudes(kind):
    """For values that are not band-limited."""
    grid = GRIDS[kind]
    transform = Transform(grid, LAST)
    values = np.random.default_rng(2).normal(size=transform.shape)
    weights = [grid.areas.ravel()[points].sum() for points in rows(grid)]
    leg = waves(grid, values) * 4 * np.pi * np.array(weights)[:, None]
    expected = ours(
        transform,
        sht.experimental.leg2alm(leg=leg[None], lmax=LAST, theta=colatitudes(grid))[0],
    )
    found = transform.analysis(values)
    assert abs(found - expected).max() < 1e-14 * abs(expected).max()


@pytest.mark.parametrize("truncation", [42, 127])
def test_scalars_both_ways(truncation):
    rows, columns = truncation + 2, 2 * truncation + 3
    transform = Transform(Grid.full(rows, columns), truncation)
    coefficients = random_coefficients(transform, 3)
    their = theirs(transform, coefficients)
    values = transform.synthesis(coefficients)
    for own, given in zip(values, their, strict=True):
        expected = sht.synthesis_2d(
            alm=given[None], spin=0, lmax=truncation, geometry="GL", ntheta=rows, nphi=columns
        )
        assert relative(own, expected[0]) < 5e-14
        back = sht.analysis_2d(map=own[None], spin=0, lmax=truncation, geometry="GL")
        assert relative(transform.analysis(own), ours(transform, back[0])) < 5e-14


def test_gradients():
    transform = Transform(Grid.full(128, 256), 127, radius=1)
    coefficients = random_coefficients(transform)
    southward, eastward = sht.synthesis_2d(
        alm=theirs(transform, coefficients)[None],
        spin=1,
        lmax=127,
        geometry="GL",
        ntheta=128,
        nphi=256,
        mode="DERIV1",
    )
    east, north = transform.gradient(coefficients)
    assert relative(east, eastward) < 1e-13
    assert relative(north, -southward) < 1e-13


def test_winds_both_ways():
    """Spin-1 transforms of ducc0: E and B modes are divergence and vorticity over -sqrt(n (n + 1))."""
    transform = Transform(Grid.full(96, 192), LAST, radius=1)
    vorticity, divergence = (random_coefficients(transform, seed=seed, with_mean=False) for seed in (3, 4))
    root = np.sqrt(np.maximum(1, transform.degrees * (transform.degrees + 1.0)))
    alm = np.stack([theirs(transform, each / -root) for each in (divergence, vorticity)])
    southward, eastward = sht.synthesis_2d(alm=alm, spin=1, lmax=LAST, geometry="GL", ntheta=96, nphi=192)
    u, v = transform.winds(vorticity, divergence)
    assert relative(u, eastward) < 5e-14
    assert relative(v, -southward) < 5e-14
    back = sht.analysis_2d(map=np.stack([-v, u]), spin=1, lmax=LAST, geometry="GL")
    found = transform.vorticity_divergence(u, v)
    for each, their in zip(found[::-1], back, strict=True):
        assert relative(each, ours(transform, their) * -root) < 1e-13

"""Arrays of callers: any memory order and data type, but unmasked and without shared memory."""

import pickle

import numpy as np
import pytest
import xarray as xr

from halcyon.base import ConfigError, InputError
from halcyon.transform import Bifourier, Grid, Plane, Transform
from tests.transform.coefficients import random_coefficients


@pytest.fixture(scope="module")
def transform():
    return Transform(Grid.full(12, 24), 7)


@pytest.fixture(scope="module")
def values(transform):
    return np.random.default_rng(4).normal(size=(17, *transform.shape))


def frozen(array):
    array.setflags(write=False)
    return array


@pytest.mark.parametrize(
    "held",
    [
        np.asfortranarray,
        lambda values: np.repeat(values, 2, axis=2)[..., ::2],
        lambda values: values[:, ::-1].copy()[:, ::-1],
        lambda values: values.astype(">f8"),
        lambda values: frozen(values.copy()),
        lambda values: np.ma.masked_array(values, np.zeros(values.shape, bool)),
        lambda values: values.tolist(),
    ],
    ids=["fortran", "strided", "backwards", "big-endian", "read-only", "unmasked", "list"],
)
def test_any_memory_gives_the_same_bits(transform, values, held):
    assert np.array_equal(transform.analysis(held(values)), transform.analysis(values))


def test_masked_numbers_are_refused(transform, values):
    hidden = np.ma.masked_greater(values, 2)
    message = rf"has {hidden.mask.sum()} masked numbers. Fill them, such as by"
    for call in (
        lambda: transform.analysis(hidden),
        lambda: transform.vorticity_divergence(values, hidden),
        lambda: transform.share.scatter_values(hidden),
    ):
        with pytest.raises(InputError, match=message):
            call()


def overlapping(first, second):
    """Arrays of these shapes and types at the start of the same memory."""
    memory = np.zeros(first.nbytes + second.nbytes, np.uint8)
    return tuple(memory[: each.nbytes].view(each.dtype).reshape(each.shape) for each in (first, second))


def test_results_over_what_they_are_made_of_are_refused(transform, values):
    coefficients = transform.analysis(values)
    plane = Bifourier(Plane(24, 12, length_x=1, length_y=1), 3)
    for each, spectrum in ((transform, coefficients), (plane, plane.analysis(values))):
        given, out = overlapping(spectrum, values)
        with pytest.raises(InputError, match="shares memory with another array"):
            each.synthesis(given, out=out)
        with pytest.raises(InputError, match="shares memory with another array"):
            each.analysis(out, out=given)


def test_two_results_in_one_array_are_refused(transform, values):
    coefficients = transform.analysis(values)
    both = np.empty_like(values)
    spectra = np.empty_like(coefficients)
    for call in (
        lambda: transform.winds(coefficients, coefficients, out=(both, both)),
        lambda: transform.gradient(coefficients, out=(both, both)),
        lambda: transform.vorticity_divergence(values, values, out=(spectra, spectra)),
    ):
        with pytest.raises(InputError, match="shares memory with another array"):
            call()


def test_an_out_that_cannot_be_written_is_told(transform, values):
    coefficients = transform.analysis(values)
    with pytest.raises(InputError, match="out is read-only"):
        transform.analysis(values, out=frozen(np.empty_like(coefficients)))
    with pytest.raises(InputError, match="Give a numpy array"):
        transform.analysis(values, out=xr.DataArray(coefficients))
    with pytest.raises(InputError, match=r"^out is a tuple of 1. Give two arrays"):
        transform.winds(coefficients, coefficients, out=(values,))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("n_fields", [2, 3, 17])
def test_what_is_not_finite_stays_in_its_field(transform, bad, n_fields):
    coefficients = random_coefficients(transform, n_fields)
    values = transform.synthesis(coefficients)
    spoilt = values.copy()
    spoilt[1, 3, 5] = bad
    others = np.arange(n_fields) != 1
    found = transform.analysis(spoilt)
    assert np.array_equal(found[others], transform.analysis(values)[others])
    assert not np.isfinite(found[1]).any()


def test_no_fields(transform):
    for leading in ((0,), (2, 0, 3)):
        coefficients = transform.analysis(np.zeros((*leading, *transform.shape)))
        assert coefficients.shape == (*leading, transform.n_coefficients)
        assert transform.synthesis(coefficients).shape == (*leading, *transform.shape)


@pytest.mark.parametrize("grid", [Grid.full(8), Grid.octahedral(6), Grid.reduced(24, 21)])
def test_grids_are_pickled(grid):
    again = pickle.loads(pickle.dumps(grid))
    assert np.array_equal(again.row_lengths, grid.row_lengths)
    assert np.array_equal(again.sines, grid.sines)
    assert repr(again) == repr(grid)


@pytest.mark.mpi
def test_an_out_that_one_rank_cannot_write_is_told_on_all(comm):
    shared = Transform(Grid.full(32), 15, comm=comm)
    out = np.empty((2, shared.n_coefficients), complex)
    out.setflags(write=comm.rank != comm.size - 1)
    with pytest.raises(InputError, match="out is read-only"):
        shared.analysis(np.zeros((2, *shared.shape)), out=out)


@pytest.mark.mpi
def test_no_fields_are_scattered(comm):
    shared = Transform(Grid.full(32), 15, comm=comm)
    values = shared.share.scatter_values(np.zeros((0, *shared.grid.shape)))
    assert values.shape == (0, *shared.shape)
    assert shared.analysis(values).shape == (0, shared.n_coefficients)


@pytest.mark.mpi
def test_what_cannot_be_scattered_is_told_on_all(comm):
    shared = Transform(Grid.full(32), 15, comm=comm)
    with pytest.raises(InputError, match="values is not an array: its rows have different lengths"):
        shared.share.scatter_values([[1.0, 2.0], [3.0]])


@pytest.mark.mpi
def test_grids_of_as_many_points_are_told_apart(comm):
    lengths = [[20, 24, 28, 32], [24, 24, 24, 32]][comm.rank == comm.size - 1]
    sets = {"comm": comm, "sets": (comm.size, 1)}
    grid = Grid([*lengths, *lengths[::-1]])
    if comm.size == 1:
        Transform(grid, 3, **sets)
        return
    with pytest.raises(ConfigError, match=rf"Rank {comm.size - 1} gives grid .*Give the same"):
        Transform(grid, 3, **sets)

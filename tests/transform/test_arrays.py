"""Arrays that callers give: any memory order and number type is accepted; masked numbers, and results that
share memory with inputs, are refused."""

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


def read_only(array):
    """The array, after forbidding writes to it."""
    array.setflags(write=False)
    return array


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        lambda values: np.repeat(values, 2, axis=2)[..., ::2],
        lambda values: values[:, ::-1].copy()[:, ::-1],
        lambda values: values.astype(">f8"),
        lambda values: read_only(values.copy()),
        lambda values: np.ma.masked_array(values, np.zeros(values.shape, bool)),
        lambda values: values.tolist(),
    ],
    ids=["fortran", "strided", "backwards", "big-endian", "read-only", "unmasked", "list"],
)
def test_any_memory_gives_the_same_bits(transform, values, convert):
    assert np.array_equal(transform.analysis(convert(values)), transform.analysis(values))


def test_masked_numbers_are_refused(transform, values):
    masked = np.ma.masked_greater(values, 2)
    message = rf"has {masked.mask.sum()} masked numbers. Fill them, such as by"
    for call in (
        lambda: transform.analysis(masked),
        lambda: transform.vorticity_divergence(values, masked),
        lambda: transform.share.scatter_values(masked),
    ):
        with pytest.raises(InputError, match=message):
            call()


def overlapping(first, second):
    """Two arrays with the shapes and types of `first` and `second` that share their memory."""
    memory = np.zeros(first.nbytes + second.nbytes, np.uint8)
    return tuple(memory[: each.nbytes].view(each.dtype).reshape(each.shape) for each in (first, second))


def test_results_over_what_they_are_made_of_are_refused(transform, values):
    coefficients = transform.analysis(values)
    plane = Bifourier(Plane(24, 12, length_x=1, length_y=1), 3)
    for either, spectrum in ((transform, coefficients), (plane, plane.analysis(values))):
        coefficients_memory, values_memory = overlapping(spectrum, values)
        with pytest.raises(InputError, match="shares memory with another array"):
            either.synthesis(coefficients_memory, out=values_memory)
        with pytest.raises(InputError, match="shares memory with another array"):
            either.analysis(values_memory, out=coefficients_memory)


def test_two_results_in_one_array_are_refused(transform, values):
    coefficients = transform.analysis(values)
    one_field = np.empty_like(values)
    one_spectrum = np.empty_like(coefficients)
    for call in (
        lambda: transform.winds(coefficients, coefficients, out=(one_field, one_field)),
        lambda: transform.gradient(coefficients, out=(one_field, one_field)),
        lambda: transform.vorticity_divergence(values, values, out=(one_spectrum, one_spectrum)),
    ):
        with pytest.raises(InputError, match="shares memory with another array"):
            call()


def test_an_out_that_cannot_be_written_is_told(transform, values):
    coefficients = transform.analysis(values)
    with pytest.raises(InputError, match="out is read-only"):
        transform.analysis(values, out=read_only(np.empty_like(coefficients)))
    with pytest.raises(InputError, match="Give a numpy array"):
        transform.analysis(values, out=xr.DataArray(coefficients))
    with pytest.raises(InputError, match=r"^out is a tuple of 1. Give two arrays"):
        transform.winds(coefficients, coefficients, out=(values,))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("n_fields", [2, 3, 17])
def test_what_is_not_finite_stays_in_its_field(transform, bad, n_fields):
    """A nan or inf in field 1 spoils all coefficients of field 1 and changes no bit of other fields."""
    coefficients = random_coefficients(transform, n_fields)
    values = transform.synthesis(coefficients)
    with_bad = values.copy()
    with_bad[1, 3, 5] = bad
    others = np.arange(n_fields) != 1
    found = transform.analysis(with_bad)
    assert np.array_equal(found[others], transform.analysis(values)[others])
    assert not np.isfinite(found[1]).any()


def test_no_fields(transform):
    """Arrays without fields are accepted, and results have the same leading dimensions."""
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
    """One rank gives a grid with other rows but as many points: all ranks raise an error that names the
    rank."""
    northern_lengths = [[20, 24, 28, 32], [24, 24, 24, 32]][comm.rank == comm.size - 1]
    options = {"comm": comm, "sets": (comm.size, 1)}
    grid = Grid([*northern_lengths, *northern_lengths[::-1]])
    if comm.size == 1:
        Transform(grid, 3, **options)
        return
    with pytest.raises(ConfigError, match=rf"Rank {comm.size - 1} gives grid .*Give the same"):
        Transform(grid, 3, **options)

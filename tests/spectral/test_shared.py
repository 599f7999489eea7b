"""Spectral models distributed over sets of V x W ranks: bitwise equal to one rank with any communication."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon import spectral
from halcyon.base import ConfigError, InputError, RunError
from halcyon.spectral import Model
from halcyon.transform import ExchangeSettings, Grid
from tests.spectral.models import LEVELS, MODELS, REDUCED_GRIDS, build
from tests.transform.sets import all_sets

pytestmark = pytest.mark.mpi

MAX_W = 4  # number of stripes of eight rows for T21


def after_steps(name, n=4, **options):
    """Collective. A model of MODELS after n steps."""
    model = build(name, **options)
    for _ in range(n):
        model.step(300)
    return model


def check_states(distributed, serial):
    """Checks that this rank's coefficients are those of one rank, to the bit."""
    for row in serial.restart_variables:
        if row.dimensions[0] == "point":
            all_values = serial.prognostic(row.name)[distributed.points]
            assert np.array_equal(distributed.prognostic(row.name), all_values), row.name
            continue
        if row.dimensions == ["level_point"]:
            all_values = serial.prognostic(row.name).reshape(serial.n_levels, -1)[:, distributed.points]
            assert np.array_equal(distributed.prognostic(row.name), all_values.ravel()), row.name
            continue
        levels = len(serial.prognostic(row.name)) // len(serial.coefficients)
        all_values = serial.prognostic(row.name).reshape(levels, -1, 2)
        values = distributed.prognostic(row.name).reshape(levels, -1, 2)
        assert np.array_equal(values, all_values[:, distributed.coefficients]), (distributed.sets, row.name)


def check_all(distributed, serial, comm):
    """Collective. Checks state, products, integrals, orography and longest step against one rank."""
    check_states(distributed, serial)
    names = [row.name for row in serial.variables if row.output and row.name != "topography"]
    all_products, products = serial.products(names), distributed.products(names)
    for name in names:
        assert np.array_equal(products[name], all_products[name][distributed.points]), (
            distributed.sets,
            name,
        )
    assert np.array_equal(serial.integrals(), distributed.integrals())
    assert np.array_equal(distributed.ground, serial.ground[distributed.points])
    assert comm.allreduce(distributed.longest_step(), op=MPI.MIN) == serial.longest_step()


@pytest.mark.parametrize("name", MODELS)
def test_any_sets_have_the_bits_of_one_rank(comm, name):
    serial = after_steps(name)
    for sets in all_sets(comm.size, MAX_W):
        distributed = after_steps(name, comm=comm, sets=sets)
        assert distributed.sets == sets
        check_all(distributed, serial, comm)


@pytest.mark.parametrize("grid", REDUCED_GRIDS.values(), ids=REDUCED_GRIDS)
@pytest.mark.parametrize("name", MODELS)
def test_any_sets_have_these_bits_where_rows_differ(comm, name, grid):
    """Reduced grids, whose rows have different lengths, also give the bits of one rank."""
    serial = after_steps(name, 2, grid=grid)
    for sets in all_sets(comm.size, MAX_W):
        check_all(after_steps(name, 2, grid=grid, comm=comm, sets=sets), serial, comm)


def test_a_start_that_is_wrong_on_one_rank_is_refused_on_all(comm):
    model = build("barotropic", comm=comm, sets=(comm.size, 1))
    wind = np.zeros(len(model.points))
    if comm.rank == comm.size - 1:
        wind[3] = np.nan
    with pytest.raises(InputError, match=r"north is nan at \S+ [EW] \S+ [NS]. Give finite values") as refused:
        model.set(east=np.zeros_like(wind), north=wind)
    assert len(set(comm.allgather(str(refused.value)))) == 1
    with pytest.raises(InputError, match="east has 0 values"):
        model.set(north=np.zeros_like(wind))
    if comm.size > 1:
        with pytest.raises(ConfigError, match="Rank 1 gives truncation 20, but rank 0 21"):
            Model("barotropic", 21 - (comm.rank == 1), Grid.full(32, 64), comm=comm)


def test_every_coefficient_and_point_is_of_one_rank(comm):
    """Owned points and coefficients of all ranks are complete, without duplicates; coefficients are
    balanced."""
    serial = build("barotropic")
    for sets in all_sets(comm.size, MAX_W):
        distributed = build("barotropic", comm=comm, sets=sets)
        for owned, all_ids in (
            (distributed.points, serial.points),
            (distributed.coefficients, serial.coefficients),
        ):
            gathered = np.concatenate(comm.allgather(owned))
            assert np.array_equal(np.sort(gathered), all_ids), sets
        largest = comm.allreduce(len(distributed.coefficients), op=MPI.MAX)
        assert largest <= 1.15 * len(serial.coefficients) / comm.size + distributed.truncation, sets


EXCHANGES = [
    {"groups": 3},
    {"groups": 2, "ahead": 0},
    {"groups": 7, "ahead": 2, "progress": "poll"},
    {"groups": 3, "algorithm": "bruck"},
    {"groups": 4, "ahead": 2, "algorithm": "bruck", "method": "persistent"},
    {"groups": 2, "algorithm": "ring-1", "method": "ialltoallv"},
    {"groups": 3, "method": "ialltoallv", "progress": "thread"},
    {"groups": 2, "method": "alltoallv"},
]


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        *(pytest.param(each, "primitive", id=f"how{i}") for i, each in enumerate(EXCHANGES)),
        *(pytest.param(EXCHANGES[i], "air_in_32_bits", id=f"how{i}-32_bits") for i in (4, 6)),
    ],
)
def test_any_exchange_has_the_bits_of_one_rank(comm, settings, name):
    serial = after_steps(name, 3)
    for sets in all_sets(comm.size, MAX_W):
        distributed = after_steps(name, 1, comm=comm, sets=sets)
        distributed.set_exchange(**settings)
        for _ in range(2):
            distributed.step(300)
        check_all(distributed, serial, comm)


def test_tuning_keeps_the_fastest_and_the_bits(comm):
    """Tuning selects the fastest settings, which it returns first, does not count its own traffic, and
    leaves the bits of the run."""
    serial = after_steps("primitive", 2)
    for sets in all_sets(comm.size, MAX_W):
        distributed = after_steps("primitive", 1, comm=comm, sets=sets)
        before = distributed.transforms
        candidates = {"methods": ("isend_irecv",), "algorithms": ("burst",), "progress": ("none",)}
        tried = distributed.tune(groups=(1, 2), ahead=(1,), **candidates, repetitions=1)
        after = distributed.transforms
        assert comm.allgather(tried) == [tried] * comm.size
        assert set(tried) == ({ExchangeSettings(1), ExchangeSettings(2)} if comm.size > 1 else set())
        assert distributed.exchange_settings == next(iter(tried), ExchangeSettings())
        assert distributed.tried == tried
        assert after.sent_bytes == before.sent_bytes
        assert after.legendre_s == pytest.approx(before.legendre_s)  # sums of times
        distributed.step(300)
        check_all(distributed, serial, comm)


@pytest.mark.parametrize("halo", ["wide", "on_demand"])
def test_air_from_distant_ranks_has_the_bits_of_one_rank(comm, halo):
    """On a small planet, air crosses several rows and the poles in a step, and the halo grows."""
    planet = spectral.Planet(radius=6371220.0 / 6, rotation=7.292e-5 / 4, gravity=9.80616)

    def after(**options):
        model = build("lagrangian_air", planet=planet, halo=halo, **options)
        for step_s in (1500, 3000, 4500):
            model.step(step_s, check=False)
        return model

    serial = after()
    for sets in all_sets(comm.size, MAX_W):
        check_states(after(comm=comm, sets=sets), serial)


@pytest.mark.parametrize("name", ["primitive", "lagrangian_air"])
def test_a_rehearsal_moves_what_a_step_does(comm, name):
    """time_transforms sends the bytes of one step, does not count them, and leaves the state as it was."""
    for sets in all_sets(comm.size, MAX_W):
        distributed, serial = (
            after_steps(name, 2, **options) for options in ({"comm": comm, "sets": sets}, {})
        )
        before = distributed.transforms.sent_bytes
        timings = distributed.time_transforms()
        assert distributed.transforms.sent_bytes == before
        distributed.step(300)
        assert distributed.transforms.sent_bytes - before == sum(timing.sent_bytes for timing in timings)
        to_grid, to_spectral = timings
        assert (to_grid.sent_bytes > 0) == (to_spectral.sent_bytes > 0) == (comm.size > 1)
        assert all(timing.legendre_s > 0 and timing.fourier_s > 0 for timing in timings)
        serial.step(300)
        check_states(distributed, serial)


def test_sets_that_cannot_share_are_an_error(comm):
    with pytest.raises(ConfigError, match="without a communicator"):
        Model("barotropic", 3, Grid.full(8, 16), sets=(2, 1))
    with pytest.raises(ConfigError, match="Give V and W whose product is"):
        Model("barotropic", 3, Grid.full(8, 16), comm=comm, sets=(comm.size, 2))
    if comm.size == 1:
        return
    with pytest.raises(ConfigError, match="Give at most 1"):
        Model("barotropic", 3, Grid.full(8, 16), comm=comm)
    model = build("barotropic", comm=comm, sets=(comm.size, 1))
    with pytest.raises(ConfigError, match="Give 1 or more"):
        model.set_exchange(groups=0)
    with pytest.raises(ConfigError, match="pigeon"):
        model.set_exchange(method="pigeon")


@pytest.mark.parametrize(
    ("name", "n_to_grid", "n_on_grid", "n_back"),
    [
        ("barotropic", 1, 3, 2),
        ("shallow_water", 3, 5, 5),
        ("primitive", 3 * len(LEVELS[0]) - 2, 7 * len(LEVELS[0]) - 4, 4 * len(LEVELS[0]) - 3),
    ],
)
def test_coefficients_travel_once_each_way(comm, name, n_to_grid, n_on_grid, n_back):
    """The bytes of one step are those of the transposed values, less the part that stays on a rank. For
    example, primitive equations transform 3 fields per level and ln ps to the grid, where they become 7
    fields per level and 3 more (with winds and gradients), and 4 fields per level and 1 more back."""
    model = build(name, comm=comm, sets=(comm.size, 1))
    points, coefficients = model.grid.n_points, 22 * 23 // 2
    n_values = (n_on_grid + n_back) * points + 2 * (n_to_grid + n_back) * coefficients
    timings = model.time_transforms()
    expected = 8 * n_values * (1 - 1 / comm.size)
    assert comm.allreduce(sum(timing.sent_bytes for timing in timings)) == pytest.approx(
        expected, rel=0.02, abs=0
    )
    assert (sum(timing.n_sent for timing in timings) > 0) == (comm.size > 1)


def test_a_step_that_is_too_long_is_refused_alike_on_any_ranks(comm):
    """The step is refused before it is taken; a shorter step is then possible."""

    def error_text(dt, **options):
        model = build("primitive", **options)
        with pytest.raises(ConfigError) as too_long:
            model.step(dt)
        return str(too_long.value)

    serial = after_steps("primitive", 1)
    text = error_text(1e6)
    assert text.startswith("dt is 1e+06 s: with winds and waves at ") and "the Courant number is" in text
    assert float(text.split("Give at most ")[1].split(" s.")[0]) <= build("primitive").longest_step()
    for sets in all_sets(comm.size, MAX_W):
        distributed = {"comm": comm, "sets": sets}
        assert comm.allgather(error_text(1e6, **distributed)) == [text] * comm.size
        model = build("primitive", **distributed)
        with pytest.raises(ConfigError, match="Give at most"):
            model.step(1e6)
        model.step(300)
        assert model.failure.point < 0
        check_states(model, serial)


def test_a_state_that_is_none_is_refused_alike_on_any_ranks(comm):
    """All ranks report the same one of many invalid points."""

    def error_text(**options):
        model = build("barotropic", **options)
        owned = np.flatnonzero(model.coefficients == 3)
        model.prognostic("vorticity_coefficients")[owned] = np.nan
        with pytest.raises(RunError) as error:
            model.step(300)
        return str(error.value)

    text = error_text()
    assert text.startswith("vorticity is nan at 0.00 E ") and "after 0 steps" in text
    for sets in all_sets(comm.size, MAX_W):
        assert comm.allgather(error_text(comm=comm, sets=sets)) == [text] * comm.size

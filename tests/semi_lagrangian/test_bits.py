"""The same bytes on any number of ranks, with any division, halo, width, groups, method and progress."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon.base import ConfigError, InputError
from halcyon.comm import Progress
from halcyon.halo import METHODS
from halcyon.schedule import counts, messages
from halcyon.semi_lagrangian import RADIUS, TUNED_METHODS, Advection, halo_volumes
from halcyon.transform import Grid
from tests.semi_lagrangian import bells

pytestmark = pytest.mark.mpi

GRIDS = {"full": Grid.full(48), "octahedral": Grid.octahedral(24)}
LEVELS, STEP = 3, 900.0
SPEEDS = np.array([0.2, 1.0, 0.6]) * 6.4 * RADIUS * np.pi / 48.5 / STEP  # up to 6.4 grid points a step
WIDTH = 10


def divisions(n):
    """All divisions of the grid among n ranks: numbers of parts in longitude and in latitude."""
    return [(px, n // px) for px in range(1, n + 1) if n % px == 0]


def advect(comm, grid, *, steps=2, at_once=False, after_departures=None, **options):
    """Collective. The advection and two fields, bells and noise, after steps over the poles.

    at_once: whether one call takes the whole step; otherwise after_departures, if given, is called with the
    advection after departure points are computed."""
    advection = Advection(comm, grid, levels=LEVELS, fields=2, **options)
    lat, lon = advection.latitude[:, None], advection.longitude[:, None]
    u, v = bells.winds(lat, lon, 70, SPEEDS)
    points = bells.vectors(advection.latitude, advection.longitude)
    bell = np.repeat(bells.cosine_bell(points, np.array([0, 0, 1.0]))[:, None], LEVELS, axis=1)
    noise = np.sin(1e4 * points @ [1, 2, 3])[:, None] * np.arange(1, LEVELS + 1)
    for step in range(steps):
        wind = [(1 - 0.3 * step) * component for component in (u, v)]
        if at_once:
            advection.step(*wind, STEP, bell, noise)
        else:
            advection.find_departures(*wind, STEP)
            if after_departures is not None:
                after_departures(advection)
            advection.advance(bell, noise)
    return advection, np.stack([bell, noise], axis=1)


def gathered(comm, advection, fields):
    """Collective. Fields of all ranks, sorted by latitude from the north, then by longitude."""
    parts = comm.allgather((advection.latitude, advection.longitude, fields))
    latitude, longitude, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return values[np.lexsort((longitude, -latitude))]


def single_rank_result(grid):
    """The grid, and the fields on one rank."""
    return grid, gathered(MPI.COMM_SELF, *advect(MPI.COMM_SELF, grid, halo="on_demand"))


@pytest.fixture(scope="module", params=GRIDS)
def case(request):
    return single_rank_result(GRIDS[request.param])


@pytest.fixture(scope="module")
def octahedral():
    return single_rank_result(GRIDS["octahedral"])


@pytest.mark.parametrize("halo", ["wide", "on_demand"])
def test_any_division_and_halo(comm, case, halo):
    grid, expected = case
    for ranks in divisions(comm.size):
        for width in (WIDTH, 20, 48):
            result = advect(comm, grid, halo=halo, width=width, ranks=ranks)
            assert gathered(comm, *result).tobytes() == expected.tobytes(), (ranks, width)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("halo", ["wide", "on_demand"])
def test_any_method(comm, octahedral, halo, method):
    grid, expected = octahedral
    result = advect(comm, grid, halo=halo, width=WIDTH, ranks=divisions(comm.size)[-1], method=method)
    assert gathered(comm, *result).tobytes() == expected.tobytes()


@pytest.mark.parametrize("progress", ["none", "poll", "thread"])
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_any_groups_and_progress(comm, octahedral, groups, progress):
    grid, expected = octahedral
    result = advect(comm, grid, width=WIDTH, groups=groups, progress=Progress(comm, progress))
    assert gathered(comm, *result).tobytes() == expected.tobytes()


@pytest.mark.parametrize("halo", ["wide", "on_demand"])
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("progress", ["poll", "thread"])
def test_fields_that_travel_while_their_departure_points_are_found(comm, octahedral, halo, groups, progress):
    """One call of step has the bits of find_departures and advance."""
    grid, expected = octahedral
    options = {"halo": halo, "width": WIDTH, "groups": groups, "progress": Progress(comm, progress)}
    result = advect(comm, grid, at_once=True, **options)
    assert gathered(comm, *result).tobytes() == expected.tobytes()


def test_a_step_that_fails_leaves_fields_as_they_were_and_others_possible(comm):
    """A step beyond the halo's width raises an error on all ranks; a shorter step then works."""
    advection = Advection(comm, GRIDS["full"], width=4, levels=2, groups=2)
    rng = np.random.default_rng(comm.rank)
    field, wind = rng.normal(size=advection.shape), np.full(advection.shape, 9.0)
    before = field.copy()
    for _ in range(2):
        with pytest.raises(ConfigError, match="a halo of width 4 does not hold"):
            advection.step(wind, wind, 1e6, field)
        assert np.array_equal(field, before)
    advection.step(0 * wind, 0 * wind, 1e6, field)
    np.testing.assert_allclose(field, before, atol=1e-13)


@pytest.mark.parametrize("halo", ["wide", "on_demand"])
def test_tuning_changes_how_and_no_bits(comm, octahedral, halo):
    """Tuning between steps leaves the bits, and selects the first of the settings that it returns."""
    grid, expected = octahedral
    all_tried = []

    def tune(advection):
        candidates = {"methods": ("isend_irecv", "shared"), "progress": ("none", "poll")}
        all_tried.append(advection.tune(groups=(1, 2, 9), **candidates, repetitions=1))

    fields = advect(comm, grid, halo=halo, width=WIDTH, after_departures=tune)
    assert gathered(comm, *fields).tobytes() == expected.tobytes()
    for tried in all_tried:
        assert comm.allgather(tried) == [tried] * comm.size
        assert {choice.groups for choice in tried} == ({1, 2} if comm.size > 1 else set())
    if comm.size > 1:
        assert fields[0].exchange_settings == next(iter(all_tried[-1]))


def test_all_is_tuned_by_default(comm):
    """By default tune compares all of TUNED_METHODS."""
    advection = Advection(comm, Grid.full(16), levels=3)
    advection.set_departures(
        *(np.repeat(degrees[:, None], 3, 1) for degrees in (advection.latitude, advection.longitude))
    )
    tried = advection.tune(repetitions=1)
    assert {choice.method for choice in tried} == (set(TUNED_METHODS) if comm.size > 1 else set())


def test_tunings_that_cannot_be(comm):
    advection = Advection(comm, GRIDS["full"], levels=2)
    with pytest.raises(ConfigError, match="There are no departure points yet"):
        advection.tune()
    with pytest.raises(ConfigError, match=r"groups are \(3, 4\), but there are 2 levels. Give fewer"):
        advection.tune(groups=(3, 4))
    with pytest.raises(ConfigError, match="methods is 'pigeon'"):
        advection.set_departures(
            *(np.repeat(degrees[:, None], 2, 1) for degrees in (advection.latitude, advection.longitude))
        )
        advection.tune(methods=("pigeon",))


def test_on_demand_receives_less(comm):
    """A wide halo receives all its points in every step, a halo on demand only those needed."""
    grid = GRIDS["full"]
    wide, _ = advect(comm, grid, width=WIDTH)
    on_demand, _ = advect(comm, grid, halo="on_demand")
    received = comm.allreduce(wide.received_bytes), comm.allreduce(on_demand.received_bytes)
    assert received[0] == 8 * 2 * LEVELS * comm.allreduce(wide.halo_points)
    assert (0 < received[1] < received[0]) if comm.size > 1 else received == (0, 0)


def test_volumes_are_those_that_travel(comm):
    """halo_volumes gives the bytes that every rank receives."""
    for name, grid in GRIDS.items():
        for ranks in divisions(comm.size):
            wide = Advection(comm, grid, width=WIDTH, ranks=ranks, levels=2, fields=3)
            volumes = halo_volumes(grid, ranks, width=WIDTH, column_bytes=8 * 2 * 3)
            expected = volumes.received(volumes.bytes)
            assert comm.allgather(wide.received_bytes) == list(expected), (name, ranks)
            assert counts(messages(volumes)).received_bytes[comm.rank] == wide.received_bytes


def test_halos_wider_than_the_neighbours(comm):
    """Bands of 48 / n rows and halos of 36 rows, beyond the adjacent ranks."""
    wide, _ = advect(comm, GRIDS["full"], width=36)
    assert wide.neighbours == comm.size - 1


def test_progress_by_name(comm):
    """A progress can be given by its name."""
    advection = Advection(comm, GRIDS["full"], width=4, groups=1, progress="poll")
    calm, field = np.zeros(advection.shape), np.ones(advection.shape)
    advection.step(calm, calm, 100, field)
    np.testing.assert_allclose(field, 1, rtol=1e-14)


def test_a_mistake_on_one_rank_is_one_error_on_all(comm):
    grid = GRIDS["full"]
    advection = Advection(comm, grid, width=4)
    calm, wind = np.zeros(advection.shape), np.zeros(advection.shape)
    is_last_rank = comm.rank == comm.size - 1
    wind[-1] = 500 if is_last_rank else 0
    advection.find_departures(wind, calm, 1000)
    with pytest.raises(
        ConfigError, match=r"A wind of 500.0 m s-1 at latitude -87.16, longitude 356.25, level 0"
    ):
        advection.find_departures(wind, calm, 10000)
    wind[-1] = np.nan if is_last_rank else 0
    with pytest.raises(InputError, match=r"latitude -87.16, longitude 356.25, level 0 is not finite"):
        advection.find_departures(wind, calm, 1000)
    if comm.size > 1:
        longer = np.zeros((advection.shape[0] + (comm.rank == 1), 1))
        for call in (advection.advance, lambda field: advection.step(longer, longer, 100, field)):
            with pytest.raises(ConfigError, match=r"^Rank 1: "):
                call(longer)
        with pytest.raises(ConfigError, match=r"^Rank 1 gives step 101.0, but rank 0 100.0"):
            advection.find_departures(calm, calm, 100 + (comm.rank == 1))
        with pytest.raises(ConfigError, match=r"^Rank 1 gives levels 3, but rank 0 2"):
            Advection(comm, grid, levels=2 + (comm.rank == 1))
    with pytest.raises(ConfigError, match="There are no departure points yet"):
        Advection(comm, grid).advance(calm)

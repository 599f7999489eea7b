"""Ranks that share a transform: their results are bitwise equal to those of one rank, for any division of
fields and wavenumbers and any exchange."""

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError
from halcyon.transform import ExchangeSettings, Grid, Transform, tuning
from halcyon.transform.tuning import METHODS
from tests.transform.coefficients import random_coefficients
from tests.transform.sets import all_sets

pytestmark = pytest.mark.mpi

TRUNCATION, N_FIELDS = 42, 7
GRIDS = {"full": Grid.full(64, 90), "octahedral": Grid.octahedral(43)}


class Alone:
    """Results of one rank for random fields: the reference for ranks that share the transform."""

    def __init__(self, grid):
        self.grid = grid
        transform = Transform(grid, TRUNCATION)
        self.vorticity, self.divergence = random_coefficients(transform, 2, N_FIELDS)
        self.values = transform.synthesis(self.vorticity)
        self.coefficients = transform.analysis(self.values)
        self.winds = transform.winds(self.vorticity, self.divergence)
        self.back = transform.vorticity_divergence(*self.winds)
        self.gradient = transform.gradient(self.vorticity)


@pytest.fixture(scope="module", params=GRIDS)
def alone(request):
    return Alone(GRIDS[request.param])


@pytest.fixture(scope="module")
def full():
    return Alone(GRIDS["full"])


def values_of(transform, values):
    """The values at the points of this rank (field, point)."""
    return values.reshape(len(values), -1)[:, transform.share.points]


def coefficients_of(transform, coefficients):
    """The coefficients of the fields and wavenumbers of this rank (field, coefficient)."""
    return coefficients[transform.share.fields(len(coefficients))][:, transform.share.coefficients]


def same_bits(found, expected):
    return found.dtype == expected.dtype and found.tobytes() == np.ascontiguousarray(expected).tobytes()


def check_scalars(transform, alone, n=N_FIELDS):
    values = transform.synthesis(coefficients_of(transform, alone.vorticity[:n]), fields=n)
    assert same_bits(values.reshape(n, -1), values_of(transform, alone.values[:n]))
    assert same_bits(transform.analysis(values), coefficients_of(transform, alone.coefficients[:n]))


def check_vectors(transform, alone):
    parts = [coefficients_of(transform, each) for each in (alone.vorticity, alone.divergence)]
    winds = transform.winds(*parts, fields=N_FIELDS)
    for found, expected in zip(winds, alone.winds, strict=True):
        assert same_bits(found.reshape(N_FIELDS, -1), values_of(transform, expected))
    back = transform.vorticity_divergence(*winds)
    for found, expected in zip(back, alone.back, strict=True):
        assert same_bits(found, coefficients_of(transform, expected))
    for found, expected in zip(transform.gradient(parts[0], fields=N_FIELDS), alone.gradient, strict=True):
        assert same_bits(found.reshape(N_FIELDS, -1), values_of(transform, expected))


@pytest.mark.parametrize(
    "groups, ahead, group", [(1, 1, 16), (3, 1, 2), (7, 2, 1), (3, 2**31 - 1, 3), (2, 0, 2)]
)
def test_any_sets_give_the_bits_of_one_rank(comm, alone, groups, ahead, group):
    """Scalars and winds have the bits of one rank for any sets, groups, and batches smaller than groups."""
    for sets in all_sets(comm.size):
        options = {"groups": groups, "ahead": ahead, "group": group}
        transform = Transform(alone.grid, TRUNCATION, comm=comm, sets=sets, memory=30_000, **options)
        assert transform.sets == sets
        for _ in range(2):
            check_scalars(transform, alone)
            check_vectors(transform, alone)


@pytest.mark.parametrize("algorithm", ["burst", "bruck", "ring-1"])
def test_many_wavenumbers_of_a_rank(comm, algorithm):
    """Enough wavenumbers that the memory of stripes is padded by an unused block."""
    grid, truncation, n = Grid.full(256), 255, 3
    alone = Transform(grid, truncation)
    coefficients = random_coefficients(alone, n)
    values, back = alone.synthesis(coefficients), alone.analysis(alone.synthesis(coefficients))
    for sets in all_sets(comm.size):
        transform = Transform(grid, truncation, comm=comm, sets=sets, groups=2, algorithm=algorithm)
        found = transform.synthesis(coefficients_of(transform, coefficients), fields=n)
        assert same_bits(found.reshape(n, -1), values_of(transform, values))
        assert same_bits(transform.analysis(found), coefficients_of(transform, back))


@pytest.mark.parametrize("algorithm", ["burst", "bruck", "ring-1", "ring-2"])
@pytest.mark.parametrize(
    "method", ["isend_recv", "isend_irecv", "persistent", "ineighbor", "alltoallv", "ialltoallv", "shared"]
)
def test_any_method_and_algorithm(comm, full, method, algorithm):
    """Scalars have the bits of one rank for all exchange methods and all-to-all algorithms."""
    for sets in all_sets(comm.size):
        options = {"sets": sets, "groups": 2, "method": method, "algorithm": algorithm}
        check_scalars(Transform(full.grid, TRUNCATION, comm=comm, **options), full)


@pytest.mark.parametrize("progress", ["none", "poll", "thread"])
def test_any_progress(comm, full, progress):
    """Scalars and winds have the bits of one rank, with and without polling or a progress thread."""
    from halcyon.comm import Progress

    progress_objects = Progress(comm, progress)
    for sets in all_sets(comm.size):
        for method in ("isend_irecv", "ialltoallv"):
            options = {"sets": sets, "groups": 4, "method": method, "progress": progress_objects}
            transform = Transform(full.grid, TRUNCATION, comm=comm, **options)
            check_scalars(transform, full)
            check_vectors(transform, full)


def test_fewer_fields_than_sets(comm, full):
    """Some V sets have no fields."""
    for sets in all_sets(comm.size):
        for method in ("isend_irecv", "ialltoallv"):
            transform = Transform(full.grid, TRUNCATION, comm=comm, sets=sets, groups=3, method=method)
            for n in (1, 2):
                check_scalars(transform, full, n)


def test_what_ranks_hold(comm, alone):
    """Each point, and each coefficient of each field, has exactly one rank; coefficients are balanced."""
    points = np.zeros(alone.grid.n_points, int)
    terms = np.zeros((N_FIELDS, alone.vorticity.shape[1]), int)
    for sets in all_sets(comm.size):
        transform = Transform(alone.grid, TRUNCATION, comm=comm, sets=sets)
        share = transform.share
        points[:], terms[:] = 0, 0
        points[share.points] = 1
        terms[share.fields(N_FIELDS), share.coefficients] = 1
        assert (comm.allreduce(points) == 1).all() and (comm.allreduce(terms) == 1).all()
        assert divmod(comm.rank, sets[1]) == (share.v, share.w)
        one_rank = Transform(alone.grid, TRUNCATION)
        assert np.array_equal(share.wavenumbers, one_rank.wavenumbers[share.coefficients])
        assert np.array_equal(share.degrees, one_rank.degrees[share.coefficients])
        assert np.array_equal(share.longitude, one_rank.share.longitude[share.points])
        assert np.array_equal(share.latitude, one_rank.share.latitude[share.points])
        assert np.isin(share.latitude, one_rank.share.latitude[share.points]).all()
        # coefficients are balanced: the largest set has few more than its share
        assert comm.allreduce(len(share.degrees), max) <= 1.15 * len(one_rank.degrees) / sets[1] + TRUNCATION


def test_scatter_and_gather(comm, alone):
    """Scattered fields are each rank's share, the root gathers the fields of one rank; mistakes raise
    errors."""
    for sets in all_sets(comm.size):
        share = (transform := Transform(alone.grid, TRUNCATION, comm=comm, sets=sets)).share
        root = comm.size - 1
        mine = share.scatter_coefficients(alone.vorticity if comm.rank == root else None, root)
        assert same_bits(mine, coefficients_of(transform, alone.vorticity))
        values = share.scatter_values(alone.values if comm.rank == 0 else None)
        assert same_bits(values, values_of(transform, alone.values))
        everything = share.gather_values(values, root), share.gather_coefficients(mine)
        assert (everything[0] is None) == (comm.rank != root) and (everything[1] is None) == (comm.rank != 0)
        assert everything[0] is None or same_bits(everything[0], alone.values)
        assert everything[1] is None or same_bits(everything[1], alone.vorticity)
        for call in (share.scatter_values, share.gather_values, share.gather_coefficients):
            with pytest.raises(InputError, match="shape"):
                call(np.zeros((2, 3)))
        for gather, part in ((share.gather_values, values), (share.gather_coefficients, mine)):
            with pytest.raises(ConfigError, match=f"root is 7777. Give a rank, 0 to {comm.size - 1}"):
                gather(part, 7777)
        for gather in (share.gather_values, share.gather_coefficients):
            with pytest.raises(
                InputError, match="is not an array" if comm.rank == 0 else "Rank 0: .* is not an array"
            ):
                gather([[1.0], [1.0, 2.0]] if comm.rank == 0 else values)
        with pytest.raises(InputError, match="masked numbers"):
            share.gather_values(np.ma.masked_equal(values, values[0, 0]))
        with pytest.raises(ConfigError, match="root is -1"):
            share.scatter_values(values, -1)
        for gather, part in ((share.gather_values, values), (share.gather_coefficients, mine)):
            if comm.size > 1:
                with pytest.raises(InputError, match=r"The ranks have \[.*\] fields to gather"):
                    gather(np.concatenate([part] * (1 + comm.rank)))


def test_only_what_must_travel_does(comm, full):
    """Each block of panels and points that changes rank is sent once, and nothing else."""
    for v, w in all_sets(comm.size):
        transform = Transform(full.grid, TRUNCATION, comm=comm, sets=(v, w))
        check_scalars(transform, full)
        statistics = transform.statistics
        if comm.size == 1:
            assert statistics.n_sent == 0 and statistics.sent_bytes == 0
            with pytest.raises(ConfigError, match="exchanges nothing"):
                transform.schedule("analysis", 3)
            continue
        from halcyon import schedule

        counted = schedule.counts(transform.schedule("synthesis", N_FIELDS))
        back = schedule.counts(transform.schedule("analysis", N_FIELDS))
        assert statistics.sent_bytes == (counted.sent_bytes + back.sent_bytes)[comm.rank]
        n_kept = transform.core.n_points * len(range(N_FIELDS)[transform.share.fields(N_FIELDS)])
        columns = 8 * comm.allreduce(transform.core.n_points * N_FIELDS - n_kept)
        panels = counted.sent_bytes.sum() - columns
        # even and odd parts of complex numbers at all latitudes; a share of 1 - 1/w changes rank
        all_panels = N_FIELDS * 16 * (TRUNCATION + 1) * len(full.grid.row_lengths)
        assert panels == 0 if w == 1 else 0.5 * (1 - 1 / w) < panels / all_panels <= 1 - 1 / w + 0.1


def test_mistakes_are_told(comm, full):
    with pytest.raises(ConfigError, match="are not the"):
        Transform(full.grid, TRUNCATION, comm=comm, sets=(comm.size, 2))
    with pytest.raises(ConfigError, match="Give 1 or more"):
        Transform(full.grid, TRUNCATION, comm=comm, groups=0)
    with pytest.raises(ConfigError, match="no exchange method 'pigeon'"):
        Transform(full.grid, TRUNCATION, comm=comm, method="pigeon")
    if comm.size == 1:
        return
    with pytest.raises(ConfigError, match=rf"{comm.size} W sets share the 1 wavenumbers"):
        Transform(full.grid, 0, comm=comm)
    transform = Transform(full.grid, TRUNCATION, comm=comm, sets=(comm.size, 1))
    with pytest.raises(InputError, match="Give `fields`"):
        transform.synthesis(np.zeros((1, transform.n_coefficients)))
    with pytest.raises(InputError, match="this rank has"):
        transform.synthesis(np.zeros((3, transform.n_coefficients)), fields=comm.size)


def test_a_mistake_on_one_rank_is_told_on_all(comm, full):
    if comm.size == 1:
        return
    transform = Transform(full.grid, TRUNCATION, comm=comm)
    values = np.zeros((2, transform.core.n_points + (comm.rank == 1)))
    with pytest.raises(InputError, match=r"^Rank 1: values has the shape"):
        transform.analysis(values)
    with pytest.raises(InputError, match=r"^Rank 1: v has the shape"):
        transform.vorticity_divergence(values[:, : transform.core.n_points], values)
    waves = np.zeros((2 + (comm.rank == 1), transform.n_coefficients), complex)
    for call in (transform.synthesis, transform.gradient, lambda given: transform.winds(given, given)):
        with pytest.raises(ConfigError, match=r"^Rank 1 gives fields \(3,\), but rank 0 \(2,\)"):
            call(waves)
    for options in ({"groups": 1 + comm.rank}, {"method": ("alltoallv", "ialltoallv")[comm.rank % 2]}):
        with pytest.raises(ConfigError, match=rf"^Rank 1 gives {next(iter(options))}"):
            Transform(full.grid, TRUNCATION, comm=comm, **options)
    with pytest.raises(ConfigError, match=r"^Rank 1 gives truncation 43, but rank 0 42"):
        Transform(full.grid, TRUNCATION + comm.rank, comm=comm)
    with pytest.raises(ConfigError, match=r"^Rank 1 gives grid Grid of 66 rows"):
        Transform(Grid.full(64 + 2 * comm.rank, 90), TRUNCATION, comm=comm)


def test_tuning_changes_how_and_no_bits(comm, full):
    """A tuning tries the requested settings, applies the first of them, and changes no bits."""
    transform = Transform(full.grid, TRUNCATION, comm=comm, sets=(1, comm.size), algorithm="ring-1")
    assert transform.exchange_settings == ExchangeSettings(algorithm="ring-1") and transform.tried == {}
    candidates = {"groups": (1, 3), "ahead": (1,), "algorithms": ("ring-1",), "progress": ("none", "poll")}
    tried = transform.tune(N_FIELDS, methods=("persistent", "alltoallv"), **candidates, repetitions=1)
    check_scalars(transform, full)
    assert comm.allgather(tried) == [tried] * comm.size
    if comm.size == 1:
        assert tried == {} and transform.exchange_settings == ExchangeSettings(algorithm="ring-1")
        return
    chosen, *others = tried
    assert (transform.exchange_settings, transform.tried) == (chosen, tried)
    assert sorted(others, key=tried.get) == others
    assert set(tried) == {
        ExchangeSettings(1, 1, "persistent", "ring-1", "none"),
        ExchangeSettings(1, 1, "alltoallv", "ring-1", "none"),
        ExchangeSettings(3, 1, "persistent", "ring-1", "none"),
        ExchangeSettings(3, 1, "persistent", "ring-1", "poll"),
        ExchangeSettings(3, 1, "alltoallv", "ring-1", "none"),
    }
    # per group and direction, one message to each other rank
    assert transform.statistics.n_sent == 2 * chosen.groups * (comm.size - 1)
    with pytest.raises(ConfigError, match=r"repetitions is 0. Give 1 or more"):
        transform.tune(3, repetitions=0)
    with pytest.raises(ConfigError, match=r"groups is 0. Give 1 or more"):
        transform.tune(3, groups=(0,))


def test_all_is_tuned_by_default(comm, full):
    """A tuning without arguments tries all methods and algorithms; the text of settings names their
    values."""
    for sets in ((1, comm.size), (comm.size, 1))[: comm.size]:
        transform = Transform(full.grid, TRUNCATION, comm=comm, sets=sets)
        tried = transform.tune(N_FIELDS, repetitions=1)
        check_scalars(transform, full)
        check_vectors(transform, full)
        if comm.size == 1:
            continue
        assert 4 <= len(tried) < 80
        assert {choice.method for choice in tried} == set(METHODS)
        assert ({choice.algorithm for choice in tried} > {"burst"}) == (max(sets) > 2)
        assert str(transform.exchange_settings).split(", ")[-3:] == list(transform.exchange_settings[2:])
    assert str(ExchangeSettings()) == "1 group, isend_irecv, burst, none"
    assert (
        str(ExchangeSettings(3, 2, "persistent", "ring-4", "poll"))
        == "3 groups, 2 ahead, persistent, ring-4, poll"
    )


@pytest.mark.parametrize("group", [1, 16])
def test_as_many_groups_travel_as_are_asked_for(comm, full, group):
    """The number of sent messages is that of min(groups, fields per V set) groups, for any batch size."""
    if comm.size == 1:
        return
    for v, w in all_sets(comm.size):
        for groups in (1, 3, 50):
            transform = Transform(full.grid, TRUNCATION, comm=comm, sets=(v, w), groups=groups, group=group)
            transform.analysis(np.zeros((36 * v, transform.core.n_points)))
            assert transform.statistics.n_sent == min(groups, 36) * (v - 1 + w - 1)


def test_what_is_said_last_counts(comm, full):
    """set_exchange before the first call replaces the automatic tuning; a tuning tries the given `ahead`
    only."""
    transform = Transform(full.grid, TRUNCATION, comm=comm, groups="auto")
    transform.set_exchange(groups=2, method="persistent")
    transform.analysis(np.zeros((4, transform.core.n_points)))
    assert transform.exchange_settings == ExchangeSettings(2, method="persistent") and transform.tried == {}
    candidates = {"methods": ("isend_irecv",), "algorithms": ("burst",), "groups": (2,), "repetitions": 1}
    if comm.size == 1:
        return
    assert set(transform.tune(4, ahead=(0,), **candidates)) == {ExchangeSettings(2, 0)}
    tried = transform.tune(4, ahead=(0, 1), progress=("none", "poll"), **candidates)
    assert {ExchangeSettings(2), ExchangeSettings(2, progress="poll")} <= set(tried)
    assert set(tried) <= {ExchangeSettings(2, 0), ExchangeSettings(2), ExchangeSettings(2, progress="poll")}


def test_groups_that_there_cannot_be_are_not_tried(comm, full):
    """At most as many groups as fields per V set; progress only if something can be in flight: winds have
    at least two groups."""
    candidates = {"methods": ("isend_irecv",), "algorithms": ("burst",), "repetitions": 1, "ahead": (1, 2)}
    for v, w in all_sets(comm.size)[: comm.size if comm.size > 1 else 0]:
        transform = Transform(full.grid, TRUNCATION, comm=comm, sets=(v, w))
        max_groups = -(-17 // v)
        tried = transform.tune(17, groups=(1, 40, 50), progress=("none",), **candidates)
        assert set(tried) == {
            ExchangeSettings(1),
            ExchangeSettings(max_groups),
            ExchangeSettings(max_groups, 2),
        }
        tried = transform.tune(17, groups=(1, 50), progress=("none", "poll"), winds=True, **candidates)
        expected = {ExchangeSettings(n, progress=name) for n in (1, max_groups) for name in ("none", "poll")}
        assert expected <= set(tried) <= expected | {choice._replace(ahead=2) for choice in expected}
        one = transform.tune(1, groups=(1, 2), progress=("none", "poll"), **candidates)
        assert set(one) == {ExchangeSettings(1)}
        check_scalars(transform, full)


def test_progress_is_tried_as_it_was_made(comm, full):
    """A tuning tries the given Progress objects, and names them as their dictionary does."""
    from halcyon.comm import Progress

    progress_objects = {"none": Progress(comm), "near": Progress(comm, "thread", core="shared")}
    transform = Transform(full.grid, TRUNCATION, comm=comm)
    tried = transform.tune(
        N_FIELDS, groups=(2,), methods=("isend_irecv",), progress=progress_objects, repetitions=1
    )
    assert {choice.progress for choice in tried} == (set(progress_objects) if comm.size > 1 else set())
    assert transform.exchange_settings.progress in progress_objects
    check_scalars(transform, full)


def test_groups_are_tuned_at_the_first_call(comm, full, monkeypatch):
    """With groups="auto" the first call tunes, once; tune() before it takes its place."""
    tunings = []  # the candidates of each tuning

    def tune_quickly(*args, **candidates):
        tunings.append(candidates)
        few = {"groups": (1, 3), "methods": ("isend_irecv",), "progress": ("none",), "repetitions": 1}
        return tuning.fastest(*args, **candidates | few)

    monkeypatch.setattr("halcyon.transform.exchanges.fastest", tune_quickly)
    options = {"comm": comm, "sets": (comm.size, 1), "groups": "auto"}
    transform = Transform(full.grid, TRUNCATION, **options)
    check_scalars(transform, full)
    check_vectors(transform, full)
    assert tunings == [{}]
    assert (transform.exchange_settings in transform.tried) == (comm.size > 1)
    tuned_before = Transform(full.grid, TRUNCATION, **options)
    tuned_before.tune(3, groups=(1, 2))
    check_scalars(tuned_before, full)
    assert tunings == [{}, {"groups": (1, 2)}]
    with pytest.raises(ConfigError, match=r"groups is 'few'\. Give a number"):
        Transform(full.grid, TRUNCATION, comm=comm, groups="few")

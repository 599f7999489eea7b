"""Invalid exchange options raise the same errors on a single rank and on ranks that share a transform."""

import numpy as np
import pytest

from halcyon.base import ConfigError
from halcyon.comm import Progress
from halcyon.spectral import Model
from halcyon.transform import Bifourier, Grid, Plane, Transform

EXCHANGES = [  # exchange options, and a part of the error that they raise
    ({"groups": 0}, "in 0 groups.*Give 1 or more"),
    ({"groups": 1.5}, "groups is 1.5. Give a whole number"),
    ({"groups": "few"}, "groups is 'few'. Give"),
    ({"groups": None}, "groups is None"),
    pytest.param(
        {"ahead": -1},
        "with -1 groups in flight.*Give 1 or more groups, and 0",
        id="given4-of which -1 come.*Give 1 or more groups, and 0",
    ),
    ({"ahead": 2**40}, r"ahead is 1099511627776. Give a whole number below 2\^31"),
    ({"method": "pigeon"}, "no exchange method 'pigeon'. Use isend_recv"),
    pytest.param({"method": 3}, "method is 3. Give one of the names", id="given7-method is 3. Give a name"),
    ({"algorithm": "ring-0"}, "no all-to-all 'ring-0'. Use burst"),
    pytest.param(
        {"algorithm": None},
        "algorithm is None. Give one of the names",
        id="given9-algorithm is None. Give a name",
    ),
    ({"progress": "prayer"}, "progress is 'prayer'. Give one of none, poll, thread"),
    ({"progress": None}, "progress is None. Give one of"),
]
TUNINGS = [  # tuning candidates, and a part of the error that they raise
    ({"groups": (0,)}, "groups is 0. Give 1 or more"),
    ({"groups": ()}, r"groups is \(\). Give a list of one or more"),
    ({"groups": 3}, "groups is 3. Give a list"),
    ({"ahead": (1, -1)}, "ahead is -1. Give 0 or more"),
    ({"algorithms": ("star",)}, "no all-to-all 'star'. Use burst"),
    ({"algorithms": "burst"}, "algorithms is 'burst'. Give a list"),
    ({"methods": ("pigeon",)}, "methods is 'pigeon'. Give one of isend_recv"),
    ({"progress": ("prayer",)}, "progress is 'prayer'. Give one of none, poll, thread"),
    ({"repetitions": 0}, "repetitions is 0. Give 1 or more"),
    ({"repetitions": "often"}, "repetitions is 'often'. Give a whole number"),
]
SETS = [  # invalid numbers of V and W sets
    ((1,), "Give two whole numbers"),
    ("1x2", "Give two whole numbers"),
    ((1.5, 1), "Give two whole numbers"),
    (3, "Give two whole numbers"),
]


def constructors(**options):
    """Functions that build a transform on the sphere, and one on a plane, with these and further options."""
    yield lambda **further: Transform(Grid.full(8), 5, **options, **further)
    plane = Plane(16, 16, length_x=1, length_y=1)
    yield lambda **further: Bifourier(plane, 5, **options, **further)


def check_exchange_options(invalid, text, **options):
    """Transforms and models with the `invalid` exchange options raise an error with this text."""
    for make in constructors(**options):
        with pytest.raises(ConfigError, match=text):
            make(**invalid)
    if invalid.get("groups") != "few":
        model = Model("barotropic", 5, Grid.full(8), **options)
        with pytest.raises(ConfigError, match=text):
            model.set_exchange(**invalid)


def check_tuning_options(invalid, text, **options):
    """Tuning transforms and models with the `invalid` candidates raises an error with this text."""
    for make in constructors(**options):
        with pytest.raises(ConfigError, match=text):
            make().tune(2, **invalid)
    with pytest.raises(ConfigError, match=text):
        Model("barotropic", 5, Grid.full(8), **options).tune(**invalid)


def test_what_a_tuning_does_not_have_is_no_option():
    """Unknown candidates raise TypeError, and a refused tuning leaves the automatic one due."""
    for make in constructors():
        transform = make(groups="auto")
        with pytest.raises(TypeError, match="pigeons"):
            transform.tune(2, pigeons=3)
        assert transform._must_tune
    with pytest.raises(TypeError, match="pigeons"):
        Model("barotropic", 5, Grid.full(8)).tune(pigeons=3)
    with pytest.raises(ConfigError, match="This transform has no winds"):
        transform.tune(2, winds=True)
    with pytest.raises(ConfigError, match="winds is 1"):
        transform.hiding(2, winds=1)


@pytest.mark.parametrize(("given", "text"), EXCHANGES)
def test_one_rank_refuses(given, text):
    check_exchange_options(given, text)


@pytest.mark.mpi
def test_ranks_that_share_refuse(comm):
    sets = (comm.size, 1)
    for each in EXCHANGES:
        invalid, text = getattr(each, "values", each)
        check_exchange_options(invalid, text, comm=comm, sets=sets)


@pytest.mark.parametrize(("given", "text"), TUNINGS)
def test_one_rank_refuses_to_try(given, text):
    check_tuning_options(given, text)


@pytest.mark.mpi
def test_ranks_that_share_refuse_to_try(comm):
    for invalid, text in TUNINGS:
        check_tuning_options(invalid, text, comm=comm, sets=(comm.size, 1))


@pytest.mark.mpi
def test_sets_that_are_none(comm):
    for sets, text in SETS:
        for make in constructors(comm=comm, sets=sets):
            with pytest.raises(ConfigError, match=text):
                make()


@pytest.mark.mpi
def test_a_rank_with_another_mistake_leaves_none_waiting(comm):
    """An error on one rank is raised on all, in constructors and in tuning."""
    if comm.size == 1:
        return
    sets, mistaken = (comm.size, 1), comm.rank == 1
    for make in constructors(comm=comm, sets=sets):
        with pytest.raises(ConfigError, match=r"^Rank 1: group is 2.5"):
            make(group=2.5 if mistaken else 2)
        with pytest.raises(ConfigError, match=r"^Rank 1 gives group 3, but rank 0 2"):
            make(group=2 + mistaken)
        with pytest.raises(ConfigError, match=r"^Rank 1: progress is 'prayer'"):
            make(progress="prayer" if mistaken else "none")
        with pytest.raises(ConfigError, match=r"^Rank 1: repetitions is 0"):
            make().tune(2, repetitions=1 - mistaken)
        with pytest.raises(ConfigError, match=r"^Rank 1: progress\['none'\] is 3. Give a Progress"):
            make().tune(2, progress={"none": 3 if mistaken else Progress(comm, "none")}, repetitions=1)
    with pytest.raises(ConfigError, match=r"^Rank 1: memory of -1 bytes"):
        Transform(Grid.full(8), 5, comm=comm, sets=sets, memory=-mistaken)
    with pytest.raises(ConfigError, match=r"^Rank 1 gives filter 0.2, but rank 0 0.1"):
        Model("barotropic", 5, Grid.full(8), comm=comm, sets=sets, filter=0.2 if mistaken else 0.1)
    model = Model("barotropic", 5, Grid.full(8), comm=comm, sets=sets)
    with pytest.raises(ConfigError, match=r"^Rank 1: dt is -1 s. Give more than 0 s"):
        model.step(-1 if mistaken else 1)
    with pytest.raises(ConfigError, match=r"^Rank 1 gives dt 2.0, but rank 0 1.0"):
        model.step(1 + mistaken)
    with pytest.raises(ConfigError, match=r"^Rank 1: least_speed is -1 m s-1"):
        model.longest_step(-mistaken)
    with pytest.raises(ConfigError, match=r"^Rank 1 gives names"):
        model.products(["vorticity", "eastward_wind"][: 1 + mistaken])


@pytest.mark.parametrize("comm", [3, "world"])
def test_what_is_no_communicator(comm):
    with pytest.raises(ConfigError, match=r"comm is .* Give a Comm"):
        Transform(Grid.full(8), 5, comm=comm)


@pytest.mark.parametrize("fields", [-1, (-1, -4), (0, -1)])
def test_fields_below_none(fields):
    transform = Transform(Grid.full(8), 5)
    with pytest.raises(ConfigError, match=r"fields are .* Give 0 or more"):
        transform.synthesis(np.zeros((0, transform.n_coefficients), complex), fields=fields)


def test_long_mistakes_are_cut():
    with pytest.raises(ConfigError, match=r"grid is \[0, 1, .*\.\.\. Give a Grid\.$") as caught:
        Transform(list(range(100_000)), 5)
    assert len(str(caught.value)) < 300


def test_numbers_of_numpy_are_numbers():
    found = Transform(Grid.full(np.int32(8)), np.int64(5), memory=np.int64(0), radius=np.float32(1))
    assert found.n_coefficients == 21

"""Runs with the default wind of a track with radii in quadrants, and with other vortices and sets: the same
bits on any number of ranks, with another partition, and after a restart."""

import pytest

from tests.run import case, runs
from tests.run.test_forced_run import alone

# The storm weakens, its quadrants differ; the second record lacks R and a radius in one quadrant.
DECK = """\
WP, 12, 2022090100, ,BEST, 0, 220N, 1500E, 90, 945,TY,34,NEQ,300,260,200,240,1008,400,60,0,0,W,0,,0,0, STORM,
WP, 12, 2022090100, ,BEST, 0, 220N, 1500E, 90, 945,TY,64,NEQ,120,100,80,90,1008,400,60,0,0,W,0,,0,0, STORM,
WP, 12, 2022090106, ,BEST, 0, 235N, 1465E, 70, 965,TY,34,NEQ,280,240,150,220,1008,400,0,0,0,W,0,,0,0, STORM,
WP, 12, 2022090106, ,BEST, 0, 235N, 1465E, 70, 965,TY,64,NEQ,90,60,0,50,1008,400,0,0,0,W,0,,0,0, STORM,
"""
CASE = case.CASE.replace("track.csv", "deck.dat").replace(
    "output:\n", "output:\n  variables: [significant_height, eastward_wind, northward_wind]\n"
)
pytestmark = pytest.mark.ranks(3)
VARIANTS = {
    "default": [],
    "willoughby": ["forcing.wind.vortex=willoughby", "physics.set=ard"],
    "st6": ["physics.set=st6", "forcing.wind.cell_mean=false"],
    "fvwam": ["preset=fvwam", "physics={preset: fvwam}", "initial.cap_light_winds=true"],
}


@pytest.fixture(scope="module")
def path(comm, common_folder):
    """The path of the case, the same on all ranks."""
    if comm.rank == 0:
        case.write_case(common_folder, case=CASE, track=None)
        (common_folder / "deck.dat").write_text(DECK)
    comm.barrier()
    return common_folder / "case.yaml"


@pytest.fixture(scope="module")
def default(comm, path):
    """The output folder of the default options on one rank."""
    return alone(comm, path, path.with_name("alone_default"))


@pytest.mark.mpi
@pytest.mark.parametrize("name", VARIANTS)
def test_a_storm_leaves_the_same_bytes(comm, path, default, name):
    """A run that is stopped and resumed on all ranks writes the bits of one rank; so does another partition,
    without a stop. The options change the waves, so that they are in use."""
    changes = VARIANTS[name]
    whole = alone(comm, path, path.with_name(f"alone_{name}"), *changes) if changes else default
    stopped = path.with_name(f"stopped_{name}")
    assert not runs.run(comm, path, stopped, *changes, stop=runs.StopAfter(5))
    assert runs.run(comm, path, stopped, *changes, resume=True)
    assert runs.differing(stopped, whole) == []
    other = path.with_name(f"other_{name}")
    assert runs.run(comm, path, other, *changes, "partition.method=recursive", "restart.interval=none")
    assert runs.differing(other, whole) == []
    if changes:
        assert runs.differing(default, whole) != []

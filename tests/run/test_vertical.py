"""Vertical interpolation from model levels to output levels, and restart files of fields with levels."""

from types import SimpleNamespace

import numpy as np
import pytest
from mpi4py import MPI

from halcyon import atmosphere
from halcyon.config import load_case
from halcyon.io.fields_file import OwnedMesh
from halcyon.run.folder import start_run_file
from halcyon.run.output.records import DEFAULT_ORIGIN, OutputContents
from halcyon.run.state.restart import Restarts
from halcyon.run.state.restart_state import RestartState
from tests.run import case
from tests.support import meshes, sea_states, upper_levels

CASE = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: hydrostatic
time: {start: 2000-01-01T00:00, end: 2000-01-01T12:00}
initial: {type: held_suarez}
"""


@pytest.fixture(scope="module")
def part():
    return OwnedMesh.of(sea_states.local_mesh(meshes.globe(3)), np.zeros(642))


@pytest.mark.parametrize(
    ("surfaces", "place"), [("pressure", "pressure"), ("height", "geopotential_height"), ("model", None)]
)
def test_what_is_asked_of_the_core(surfaces, place):
    """Output on pressure or height surfaces needs the pressure or geopotential height from the core;
    single-level fields need nothing more."""
    assert upper_levels.vertical_interpolation(surfaces).product_names == [
        *upper_levels.NAMES,
        *([place] if place else []),
    ]
    assert upper_levels.vertical_interpolation(surfaces, ("surface_pressure",)).product_names == [
        "surface_pressure"
    ]


def test_values_on_model_levels_are_those_of_the_core(part):
    products = upper_levels.products(part, 3)
    found = upper_levels.vertical_interpolation("model").interpolated(products)
    assert set(found) == set(upper_levels.NAMES)
    assert all(found[name] is products[name] for name in found)


def test_what_places_levels_may_be_written_itself(part):
    """The geopotential height on height surfaces is their height."""
    products, names = upper_levels.products(part, 3), ("geopotential_height", "temperature")
    found = upper_levels.vertical_interpolation("height", names).interpolated(products)
    is_valid = np.isfinite(found["temperature"])
    levels = np.broadcast_to(upper_levels.OUTPUT_SURFACES["height"].height, is_valid.shape)
    assert is_valid.sum() > 1200
    assert found["geopotential_height"][is_valid] == pytest.approx(levels[is_valid], rel=1e-12)


@pytest.mark.parametrize(("surfaces", "n_levels"), [("pressure", 3), ("height", 3), ("model", 10)])
def test_bytes_of_a_record(part, surfaces, n_levels):
    """A record has 4 bytes per cell, variable and output level."""
    made = upper_levels.vertical_interpolation(surfaces)
    contents = OutputContents(part, None, made.variables, None, [], "", made.axis)
    assert contents.record_bytes == 4 * 642 * (1 + 2 * n_levels)
    plain = [row for row in atmosphere.shallow_water_variables() if row.name in ("height", "vorticity")]
    assert OutputContents(part, None, plain, None, [], "").record_bytes == 2 * 4 * 642


SIZES = {"level": 5, "interface": 6}
STATE = {
    "surface_pressure": ("cell",),
    "potential_temperature": ("cell", "level"),
    "vertical_wind": ("cell", "interface"),
    "normal_wind": ("edge", "level"),
}


def row(name):
    text = dict.fromkeys(("units", "standard_name", "long_name"), "")
    return SimpleNamespace(name=name, dimensions=list(STATE[name]), **text)


def make_restart_state(comm, single=()):
    """A state with levels on this rank; its values depend on global id and level."""
    local = sea_states.local_mesh(meshes.globe(3), comm)
    shares = {"cell": local.part.cells, "edge": local.part.edges}
    owned = {kind: share.to_global[: share.n_owned] for kind, share in shares.items()}
    arrays = {}
    for i, (name, (item, *levels)) in enumerate(STATE.items()):
        n = SIZES[levels[0]] if levels else 1
        values = np.sin(owned[item][:, None] + 0.1 * i + 10 * np.arange(n))
        values = values if levels else values[:, 0]
        arrays[name] = np.ascontiguousarray(values, np.float32 if name in single else np.float64)
    sizes = [("cell", local.n_items[0]), ("edge", local.n_items[1]), *SIZES.items()]
    return RestartState([row(name) for name in STATE], sizes, owned, arrays.__getitem__), arrays


def make_restarts(comm, loaded, restart_state):
    series = SimpleNamespace(hours=[], shape=(0, 0), restore=lambda *_: None)
    recorder = SimpleNamespace(series=series, origin=DEFAULT_ORIGIN, state=dict, resume=lambda state: None)
    return Restarts(loaded, restart_state, recorder, comm, sea_states.core_comm(comm))


@pytest.mark.mpi
@pytest.mark.parametrize("single", [(), tuple(STATE)])
def test_a_state_with_levels_is_written_once_and_read_on_any_ranks(comm, common_folder, single):
    """The state that all ranks write is read again with the same bits, by all ranks and by one."""
    folder = common_folder / f"out{len(single)}"
    if comm.rank == 0:
        folder.mkdir()
        (common_folder / "mesh.nc").touch()
        (common_folder / "case.yaml").write_text(CASE)
        start_run_file(folder, case=common_folder / "case.yaml", overrides=[], ranks=comm.size)
    comm.barrier()
    loaded = load_case(common_folder / "case.yaml", [f"output.folder={folder}"])
    restart_state, arrays = make_restart_state(comm, single)
    assert restart_state.n_bytes == (4 if single else 8) * (642 * (1 + 5 + 6) + 1920 * 5)
    restarts = make_restarts(comm, loaded, restart_state)
    identity = {"mesh": "1", "time.end": loaded.time.end.isoformat()}
    restarts.write(loaded.time.start, {"step": 7}, identity)
    restarts.close()

    again, read = make_restart_state(comm, single)
    for values in read.values():
        values[:] = -1
    assert make_restarts(comm, loaded, again).resume(identity)["step"] == 7
    assert all(read[name].tobytes() == arrays[name].tobytes() for name in STATE)
    if comm.rank == 0:
        (restart_file,) = folder.glob("restart_*.nc")
        alone, whole = make_restart_state(MPI.COMM_SELF, single)
        for values in whole.values():
            values[:] = -1
        make_restarts(MPI.COMM_SELF, loaded, alone).resume(identity)
        _, expected = make_restart_state(MPI.COMM_SELF, single)
        assert all(whole[name].tobytes() == expected[name].tobytes() for name in STATE)
        assert case.variables_of(restart_file)["vertical_wind"] is not None
    comm.barrier()

"""Results are bitwise independent of the number of ranks, exchange method, partition and cell order."""

import functools

import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
from tests.atmosphere import atmosphere_states
from tests.support import meshes

pytestmark = pytest.mark.mpi

SEMI_IMPLICIT = "semi_implicit shallow_water"
WINDS = ("eastward_wind", "northward_wind", "vorticity", "kinetic_energy")
PRODUCTS = {
    **dict.fromkeys(("shallow_water", SEMI_IMPLICIT), (*WINDS, "height", "potential_vorticity")),
    **dict.fromkeys(
        atmosphere_states.EQUATION_SETS,
        (*WINDS, "surface_pressure", "temperature", "upward_wind", "pressure_velocity"),
    ),
}
STARTS = {
    **dict.fromkeys(("shallow_water", SEMI_IMPLICIT), "mountain"),
    **dict.fromkeys(atmosphere_states.EQUATION_SETS, "baroclinic_wave"),
}
SETTINGS = [
    {},
    {"method": "isend_recv"},
    {"method": "persistent"},
    {"method": "neighbor"},
    {"method": "ineighbor"},
    {"method": "neighbor_persistent"},
    {"method": "shared"},
    {"method": "auto", "layers": 3},
    {"overlap": False},
    {"method": "shared", "overlap": False},
    {"layers": 3},
    {"partition": "recursive", "seed": 7},
]
SCHEMES = {
    "plain": {"vertex_energy": 0.0, "anticipation": 0.0},
    "sharp": {"sharp_vorticity": True},
    "dissipating": {"diffusion": 0.01, "hyperdiffusion": 0.05, "divergence_damping": 0.05},
}
STEP_S = {SEMI_IMPLICIT: 5400.0}  # 600 s for other equations


each_equation_set = pytest.mark.parametrize("equations", PRODUCTS)


def core_on(comm, mesh, equations, *, start=None, **settings):
    """Collective. Makes a core, by default with the start of its equations. Air has nine levels, which is no
    multiple of the SIMD width."""
    start = start or STARTS[equations]
    if equations not in atmosphere_states.EQUATION_SETS:
        return meshes.core(mesh, comm, start=start, semi_implicit=equations == SEMI_IMPLICIT, **settings)
    forced = {"held_suarez": True, "sponge_pressure": 2e4, "sponge_rate": 1e-5}
    return atmosphere_states.core(mesh, equations, comm, start=start, count=9, **forced, **settings)


def run(comm, mesh, equations, **settings):
    """Collective. Runs twelve steps and returns the state, products and integrals of all ranks."""
    core = core_on(comm, mesh, equations, **{"layers": 2, **settings})
    for _ in range(12):
        core.step(STEP_S.get(equations, 600.0))
    assert core.failure.cell == -1
    return meshes.gathered(comm, core, PRODUCTS[equations]) | {"integrals": core.integrals()}


@functools.cache
def single_rank_result(equations, start=None, scheme=None, single=False):
    """What `run` returns on one rank; scheme: one of SCHEMES; single: single precision."""
    settings = {"start": start, "scheme": SCHEMES.get(scheme), "single": single}
    return run(MPI.COMM_SELF, meshes.globe(3), equations, **settings)


def differing(fields, other):
    """The names of the fields whose bytes differ."""
    assert fields.keys() == other.keys()
    return [name for name in fields if fields[name].tobytes() != other[name].tobytes()]


def test_the_runs_are_worth_comparing():
    """The runs on one rank are finite, and their flow has developed."""
    for equations in PRODUCTS:
        assert all(np.isfinite(values).all() for values in single_rank_result(equations).values())
    fields = single_rank_result("shallow_water")
    assert np.ptp(fields["height"]) > 900 and abs(fields["northward_wind"]).max() > 0.9
    fields = single_rank_result(SEMI_IMPLICIT)
    assert np.ptp(fields["height"]) > 900 and abs(fields["northward_wind"]).max() > 5
    fields = single_rank_result("nonhydrostatic")
    assert np.ptp(fields["surface_pressure"]) > 50 and abs(fields["northward_wind"]).max() > 0.3
    assert differing(fields | single_rank_result("hydrostatic"), fields) != []


@each_equation_set
@pytest.mark.parametrize(
    "settings", SETTINGS, ids=lambda settings: "-".join(map(str, settings.values())) or "default"
)
def test_any_way_leaves_the_same_bytes(comm, settings, equations):
    """Every exchange method, overlap, halo width and partition gives the bits of one rank."""
    assert differing(run(comm, meshes.globe(3), equations, **settings), single_rank_result(equations)) == []


@each_equation_set
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("layers", [2, 3])
def test_any_scheme_leaves_the_same_bytes(comm, scheme, layers, equations):
    """Every scheme gives the same bits on all numbers of ranks, and others than the default scheme."""
    fields = run(comm, meshes.globe(3), equations, scheme=SCHEMES[scheme], layers=layers)
    assert differing(fields, single_rank_result(equations, scheme=scheme)) == []
    assert differing(fields, single_rank_result(equations)) != []


@each_equation_set
def test_32_bits_leave_the_same_bytes(comm, equations):
    fields = run(comm, meshes.globe(3), equations, single=True)
    assert fields["normal_wind"].dtype == np.float32
    assert differing(fields, single_rank_result(equations, single=True)) == []


@pytest.mark.parametrize("equations", atmosphere_states.EQUATION_SETS)
@pytest.mark.parametrize("scheme", [None, "dissipating"])
@pytest.mark.parametrize("cells", [15, 60, 1000])
def test_any_tiles_leave_the_same_bytes(comm, cells, scheme, equations):
    """Results do not depend on the number of cells per tile."""
    settings = {"scheme": SCHEMES.get(scheme), "tile_bytes": cells * 9 * 8}
    fields = run(comm, meshes.globe(3), equations, **settings)
    assert differing(fields, single_rank_result(equations, scheme=scheme)) == []


@pytest.mark.parametrize("equations", atmosphere_states.EQUATION_SETS)
@pytest.mark.parametrize("monotone", [True, False])
def test_tracers_leave_the_same_bytes_with_any_tiles(comm, monotone, equations):
    def run_tracers(comm, **settings):
        scheme = {"monotone": monotone}
        core = atmosphere_states.core(
            meshes.globe(3), equations, comm, start="baroclinic_wave", count=9, layers=3, scheme=scheme,
            tracers=["constant_tracer"], **settings,
        )  # fmt: skip
        noise = np.random.default_rng(2).random((meshes.globe(3).n_cells, 9))
        core.prognostic("constant_tracer")[...] = noise[np.asarray(core.owned_cells)]
        for _ in range(6):
            core.step(600.0)
        return meshes.gathered(comm, core, [])

    expected = run_tracers(MPI.COMM_SELF)
    assert np.ptp(expected["constant_tracer"]) > 0.1
    for settings in ({}, {"tile_bytes": 60 * 9 * 8}):
        assert differing(run_tracers(comm, **settings), expected) == []


@pytest.mark.parametrize("equations", atmosphere_states.EQUATION_SETS)
def test_air_that_keeps_its_energy_leaves_the_same_bytes_with_any_tiles(comm, equations):
    def run_closed(comm, **settings):
        return run(comm, meshes.globe(3), equations, keep_energy=True, **settings)

    expected = run_closed(MPI.COMM_SELF)
    assert differing(expected, single_rank_result(equations)) != []
    for settings in ({}, {"tile_bytes": 60 * 9 * 8}):
        assert differing(run_closed(comm, **settings), expected) == []


def test_air_far_from_hydrostatic_leaves_the_same_bytes_with_any_tiles(comm):
    """Pressure differs from hydrostatic pressure by some per cent, and varies from cell to cell."""

    def run_perturbed(comm, **settings):
        core = atmosphere_states.core(
            meshes.globe(3), "nonhydrostatic", comm, start="baroclinic_wave", count=9, **settings
        )
        noise = 1 + 0.02 * np.random.default_rng(5).standard_normal((meshes.globe(3).n_cells, 9))
        core.prognostic("potential_temperature")[...] *= noise[np.asarray(core.owned_cells)]
        for _ in range(3):
            core.step(60.0)
        return meshes.gathered(comm, core, [])

    expected = run_perturbed(MPI.COMM_SELF)
    for settings in ({}, {"tile_bytes": 60 * 9 * 8}):
        assert differing(run_perturbed(comm, **settings), expected) == []


@pytest.mark.parametrize("equations", atmosphere_states.EQUATION_SETS)
@pytest.mark.parametrize("single", [False, True])
def test_moist_air_leaves_the_same_bytes_with_any_tiles(comm, equations, single):
    is_viscous = equations == "nonhydrostatic"
    viscous = {"viscosity": 1e5, "scalar_viscosity": 3e5} if is_viscous else {}
    scheme = {"hyperdiffusion": 0.05} | viscous

    def run_moist(comm, **settings):
        core = atmosphere_states.core(
            meshes.globe(3), equations, comm, start="baroclinic_wave", count=9, layers=3, moist=True,
            held_suarez=True, single=single, scheme=scheme, **settings,
        )  # fmt: skip
        noise = np.random.default_rng(3).random((meshes.globe(3).n_cells, 9))[np.asarray(core.owned_cells)]
        core.prognostic("water_vapour")[...] = 0.02 * noise
        core.prognostic("rain_water")[...] = 0.005 * (1 - noise)
        for _ in range(6):
            core.step(300.0)
        names = ["surface_pressure", "temperature", "pressure_velocity", "relative_humidity"]
        return meshes.gathered(comm, core, names) | {"integrals": core.integrals()}

    expected = run_moist(MPI.COMM_SELF)
    assert np.ptp(expected["water_vapour"]) > 0.005 and np.ptp(expected["surface_pressure"]) > 100
    for settings in ({}, {"tile_bytes": 60 * 9 * 8}, {"method": "shared", "overlap": False}):
        assert differing(run_moist(comm, **settings), expected) == []


def test_a_wind_that_stays_leaves_the_same_bytes(comm):
    """Transport of a cosine bell by a prescribed wind has the bits of one rank."""
    fields = run(comm, meshes.globe(3), "shallow_water", start="cosine_bell")
    assert differing(fields, single_rank_result("shallow_water", start="cosine_bell")) == []


@each_equation_set
def test_the_longest_step_is_the_same(comm, equations):
    core = core_on(comm, meshes.globe(3), equations)
    longest = comm.allreduce(core.longest_step(), op=MPI.MIN)
    assert longest == core_on(MPI.COMM_SELF, meshes.globe(3), equations).longest_step()


@each_equation_set
def test_any_order_leaves_the_same_bytes(comm, equations):
    """Renumbered cells keep their bits."""
    mesh = meshes.globe(3)
    order = np.random.default_rng(3).permutation(mesh.n_cells).astype(np.int32)
    fields = run(comm, halcyon.mesh.select(mesh, order), equations)
    states = {
        "hydrostatic": ["potential_temperature"],
        "nonhydrostatic": ["upward_wind_at_interfaces", "geopotential_at_interfaces"],
    }
    names = states.get(equations, ["layer_thickness"])
    for name in (*names, *PRODUCTS[equations]):
        assert fields[name].tobytes() == single_rank_result(equations)[name][order].tobytes(), name
    assert fields["integrals"].tobytes() == single_rank_result(equations)["integrals"].tobytes()

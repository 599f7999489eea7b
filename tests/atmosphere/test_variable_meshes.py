"""The atmosphere on meshes whose spacing varies by a factor of 4, against the uniform mesh of their coarse
spacing."""

import functools

import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
from halcyon.mesh import MeshSpec, Stretch, Zoom
from tests.atmosphere import atmosphere_states
from tests.atmosphere.atmosphere_states import DAY_S, advanced, each_equation_set, max_wind
from tests.support import meshes

FINE = {"ratio": 4, "longitude": 270, "latitude": 0}  # where resting_mountain has its mountain
KINDS = ("stretch", "zoom")


@functools.cache
def refined(kind):
    """A mesh with the coarse spacing of G3: a stretched G4, or a zoom with the default transition."""
    refinement = {"level": 4, "stretch": Stretch(**FINE)}
    if kind == "zoom":
        refinement = {"points": 2300, "zoom": Zoom(**FINE)}
    return halcyon.mesh.make(MeshSpec(tolerance=1e-5, iterations=2000, **refinement))


def steady_flow_error(mesh):
    """The l2 error of the height after five days of case 2 of Williamson et al. (1992)."""
    core = meshes.core(mesh, start="solid_rotation")
    before = core.products(["height"])["height"]
    step_s = DAY_S / np.ceil(DAY_S / (0.9 * core.longest_step()))
    after = advanced(core, 5 * DAY_S, step_s).products(["height"])["height"]
    return meshes.norms(mesh, after, before)[1]


def jet_error(mesh):
    """The l2 change of the eastward wind [m s-1] after two days of the steady jets of Jablonowski and
    Williamson (2006)."""
    core = atmosphere_states.core(mesh, "hydrostatic", start="baroclinic_wave", options={"perturbation": 0})
    before = core.products(["eastward_wind"])["eastward_wind"]
    step_s = DAY_S / np.ceil(DAY_S / (0.9 * core.longest_step()))
    change = advanced(core, 2 * DAY_S, step_s).products(["eastward_wind"])["eastward_wind"] - before
    area = np.asarray(mesh.area_cell)
    return float(np.sqrt((area[:, None] * change**2).mean() / area.mean()))


def test_a_refined_mesh_has_the_coarse_spacing_of_the_uniform_mesh():
    """95 % of the distances are below 1.1 times the spacing of G3; the smallest is less than a third of the
    largest."""
    uniform = np.median(meshes.globe(3).dc_edge)
    for kind in KINDS:
        spacing = np.asarray(refined(kind).dc_edge)
        assert spacing.max() / spacing.min() > 3
        assert np.percentile(spacing, 95) > 0.7 * uniform
        assert np.percentile(spacing, 95) < 1.1 * uniform


@pytest.mark.parametrize(("kind", "most"), [("stretch", 1.3), ("zoom", 1.5)])
def test_steady_flow_of_shallow_water(kind, most):
    """The error on the zoom may be larger: its cells are less regular."""
    assert steady_flow_error(refined(kind)) < most * steady_flow_error(meshes.globe(3))


@pytest.mark.parametrize(("kind", "most"), [("stretch", 1.3), ("zoom", 2.0)])
def test_steady_jets(kind, most):
    """The radius of the zoom limits its transition to 3.5 coarse spacings."""
    assert jet_error(refined(kind)) < most * jet_error(meshes.globe(3))


@each_equation_set
@pytest.mark.parametrize("kind", KINDS)
def test_rest_over_a_mountain_in_the_fine_part(kind, equations):
    core = atmosphere_states.core(
        refined(kind), equations, start="resting_mountain", top=20544.0, count=10,
        levels={"spacing": "height"}, options={"lapse_rate": 0.003},
    )  # fmt: skip
    assert max_wind(advanced(core, DAY_S / 4, 240)) < 1e-3


def state_after_steps(kind, comm):
    """Collective. The state of all ranks after three steps of the baroclinic wave."""
    core = atmosphere_states.core(
        refined(kind), "nonhydrostatic", comm, start="baroclinic_wave", scheme={"hyperdiffusion": 0.05}
    )
    for _ in range(3):
        core.step(120.0)
    return meshes.gathered(comm, core)


@pytest.mark.mpi
@pytest.mark.parametrize("kind", KINDS)
def test_bits_do_not_depend_on_the_ranks(comm, kind):
    distributed, single = state_after_steps(kind, comm), state_after_steps(kind, MPI.COMM_SELF)
    assert [name for name in single if distributed[name].tobytes() != single[name].tobytes()] == []

"""Shallow water: analytic solutions, conservation, checks of the state."""

import numpy as np
import pytest

from halcyon import atmosphere
from halcyon.base import ConfigError, RunError
from tests.support import meshes

DAY_S = 86400


def advanced(core, days, step_s):
    """The core after some days."""
    for _ in range(round(days * DAY_S / step_s)):
        core.step(step_s)
    return core


def change(core, before):
    """Relative changes of the global integrals: mass, energy, enstrophy and angular momentum."""
    return (core.integrals() - before) / abs(before)


def test_a_steady_flow_stays(comm):
    """Case 2 of Williamson et al. (1992): the error after two days is of second order between G3 and G4."""
    errors = []
    for level, step_s in ((3, 1800), (4, 900)):
        core = meshes.core(meshes.globe(level), start="solid_rotation")
        before = core.products(["height"])["height"]
        advanced(core, 2, step_s)
        errors.append(meshes.norms(meshes.globe(level), core.products(["height"])["height"], before))
    coarse, fine = np.array(errors)
    assert fine[1] < 5e-4
    assert np.log2(coarse[1] / fine[1]) > 1.8


@pytest.mark.parametrize(
    "previous_start", [("solid_rotation", {"tilt": 1.0}), ("cosine_bell", {})], ids=["last0", "last1"]
)
def test_a_given_state_knows_nothing_of_the_last_start(previous_start):
    """A step from a state that is set has the same bits after any start."""
    mesh = meshes.globe(2)
    points = np.asarray(mesh.cell_points)

    def state_after_step(start, options):
        core = meshes.core(mesh, start=start, options=options)
        wind = 10 * np.sin(np.arange(mesh.n_edges))
        core.set_state(ground=np.zeros(mesh.n_cells), surface=5000 + 50 * points[:, 0], wind=wind)
        core.step(600.0)
        return core.prognostic("normal_wind").tobytes(), core.integrals().tobytes()

    assert state_after_step(*previous_start) == state_after_step(None, None)


def test_a_tilted_flow_stays_as_well():
    """Case 2 of Williamson et al. (1992) with the axis of rotation tilted by 45 degrees."""
    core = meshes.core(meshes.globe(3), start="solid_rotation", options={"tilt": np.pi / 4})
    before = core.products(["height"])["height"]
    advanced(core, 1, 1800)
    assert meshes.norms(meshes.globe(3), core.products(["height"])["height"], before)[1] < 3e-3


def test_mass_and_energy_are_kept():
    """Without anticipation mass changes by rounding errors, energy and angular momentum by small amounts."""
    core = meshes.core(meshes.globe(3), start="mountain", scheme={"anticipation": 0.0, "vertex_energy": 0.0})
    before = core.integrals()
    mass, energy, _, momentum = change(advanced(core, 2, 900), before)
    assert abs(mass) < 1e-14
    assert abs(energy) < 2e-7
    assert abs(momentum) < 5e-3  # mountain torque


def test_energy_is_kept_but_for_the_steps():
    """The energy error decreases with the third order of the time scheme (Wicker and Skamarock 2002)."""
    changes = []
    for step_s in (1200, 600):
        core = meshes.core(
            meshes.globe(3), start="rossby_haurwitz", scheme={"anticipation": 0.0, "vertex_energy": 0.0}
        )
        before = core.integrals()
        changes.append(abs(change(advanced(core, 0.5, step_s), before)[1]))
    assert changes[0] / changes[1] > 6


def test_anticipation_takes_enstrophy_and_not_energy():
    """Anticipation of potential vorticity lowers potential enstrophy and leaves energy."""
    cores = [
        meshes.core(meshes.globe(3), start="mountain", scheme={"anticipation": part}) for part in (0.0, 2.0)
    ]
    before = cores[0].integrals()
    plain, anticipated = (change(advanced(core, 4, 1200), before) for core in cores)
    assert anticipated[2] < plain[2] - 1e-5
    assert abs(anticipated[1] - plain[1]) < 1e-6


def test_dissipation_takes_kinetic_energy():
    """Diffusion and hyperdiffusion lower the total energy."""
    cores = [
        meshes.core(meshes.globe(3), start="rossby_haurwitz", scheme=scheme)
        for scheme in ({}, {"diffusion": 0.2}, {"hyperdiffusion": 0.2})
    ]
    plain, second, fourth = (advanced(core, 0.5, 900).integrals()[1] for core in cores)
    assert second < plain and fourth < plain


@pytest.mark.parametrize("scheme", [{"diffusion": 20.0}, {"hyperdiffusion": 20.0}])
def test_the_longest_step_bears_dissipation_of_turning_winds(scheme):
    """The Laplacian at vertices damps the shortest waves three times as fast as that at cells."""
    core = meshes.core(meshes.globe(3), start="modons", planet=atmosphere.Planet(rotation=0.0), scheme=scheme)
    vorticities = [np.abs(core.products(["vorticity"])["vorticity"]).max()]
    for _ in range(60):
        core.step(0.98 * core.longest_step())
    vorticities.append(np.abs(core.products(["vorticity"])["vorticity"]).max())
    assert vorticities[1] < vorticities[0]


def test_divergence_damping_leaves_rotation():
    """Damping lowers mean divergence by more than 20 %, the largest vorticity by less than 10 %."""
    damped, plain = (
        meshes.core(meshes.globe(3), start="modons", planet=atmosphere.Planet(rotation=0.0), scheme=scheme)
        for scheme in ({"divergence_damping": 5.0}, {})
    )
    divergences, vorticities = [], []
    for core in (damped, plain):
        values = advanced(core, 1, 900).products(["divergence", "vorticity"])
        divergences.append(np.abs(values["divergence"]).mean())
        vorticities.append(np.abs(values["vorticity"]).max())
    assert divergences[0] < 0.8 * divergences[1]
    assert vorticities[0] == pytest.approx(vorticities[1], rel=0.1)


def test_a_bell_keeps_its_mass_and_goes_around():
    """After a quarter of a revolution the field correlates with the exact one by more than 0.8."""
    mesh = meshes.globe(4)
    core = meshes.core(mesh, start="cosine_bell")
    before = core.integrals()
    thickness = advanced(core, 3, 3600).products(["thickness"])["thickness"]
    assert core.integrals()[0] == pytest.approx(before[0], rel=1e-14)
    distance = np.arccos(np.clip(np.asarray(mesh.cell_points)[:, 0], -1, 1))  # from 0 E
    exact = np.where(distance < 1 / 3, 500 * (1 + np.cos(3 * np.pi * distance)), 0)
    assert np.corrcoef(thickness, exact)[0, 1] > 0.8


def test_modons_stay_symmetric():
    """Symmetry about the equator, up to the asymmetry of the mesh."""
    core = meshes.core(meshes.globe(4), start="modons", planet=atmosphere.Planet(rotation=0.0))
    values = advanced(core, 2, 900).products(["vorticity", "height"])
    mesh = meshes.globe(4)
    north = mesh.cell_latitude > 0
    area = np.asarray(mesh.area_cell)
    total = (area * values["vorticity"]).sum()
    one_side = (area * abs(values["vorticity"]))[north].sum()
    other_side = (area * abs(values["vorticity"]))[~north].sum()
    assert abs(total) < 1e-12 * one_side
    assert one_side == pytest.approx(other_side, rel=0.02)


def test_32_bits_follow_64():
    """Heights in single precision differ by less than 0.5 m after a day."""
    cores = [meshes.core(meshes.globe(3), start="rossby_haurwitz", single=single) for single in (False, True)]
    double, single = (advanced(core, 1, 900).products(["height"])["height"] for core in cores)
    assert abs(single - double).max() < 0.5
    assert abs(single - double).max() > 0


def test_the_longest_step_is_stable_and_much_longer_ones_are_not():
    """The largest height stays near its initial value with the longest step, not with 1.7 times it."""

    def largest_height(factor):
        core = meshes.core(meshes.globe(3), start="mountain")
        step_s = factor * core.longest_step()
        for _ in range(100):
            core.step(step_s, check=False)
        return core.products(["height"])["height"].max()

    assert 5800 < largest_height(1.0) < 6100
    assert not largest_height(1.7) < 6100


def test_a_step_that_is_too_long_is_found():
    core = meshes.core(meshes.globe(3), start="mountain")
    before = core.prognostic("layer_thickness").tobytes()
    longest_s = core.longest_step()
    with pytest.raises(
        ConfigError, match=r"^dt is .* s: with winds and waves at cell .* the Courant number is 1\.0"
    ):
        core.step(1.2 * longest_s)
    assert core.prognostic("layer_thickness").tobytes() == before
    assert core.failure.variable == "courant_number"
    assert 1 < core.failure.value < 1.21
    assert core.failure.step == 0


@pytest.mark.parametrize(("state", "value"), [("layer_thickness", -1.0), ("normal_wind", np.nan)])
def test_a_bad_number_is_found_where_it_is(state, value):
    """A value written to one cell or edge is reported with its variable, cell and step."""
    core = meshes.core(meshes.globe(3), start="mountain")
    core.step(600.0)
    cell = 17
    if state == "layer_thickness":
        core.prognostic(state)[cell] = value
    else:
        mesh = meshes.globe(3)
        edge = mesh.edges_on_cell[mesh.cell_offsets[cell]]
        core.prognostic(state)[edge] = value
        cell = min(mesh.cells_on_edge[edge])
    with pytest.raises(
        RunError, match=f"^{state} is .* at cell {cell} .* after 1 steps: the state is invalid"
    ):
        core.step(600.0)
    failure = core.failure
    assert (failure.variable, failure.cell, failure.level, failure.step) == (state, cell, 0, 1)
    assert failure.value == value or np.isnan(failure.value)


def test_only_sharp_vorticity_shortens_the_longest_step():
    """Its anticipation needs 1.25 times the wind; without waves the wind is the limit."""
    longest = [
        meshes.core(meshes.globe(3), start="cosine_bell", scheme=options).longest_step()
        for options in ({}, {"sharp_vorticity": True}, {"sharp_vorticity": True, "anticipation": 0.0})
    ]
    assert longest == pytest.approx([longest[0], longest[0] / 1.25, longest[0]], rel=1e-12)

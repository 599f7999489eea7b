"""The validation cases of the atmosphere pass, most of them on coarser meshes or for shorter times, and draw
their figures."""

import numpy as np
import pytest

from halcyon.mesh import sphere
from halcyon_validation import (
    atmosphere_air,
    atmosphere_runs,
    atmosphere_semi_implicit,
    atmosphere_variable,
    baroclinic_twin,
    moist_air,
    noise_growth,
)
from halcyon_validation import atmosphere_shallow_water as cases
from halcyon_validation.cases import cases_of

SHORT = {
    "operator_identities": {"level": 3},
    "carried_bell": {"levels": (4,)},
    "steady_flow": {"levels": (4,)},
    "flow_over_a_mountain": {"level": 3, "days": 5},
    "rossby_haurwitz_wave": {"level": 4, "days": 2},
    "colliding_modons": {"level": 4, "days": 3},
    "thin_layer": {},
    "noise_on_thin_layers": {},
}
SEMI_IMPLICIT = {
    "semi_implicit_steady_flow": {"levels": (4,)},
    "semi_implicit_mountain": {"level": 3, "days": 5},
    "semi_implicit_instability": {"level": 4, "days": 2},
}
AIR = {
    "resting_mountain": {"level": 3, "count": 10, "days": 2},
    "mountain_waves": {"level": 3, "duration_s": 200.0, "count": 20},
    "gravity_wave": {"level": 4, "duration_s": 600.0, "count": 6},
    "steady_jets": {"level": 3, "count": 10, "days": 3},
    "tracers": {"level": 2, "days": 3},
    "energy": {"level": 2, "days": 4},
    "baroclinic_wave": {"level": 3, "count": 10, "days": 3},
    "hollingsworth": {"level": 3, "count": 10, "days": 8, "factor": 2, "hyperdiffusion": 0.01},
}

VARIABLE = {"variable_meshes": {"level": 3, "days": 2, "count": 6, "rest_days": 1}}
MOIST = {
    "moist_baroclinic_wave": {"level": 2, "count": 12, "days": 4},
    "supercell": {"level": 2, "count": 16, "duration_s": 2700.0},
}


def failed_checks(outcome):
    """The checks that failed; a case without checks fails the test."""
    assert outcome.checks
    return [check for check in outcome.checks if not check.passed]


def test_every_case_is_known():
    """Every case is run by this file, or takes hours."""
    assert {*SHORT, "barotropic_instability"} == cases.CASES.keys()
    assert AIR.keys() == atmosphere_air.CASES.keys()
    assert SEMI_IMPLICIT.keys() == atmosphere_semi_implicit.CASES.keys()
    assert VARIABLE.keys() == atmosphere_variable.CASES.keys()
    assert MOIST.keys() == moist_air.CASES.keys()
    assert cases_of("atmosphere").keys() == {
        *(*cases.CASES, *SEMI_IMPLICIT, *AIR, *VARIABLE, *baroclinic_twin.CASES, *MOIST)
    }
    assert cases_of("atmosphere", long=True).keys() == {
        "held_suarez",
        "finer_baroclinic_wave",
        "finer_baroclinic_twin",
        "finest_baroclinic_twin",
        *moist_air.LONG,
    }


@pytest.mark.parametrize("name", SHORT)
def test_case(name, tmp_path):
    outcome = cases.CASES[name](**SHORT[name])
    assert not failed_checks(outcome)
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").stat().st_size > 10_000


@pytest.mark.parametrize("name", SEMI_IMPLICIT)
def test_case_of_semi_implicit_steps(name, tmp_path):
    outcome = atmosphere_semi_implicit.CASES[name](**SEMI_IMPLICIT[name])
    assert not failed_checks(outcome)
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")


@pytest.mark.parametrize("name", AIR)
def test_case_of_the_air(name, tmp_path):
    outcome = atmosphere_air.CASES[name](**AIR[name])
    assert not failed_checks(outcome)
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")


def test_meshes_of_variable_spacing():
    assert not failed_checks(atmosphere_variable.variable_meshes(**VARIABLE["variable_meshes"]))


@pytest.mark.parametrize("name", MOIST)
def test_case_of_moist_air(name, tmp_path):
    outcome = moist_air.CASES[name](**MOIST[name])
    assert not failed_checks(outcome)
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")


def test_the_flank_of_a_low_outside_is_no_low():
    """A low of 2 hPa at 100 E, and the flank of one of 30 hPa at 142 E."""
    cells = np.asarray(atmosphere_runs.uniform_mesh(5).cell_points)

    def low(longitude, depth):
        centre = sphere.to_points(longitude, 50)
        return depth * np.exp(-((np.arccos(np.clip(cells @ centre, -1, 1)) / 0.1) ** 2))

    pressure = 1000 - low(142, 30) - low(100, 2)
    assert pressure[np.degrees(np.arctan2(cells[:, 1], cells[:, 0])) < 135].min() < 990
    assert baroclinic_twin._low_behind(pressure, cells) == pytest.approx(2, abs=0.3)


def test_truncation_errors_start_hardly_any_waves(tmp_path):
    """Before the middles of edges were distinguished, the low of the southern hemisphere had 2.9 hPa."""
    outcome = baroclinic_twin.baroclinic_twin(count=13, days=7)
    assert not failed_checks(outcome)
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")


def test_an_interrupted_wave_goes_on(tmp_path, monkeypatch):
    """The second core takes the first day from the file."""
    first, second = [atmosphere_runs.air_core(2, "baroclinic_wave", count=4) for _ in range(2)]
    baroclinic_twin.advance_a_day(first, tmp_path / "day.npz")
    with monkeypatch.context() as patch:
        patch.delattr(baroclinic_twin, "advance")
        baroclinic_twin.advance_a_day(second, tmp_path / "day.npz")
    for core in (first, second):
        baroclinic_twin.advance_a_day(core, None)
    pressure = [atmosphere_runs.product(core, "surface_pressure") for core in (first, second)]
    assert pressure[0].tobytes() == pressure[1].tobytes()


def test_noise_grows_by_what_the_flow_does_to_it():
    """The growth rate of noise on a thin layer does not depend on the noise and the time step, and is near 0
    on a deep layer."""
    cores = [noise_growth.layer_core(3, 1.0, {"vertex_energy": 0.0}) for _ in range(3)]
    rates = [noise_growth.growth(core, 40, seed=seed).rate for seed, core in enumerate(cores[:2])]
    assert rates[0] == pytest.approx(rates[1], rel=0.01) and 1.1 < rates[0] < 1.5
    assert noise_growth.growth(cores[2], 40, share=0.3).rate == pytest.approx(rates[0], rel=0.03)
    deep = noise_growth.layer_core(3, 1000.0, {"vertex_energy": 0.0})
    assert abs(noise_growth.growth(deep, 15).rate) < 0.1


def test_heat_lets_no_noise_grow():
    """Noise does not grow in a month on a mesh that is too coarse for the Hollingsworth instability. With
    second derivatives of theta limited by neighbouring values, it grew at the top by 0.17 e-folds per day."""
    assert (
        noise_growth.growth(noise_growth.rotating_air(3, {"sharp_vorticity": True}), 30, share=0.8).rate
        < 0.03
    )


def test_a_climate_begins():
    """After four days of a Held-Suarez case that takes hours, both hemispheres have jets, and the equator
    surface easterlies."""
    outcome = atmosphere_air.held_suarez(level=3, count=10, spin_up_days=3, mean_days=1)
    found = {check.name: check.value for check in outcome.checks}
    assert found["maximum of the northern jet"] > 1 and found["maximum of the southern jet"] > 1
    assert found["northern over southern jet"] == pytest.approx(1, abs=0.2)
    assert found["surface easterlies at the equator"] < 0

"""Semi-implicit shallow water: comparison with explicit steps, order, conservation, checks of the state."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon import atmosphere
from halcyon.base import ConfigError, RunError
from tests.atmosphere import atmosphere_states
from tests.support import meshes

HALF_DAY_S = 43200.0


def core(level=3, start="mountain", **settings):
    """A semi-implicit core on G<level>."""
    return meshes.core(meshes.globe(level), start=start, semi_implicit=True, **settings)


def advanced(core, duration_s, steps):
    """The core after a number of equal steps over a duration."""
    for _ in range(steps):
        core.step(duration_s / steps)
    return core


def height(core):
    """Height of the free surface [m] (cell)."""
    return core.products(["height"])["height"]


def test_steps_several_times_as_long_as_explicit_ones():
    """Five days over a mountain at a gravity-wave Courant number of 3.7: stable, and close to explicit steps
    except for the initial transient waves, which long steps do not fully resolve."""
    semi_implicit, explicit = core(4), meshes.core(meshes.globe(4), start="mountain")
    assert 3.6 < 3600 / explicit.longest_step() < 3.9
    before = height(semi_implicit)
    long, short = advanced(semi_implicit, 5 * 86400, 120), advanced(explicit, 5 * 86400, 480)
    assert np.std(height(long) - height(short)) < 0.2 * np.std(height(short) - before)
    assert long.failure.cell == -1
    assert 3 < long.n_iterations / 120 < 30


def test_a_steady_flow_stays():
    """Case 2 of Williamson et al. (1992) with steps of the same Courant number at G3 and G4: the error is of
    second order."""
    errors = []
    for level, steps in ((3, 24), (4, 48)):
        steady = core(level, "solid_rotation")
        before = height(steady)
        errors.append(
            meshes.norms(meshes.globe(level), height(advanced(steady, 2 * 86400, steps)), before)[1]
        )
    assert errors[1] < 5e-4
    assert np.log2(errors[0] / errors[1]) > 1.8


@pytest.mark.parametrize("start", ["rossby_haurwitz", "solid_rotation"])
def test_second_order_in_time(start):
    """Halving the step divides the error by four."""

    def final_height(steps):
        model = core(start=start, scheme={"anticipation": 0.0}, tolerance=1e-12)
        return height(advanced(model, HALF_DAY_S, steps))

    exact = final_height(384)
    coarse, fine = (np.std(final_height(steps) - exact) for steps in (24, 48))
    assert 3.5 < coarse / fine < 4.5


def test_the_solutions_tolerance_is_below_the_error_of_steps():
    """With a tolerance of 1e-8 heights differ by less than 1 cm from those with 1e-12, with 1e-4 by more."""
    heights = {
        tolerance: height(advanced(core(tolerance=tolerance), HALF_DAY_S, 8))
        for tolerance in (1e-12, 1e-8, 1e-4)
    }
    assert 0 < abs(heights[1e-8] - heights[1e-12]).max() < 1e-2
    assert abs(heights[1e-4] - heights[1e-12]).max() > 1e-2


@pytest.mark.parametrize("tolerance", [1e-8, 1e-4])
def test_mass_is_kept_whatever_the_tolerance(tolerance):
    """In two days mass changes by rounding errors only, energy by less than 2e-5."""
    model = core(tolerance=tolerance, scheme={"anticipation": 0.0, "vertex_energy": 0.0})
    before = model.integrals()
    change = (advanced(model, 2 * 86400, 24).integrals() - before) / abs(before)
    assert abs(change[0]) < 1e-14
    assert abs(change[1]) < 2e-5


def test_dissipation_takes_kinetic_energy():
    """Hyperdiffusion lowers the total energy."""
    cores = [core(start="rossby_haurwitz", scheme=scheme) for scheme in ({}, {"hyperdiffusion": 0.2})]
    plain, damped = (advanced(model, HALF_DAY_S, 16).integrals()[1] for model in cores)
    assert damped < plain


def test_32_bits_follow_64():
    """Heights in single precision differ by less than 0.5 m after a day."""
    double, single = (
        height(advanced(core(start="rossby_haurwitz", single=single), 86400, 32)) for single in (False, True)
    )
    assert 0 < abs(single - double).max() < 0.5


def test_long_steps_smooth_vorticity_no_more_than_short_ones():
    """The anticipation time, and with it the loss of enstrophy, is limited to that of explicit steps."""
    changes = []
    for model, steps in ((core(), 24), (meshes.core(meshes.globe(3), start="mountain"), 192)):
        before = model.integrals()
        changes.append((advanced(model, 2 * 86400, steps).integrals() - before)[2] / before[2])
    assert changes[0] < 0 and changes[1] < 0
    assert changes[0] / changes[1] == pytest.approx(1, abs=0.3)


def test_the_longest_step_is_stable_and_much_longer_ones_are_not():
    """The largest height stays near its initial value with half the longest step, not with three times it."""

    def largest_height(factor):
        model = core()
        step_s = factor * model.longest_step()
        for _ in range(60):
            model.step(step_s, check=False)
        return height(model).max()

    assert 5800 < largest_height(0.5) < 6100
    assert not largest_height(3.0) < 6100


def test_winds_limit_the_step_and_have_room():
    """The step with margin for growing winds is shorter than the longest, which the Courant number limits."""
    model, explicit = core(), meshes.core(meshes.globe(3), start="mountain")
    assert 2.5 * explicit.longest_step() < model.longest_step_with_margin() < model.longest_step()
    assert explicit.longest_step_with_margin() == explicit.longest_step()
    too_long_s = 1.2 * model.longest_step()
    with pytest.raises(ConfigError, match="Give at most"):
        model.step(too_long_s)
    assert (model.failure.variable, model.failure.step) == ("courant_number", 0)
    assert 1 < model.failure.value < 1.21


def test_a_bad_number_is_found_where_it_is():
    model = core()
    model.step(3600.0)
    model.prognostic("layer_thickness")[17] = np.nan
    with pytest.raises(RunError, match=r"^layer_thickness is nan at cell 17 "):
        model.step(3600.0)
    assert (model.failure.variable, model.failure.cell, model.failure.step) == ("layer_thickness", 17, 1)


def test_waves_that_are_not_solved_for_are_told():
    """The solver does not reach a tolerance below rounding errors, in a step of a hundred days from perturbed
    water at rest: the step fails with the residual that it reached."""
    at_rest = {"options": {"speed": 0.0}, "planet": atmosphere.Planet(rotation=0.0)}
    model = core(4, "modons", tolerance=1e-12, **at_rest)
    thickness = model.prognostic("layer_thickness")
    thickness += np.random.default_rng(1).uniform(-50, 50, thickness.shape)
    with pytest.raises(RunError, match=r"did not converge in step 1: the relative residual is .*, or raise"):
        model.step(8.64e6)
    assert (model.failure.variable, model.failure.step) == ("implicit_gravity_waves", 0)
    assert 1e-12 < model.failure.value < 1e-6


def test_where_they_would_do_nothing_they_are_refused():
    """Semi-implicit steps are refused for prescribed winds and for air."""
    with pytest.raises(ConfigError, match="'cosine_bell', whose wind stays"):
        core(start="cosine_bell")
    with pytest.raises(ConfigError, match="need the shallow-water equations"):
        atmosphere_states.core(
            meshes.globe(3), "hydrostatic", MPI.COMM_SELF, start="held_suarez", semi_implicit=True
        )
    with pytest.raises(ConfigError, match="tolerance of GCR is 2"):
        core(tolerance=2.0)

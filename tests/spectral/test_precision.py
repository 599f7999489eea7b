"""The spectral model in 32 bits, against 64 bits."""

import numpy as np
import pytest

from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError
from halcyon.spectral import Model
from halcyon.transform import Grid
from halcyon_validation.spectral_runs import advance, l2, make_model

SCHEME = {"scheme": "semi_lagrangian"}


@pytest.mark.parametrize(("solver", "bound"), [({}, 5e-7), ({"solver": "gcr", "tolerance": 1e-6}, 1e-6)])
def test_steady_flow_stays_in_32_bits(solver, bound):
    """Williamson's case 2: errors of rounding do not grow from step to step, as they would (9e-7) if the
    whole fields were transformed in each. The mass, one coefficient, does not change."""
    heights = {}
    for precision in (64, 32):
        model = make_model(21, "shallow_water", "solid_rotation", precision=precision, **solver, **SCHEME)
        mass = model.prognostic("thickness_coefficients")[0].copy()
        assert model.prognostic("thickness_coefficients").itemsize == precision // 8
        advance(model, 2, 7200)
        assert np.array_equal(model.prognostic("thickness_coefficients")[0], mass)
        heights[precision] = model.products(["height"])["height"]
    assert 0 < l2(model.grid, heights[32], heights[64]) < bound


def test_a_wave_in_32_bits_is_that_of_64_bits():
    """A strong baroclinic wave after a day: the differences, and the change of the mass, are those of
    rounding. The logarithm of a pressure in Pa would be known to .05 Pa only, and the mass to 5e-7."""
    names, states, masses, memory = ["surface_pressure", "eastward_wind", "temperature"], {}, [], {}
    for precision in (64, 32):
        model = make_model(
            21, "primitive", "baroclinic_wave", options={"perturbation": 15.0}, precision=precision,
            levels=interfaces(10, 5000.0), tracers=["passive_tracer"], **SCHEME,
        )  # fmt: skip
        masses = [model.integrals()[0]]
        advance(model, 1, 3600, lambda: masses.append(model.integrals()[0]))  # noqa: B023
        states[precision], memory[precision] = model.products(names), model.memory_bytes
    assert abs(masses[-1] / masses[0] - 1) < 1e-9
    assert memory[32] < 0.75 * memory[64]
    for name, bound in (("surface_pressure", 0.05), ("eastward_wind", 1e-3), ("temperature", 1e-3)):
        difference = np.sqrt(np.mean((states[32][name] - states[64][name]) ** 2))
        assert 0 < difference < bound, name


def test_other_precisions_are_refused():
    with pytest.raises(ConfigError, match=r"precision is 16 bits. Give 64 or 32."):
        Model("barotropic", 5, Grid.full(8, 16), precision=16)


def test_a_tolerance_below_rounding_is_refused():
    with pytest.raises(ConfigError, match=r"gcr is 1e-08, but in 32 bits .* Give this tolerance or more"):
        make_model(21, "shallow_water", "solid_rotation", precision=32, solver="gcr", **SCHEME)

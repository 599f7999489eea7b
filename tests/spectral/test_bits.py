"""Results are bitwise independent of restarts, output and precomputed Legendre functions."""

import numpy as np
import pytest

from tests.spectral.models import MODELS, build


def states(model):
    """Copies of the restart variables by name."""
    return {row.name: model.prognostic(row.name).copy() for row in model.restart_variables}


@pytest.mark.parametrize("name", MODELS)
def test_a_state_that_is_put_back_goes_on_to_the_bit(name):
    """A model restarted from saved variables has the bits of the run without a restart."""
    model = build(name)
    for _ in range(3):
        model.step(300)
    saved = states(model)
    for _ in range(3):
        model.step(300)
    restarted = build(name)
    for row, values in saved.items():
        restarted.prognostic(row)[...] = values
    restarted.resume()
    for _ in range(3):
        restarted.step(300)
    for row, values in states(model).items():
        assert np.array_equal(values, states(restarted)[row]), row
    assert np.array_equal(model.integrals(), restarted.integrals())


@pytest.mark.parametrize("name", [name for name in MODELS if name != "barotropic"])
def test_an_initial_state_that_is_put_back_goes_on_to_the_bit(name):
    """A model restarted before its first step, which has no earlier time level."""
    model, restarted = build(name), build(name)
    for row, values in states(model).items():
        restarted.prognostic(row)[...] = values
    restarted.resume(is_start=True)
    for each in (model, restarted):
        each.step(300)
        each.step(300)
    for row, values in states(model).items():
        assert np.array_equal(values, states(restarted)[row]), row


@pytest.mark.parametrize("name", MODELS)
def test_looking_changes_nothing(name):
    """Products, integrals and the longest step, computed between steps, leave the bits of the run."""
    quiet, watched = build(name), build(name)
    for _ in range(3):
        quiet.step(300)
        watched.products([row.name for row in watched.variables if row.output and row.name != "topography"])
        watched.integrals()
        watched.longest_step()
        watched.step(300)
    assert all(
        np.array_equal(a, b) for a, b in zip(states(quiet).values(), states(watched).values(), strict=True)
    )


@pytest.mark.parametrize("name", MODELS)
def test_functions_of_legendre_that_are_kept_have_the_bits_of_those_made_anew(name):
    """Models that store all, half or none of the Legendre functions have the same bits."""
    cached, recomputed = build(name), build(name, memory=0)
    half_stored = build(name, memory=cached.kept_bytes // 2)
    assert recomputed.kept_bytes == 0 < half_stored.kept_bytes < cached.kept_bytes
    for model in (cached, half_stored, recomputed):
        for _ in range(3):
            model.step(300)
    for other in (half_stored, recomputed):
        for row, values in states(cached).items():
            assert np.array_equal(values, states(other)[row]), row


@pytest.mark.parametrize("name", MODELS)
def test_every_product_is_there_and_finite(name):
    model = build(name)
    model.step(300)
    rows = [row for row in model.variables if row.output and row.name != "topography"]
    products = model.products([row.name for row in rows])
    for row in rows:
        shape = (model.grid.n_points, model.n_levels)[: len(row.dimensions)]
        assert products[row.name].shape == shape
        assert np.isfinite(products[row.name]).all()
    assert len(model.integrals()) == len(model.integral_variables)

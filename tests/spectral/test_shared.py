"""Ranks that share a model: the bits of one rank."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon.base import ConfigError
from halcyon.spectral import Model
from halcyon.transform import Grid
from spectral_models import MODELS, made

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize("name", MODELS)
def test_any_ranks_have_the_bits_of_one(comm, name):
    alone, shared = made(name), made(name, comm=comm)
    for _ in range(4):
        alone.step(300)
        shared.step(300)
    for row in alone.held:
        levels = len(alone.prognostic(row.name)) // len(alone.coefficients)
        whole = alone.prognostic(row.name).reshape(levels, -1, 2)
        ours = shared.prognostic(row.name).reshape(levels, -1, 2)
        assert np.array_equal(ours, whole[:, shared.coefficients]), row.name
    names = [row.name for row in alone.variables if row.output and row.name != "topography"]
    products, ours = alone.products(names), shared.products(names)
    for each in names:
        assert np.array_equal(ours[each], products[each][shared.points]), each
    assert np.array_equal(alone.integrals(), shared.integrals())
    assert np.array_equal(shared.ground, alone.ground[shared.points])
    assert comm.allreduce(shared.longest_step(), op=MPI.MIN) == alone.longest_step()
    assert comm.allreduce(len(shared.points)) == alone.grid.n_points


def test_more_ranks_than_can_share_are_an_error(comm):
    if comm.size == 1:
        return
    with pytest.raises(ConfigError, match="Give at most 1"):
        Model("barotropic", 3, Grid.full(8, 16), comm=comm)

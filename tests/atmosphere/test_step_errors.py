"""Steps that are impossible raise the same error on all ranks, and leave the state as it was."""

import numpy as np
import pytest

from halcyon.base import ConfigError, RunError
from tests.atmosphere import atmosphere_states
from tests.support import meshes

pytestmark = pytest.mark.mpi

each_equation_set = pytest.mark.parametrize(
    ("equations", "implicit"),
    [("shallow_water", False), ("shallow_water", True), ("hydrostatic", False), ("nonhydrostatic", False)],
)


def core_on(comm, equations, implicit):
    if equations == "shallow_water":
        return meshes.core(meshes.globe(2), comm, start="mountain", semi_implicit=implicit)
    return atmosphere_states.core(meshes.globe(2), equations, comm, start="baroclinic_wave", top=219.4)


def error_of(comm, core, step_s):
    """Collective. The error of a step, which all ranks raise alike before the state changes."""
    before = {row.name: core.prognostic(row.name).copy() for row in core.variables if row.restart}
    with pytest.raises((ConfigError, RunError)) as caught:
        core.step(step_s)
    assert len(set(comm.allgather((caught.type.__name__, str(caught.value))))) == 1
    for name, values in before.items():
        np.testing.assert_array_equal(core.prognostic(name), values)
    return f"{caught.type.__name__}: {caught.value}"


@each_equation_set
def test_impossible_steps_raise_the_same_error_on_all_ranks(comm, equations, implicit):
    """A bad step or value on the last rank alone; afterwards a good step is taken."""
    core = core_on(comm, equations, implicit)
    is_last = comm.rank == comm.size - 1
    for bad in (0.0, -600.0, np.nan, np.inf):
        text = error_of(comm, core, bad if is_last else 600.0)
        assert text == f"ConfigError: dt is {'-' * (bad < 0)}{abs(bad):g} s. Give more than 0 s."
        with pytest.raises(ConfigError, match="Give more than 0 s"):
            core.step(bad, check=False)
    if comm.size > 1:
        text = error_of(comm, core, 300.0 if is_last else 600.0)
        assert text.startswith("ConfigError: dt is 300 s on one rank and 600 s on another.")
    text = error_of(comm, core, 86400.0)
    longest_s = min(comm.allgather(core.longest_step()))
    assert text.startswith("ConfigError: dt is 86400 s: with winds and waves at cell ")
    assert 0 <= longest_s - float(text.split()[-2]) < 1e-3 * longest_s
    wind = core.prognostic("normal_wind")
    good = wind.copy()
    if is_last:
        wind[-1] = np.nan
    assert error_of(comm, core, 600.0).startswith("RunError: normal_wind is nan at cell ")
    wind[...] = good
    core.step(min(comm.allgather(core.longest_step())))  # the longest step itself is allowed
    core.step(600.0)
    assert core.failure.cell == -1


@each_equation_set
def test_the_first_failure_does_not_depend_on_the_ranks(comm, equations, implicit):
    """Of several bad values, the error names the one at the cell of the lowest global id."""
    core = core_on(comm, equations, implicit)
    name = "layer_thickness" if equations == "shallow_water" else "surface_pressure"
    for cell in (161, 93, 40):
        core.prognostic(name)[np.asarray(core.owned_cells) == cell] = -1.0
    assert f"{name} is -1 at cell 40 " in error_of(comm, core, 600.0)

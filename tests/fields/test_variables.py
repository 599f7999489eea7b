"""The table of variables of the wave model."""

import numpy as np
import pytest

from halcyon._core.base import ConfigError
from halcyon.fields import find
from halcyon.wave import SpectralGrid, products, wave_variables


def test_names_are_unique_and_described():
    """Every variable has a long name, units and the dimension cell; only three output variables lack a CF
    standard name."""
    table = wave_variables()
    assert len({v.name for v in table}) == len(table)
    assert all(v.long_name and v.units and v.dimensions[0] == "cell" for v in table)
    unnamed = {"steepness", "eastward_energy_flux", "northward_energy_flux"}  # CF has no name for these
    assert {v.name for v in table if v.output and not v.standard_name} == unnamed


def test_the_spectrum_and_what_a_run_gathers_are_needed_to_restart():
    """A restart file of the wave model has the action density, the wave stress and the largest wave height
    so far."""
    restart = {v.name: v.output for v in wave_variables() if v.restart}
    assert restart == {"action": False, "wave_stress": False, "largest_significant_height": True}


def test_every_product_has_a_row():
    """All products that are computed from spectra are output variables of the table, but those of warnings
    and of partitions."""
    grid = SpectralGrid(frequencies=10, first_frequency=0.04, ratio=1.1, directions=12)
    computed = set(products(grid, np.zeros((1, 10, 12), np.float32))) - {"peak_bin", "first_bin_share"}
    assert computed <= {v.name for v in wave_variables() if v.output}


def test_unknown_names_list_the_known():
    assert find(wave_variables(), "depth").units == "m"
    with pytest.raises(ConfigError, match="significant_height"):
        find(wave_variables(), "hs")

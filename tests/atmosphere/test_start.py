"""Analytic initial states of shallow water."""

import numpy as np
import pytest
from pydantic import TypeAdapter

from halcyon import atmosphere
from halcyon.base import ConfigError
from halcyon.config.atmosphere import Initial
from tests.support import meshes


@pytest.mark.parametrize("name", atmosphere.start_names())
def test_the_case_file_has_the_same_defaults(name):
    """Every option of every start has the default of the core."""
    initial = TypeAdapter(Initial).validate_python({"type": name}).options()
    assert initial == pytest.approx(atmosphere.start_options(name), rel=1e-15)


def test_tilts_are_degrees_in_the_case_file():
    initial = TypeAdapter(Initial).validate_python({"type": "solid_rotation", "tilt": 45})
    assert initial.options()["tilt"] == np.pi / 4


def test_unknown_starts_and_options_are_refused():
    core = meshes.core(meshes.globe(3))
    with pytest.raises(ConfigError, match=r"no start 'jet'.*barotropic_jet"):
        core.set("jet", {})
    with pytest.raises(ConfigError, match="'mountain' has no option 'tilt'"):
        core.set("mountain", {"tilt": 1.0})


def test_the_jet_has_its_mean_depth_and_wind():
    """The jet of Galewsky et al. (2004) has a mean depth of 10 km and blows with 70 to 80 m/s at 45
    degrees."""
    mesh = meshes.globe(4)
    core = meshes.core(mesh, start="barotropic_jet", options={"perturbation": 0.0})
    values = core.products(["thickness", "eastward_wind"])
    area = np.asarray(mesh.area_cell)
    assert (area * values["thickness"]).sum() / area.sum() == pytest.approx(10000, abs=1)
    assert 70 < values["eastward_wind"].max() < 80
    assert np.degrees(mesh.cell_latitude)[values["eastward_wind"].argmax()] == pytest.approx(45, abs=3)


def test_the_jet_is_in_balance():
    """Without perturbation heights change by less than 60 m in three hours."""
    core = meshes.core(meshes.globe(4), start="barotropic_jet", options={"perturbation": 0.0})
    before = core.products(["height"])["height"]
    for _ in range(24):
        core.step(450.0)
    assert abs(core.products(["height"])["height"] - before).max() < 60


def test_the_bump_is_where_it_should_be():
    """The perturbation of height is centred on 0 E 45 N, with about 120 cos(45 degrees) m."""
    mesh = meshes.globe(4)
    heights = [
        meshes.core(mesh, start="barotropic_jet", options={"perturbation": bump}).products(["height"])[
            "height"
        ]
        for bump in (0.0, 120.0)
    ]
    bump = heights[1] - heights[0]
    lon, lat = np.degrees(mesh.cell_longitude), np.degrees(mesh.cell_latitude)
    assert (abs(lat[bump > 30] - 45) < 6).all()
    assert (abs((lon[bump > 30] + 180) % 360 - 180) < 30).all()
    assert 70 < bump.max() < 120 * np.cos(np.pi / 4) + 15


def test_the_wave_has_its_heights():
    """Heights range from 8000 m at the poles to about 10500 m (Williamson et al. 1992, figure 7.1)."""
    heights = meshes.core(meshes.globe(4), start="rossby_haurwitz").products(["height"])["height"]
    assert heights.min() == pytest.approx(8000, abs=100)
    assert heights.max() == pytest.approx(10530, abs=60)


def test_the_mountain_stands_under_the_fluid():
    """The mountain rises to 2000 m at 270 E 30 N (Williamson et al. 1992, case 5); height is thickness
    plus orography."""
    mesh = meshes.globe(4)
    core = meshes.core(mesh, start="mountain")
    orography, values = core.ground, core.products(["height", "thickness"])
    assert 1500 < orography.max() <= 2000
    assert np.count_nonzero(orography) / mesh.n_cells < 0.03
    assert values["height"] == pytest.approx(values["thickness"] + orography)
    peak = orography.argmax()
    assert np.degrees([mesh.cell_longitude[peak], mesh.cell_latitude[peak]]) == pytest.approx(
        [270, 30], abs=4
    )

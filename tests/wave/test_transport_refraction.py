"""Turning along great circles, refraction by Snell's law, shoaling by Green's law, absorbing shores."""

import numpy as np
import pytest

import halcyon.mesh
from halcyon import wave
from halcyon.base import EARTH_RADIUS
from tests.support import sea_states

FREQUENCY = 3  # index of the tested frequency, 0.080 Hz
REFINEMENT = 8  # at 0N 0E, relative to G4
SPACING = 480e3 / REFINEMENT  # of the refined cells [m]
SOUTH, NORTH = np.radians(-4), np.radians(4)  # edges of the sea [rad]


def sea(depth):
    """A sea around 0N 0E, 8 degrees in latitude and 20 in longitude.

    It is cut from G4 after a conformal map of the sphere that refines the mesh eightfold at 0N 0E. The map
    preserves circles, so also the Delaunay triangulation."""
    g4 = sea_states.triangulation(4)
    points = g4.points
    shift = (REFINEMENT**2 - 1) / (REFINEMENT**2 + 1)
    mapped = np.hstack([shift + points[:, :1], np.sqrt(1 - shift**2) * points[:, 1:]])
    mapped /= 1 + shift * points[:, :1]
    mesh = halcyon.mesh.voronoi_mesh(halcyon.mesh.triangulation_of(mapped, g4.corners))
    inside = (np.abs(mesh.cell_latitude) < NORTH) & (np.abs(angle(mesh.cell_longitude)) < np.radians(10))
    return sea_states.with_depth(halcyon.mesh.cut(mesh, inside.astype(np.uint8)), depth)


def beach(lat, lon):
    """Depth [m], from 200 m in the south to 10 m at the northern shore."""
    return 10 + 190 * (NORTH - lat) / (NORTH - SOUTH)


def angle(radians):
    """The angle between -pi and pi that equals `radians` modulo 2 pi."""
    return (radians + np.pi) % (2 * np.pi) - np.pi


def mean_direction(grid, spectra):
    """Mean direction [degrees] of spectra (..., direction)."""
    theta = np.array(grid.direction)
    return np.degrees(np.arctan2(spectra @ np.sin(theta), spectra @ np.cos(theta)))


def steady_swell(mesh, towards, *, grid=None, time_s=3e5, **options):
    """The action (cell, direction) of swell towards a direction [degrees] that has entered from the south for
    a time, and its spectral grid: by default that of FREQUENCY, else the first frequency of `grid`."""
    frequency = 0 if grid else FREQUENCY
    grid = grid or sea_states.spectral_grid()
    model = sea_states.model(mesh, grid, great_circle=False, **options)
    offset = np.array(grid.direction) - np.radians(towards)
    incoming = np.maximum(np.cos(offset), 0) ** 40
    inflow = mesh.cell_latitude < SOUTH + 2 * SPACING / EARTH_RADIUS
    dt = 0.95 * wave.cfl_limit(mesh, grid)
    for _ in range(int(time_s / dt)):
        model.action[inflow] = incoming
        model.transport(dt)
    return model.action[:, frequency].astype(float), grid


def exposed_cells(mesh):
    """Cells north of the southern inflow and outside the shadow of the western boundary."""
    east = np.degrees(angle(mesh.cell_longitude))
    return (east > 3) & (east < 6) & (mesh.cell_latitude > SOUTH + 0.02)


@pytest.mark.parametrize(("latitude", "sign"), [(45, 1), (-45, -1), (0, 0)])
def test_eastward_swell_turns_towards_the_equator(latitude, sign):
    """Eastward swell near 45 degrees turns by the angle that it has travelled, on the equator not at all."""
    mesh, grid = sea_states.sphere(4), sea_states.spectral_grid()
    model = sea_states.model(mesh, grid)
    model.action[:] = 0
    model.action[:, :, 8:10] = 1  # 85 and 95 degrees
    time_s = 3e4
    n = int(np.ceil(time_s / wave.cfl_limit(mesh, grid)))
    for _ in range(n):
        model.transport(time_s / n)
    near = np.abs(np.degrees(mesh.cell_latitude) - latitude) < 5
    direction_change = mean_direction(grid, model.action[near, FREQUENCY].astype(float).sum(axis=0)) - 90
    expected = np.degrees(sea_states.arc(sea_states.deep_group_speed(grid)[FREQUENCY], time_s)) * sign
    assert direction_change == pytest.approx(expected, abs=0.3)


@pytest.mark.parametrize("towards", [0, 30, 40])
def test_swell_on_a_beach_follows_snell_and_green(towards):
    """In a steady state over a beach the shoreward flux of action (Green's law) and the flux of the
    alongshore wavenumber times action (Snell's law) are constant, for any directional spreading."""
    mesh = sea(beach)
    action, grid = steady_swell(mesh, towards)
    cells = exposed_cells(mesh)
    k = wavenumber(grid, mesh.bottom_depth[cells])  # [m-1]
    speed = group_speed(grid, mesh.bottom_depth[cells], k)
    theta = np.array(grid.direction)
    flux = speed * (action[cells] @ np.cos(theta))
    sine = (action[cells] @ (np.cos(theta) * np.sin(theta))) / (action[cells] @ np.cos(theta))
    deep = mesh.bottom_depth[cells] > 150
    shallow = mesh.bottom_depth[cells] < 40
    assert flux[shallow].mean() == pytest.approx(flux[deep].mean(), rel=0.03)
    snell = (k * sine)[shallow].mean() / k[deep].mean()
    assert snell == pytest.approx(sine[deep].mean(), rel=0.04, abs=0.004)


@pytest.mark.parametrize(("directions", "bound"), [(36, 1.5), (24, 2.5)])
def test_long_swell_turns_by_snells_law(directions, bound):
    """Swell of 20 s at 50 degrees to a plane beach: the mean direction at 10 to 3 m depth is that of the sum
    of the refracted components, although the spectrum becomes narrower than a bin."""
    mesh = sea(lambda lat, lon: 50 * np.maximum((NORTH - lat) / (NORTH - SOUTH), 0.005))
    grid = sea_states.spectral_grid(directions=directions, first_frequency=0.05)
    action = steady_swell(mesh, 50, grid=grid, time_s=4e5)[0]
    depth, theta = mesh.bottom_depth, np.array(grid.direction)
    ahead = np.cos(theta) > 0
    deep = exposed_cells(mesh) & (depth > 38)
    start = action[deep].mean(axis=0)[ahead] * np.cos(theta[ahead])  # flux to the shore of each component
    k_along = wavenumber(grid, depth[deep], 0).mean() * np.sin(theta[ahead])
    for cell in np.flatnonzero(exposed_cells(mesh) & (depth > 3) & (depth < 10)):
        sine = np.clip(k_along / wavenumber(grid, depth[cell : cell + 1], 0), -1, 1)
        components = start / np.sqrt(1 - sine**2)
        expected = np.arctan2((components * sine).sum(), start.sum())
        found = np.radians(mean_direction(grid, action[cell]))
        assert np.degrees(found) == pytest.approx(np.degrees(expected), abs=bound)


def wavenumber(grid, depth, frequency=FREQUENCY):
    """k [m-1] (cell), from sigma^2 = g k tanh(k d)."""
    return wave.wavenumbers(grid, depth.astype(np.float32))[:, frequency].astype(float)


def group_speed(grid, depth, k):
    """cg [m s-1] (cell) of linear wave theory."""
    sigma = grid.sigma[FREQUENCY]
    return 0.5 * sigma / k * (1 + 2 * k * depth / np.sinh(2 * k * depth))


def test_waves_turn_to_shallow_water():
    """Alongshore swell refracts towards the shore, in both directions."""
    mesh = sea(beach)
    grid = sea_states.spectral_grid()
    for towards, sign in ((90, -1), (270, 1)):
        model = sea_states.model(mesh, grid, great_circle=False)
        model.action[:] = np.maximum(np.cos(np.array(grid.direction) - np.radians(towards)), 0) ** 40
        for _ in range(20):
            model.transport(0.9 * wave.cfl_limit(mesh, grid))
        shallow = exposed_cells(mesh) & (mesh.bottom_depth < 40)
        mean = mean_direction(grid, model.action[shallow, FREQUENCY].astype(float).sum(axis=0)) % 360
        assert sign * (mean - towards) > 5


def test_swell_reaches_the_cells_at_the_shore():
    """Cells at the shore have within 5 % the action of the other cells."""
    mesh = sea(1000.0)
    action, _ = steady_swell(mesh, 0)
    neighbors = np.split(mesh.cells_on_cell, mesh.cell_offsets[1:-1])
    coastal = (
        np.array([(cells < 0).any() for cells in neighbors]) & exposed_cells(mesh) & (mesh.cell_latitude > 0)
    )
    assert coastal.any()
    inside = exposed_cells(mesh) & ~coastal
    assert action[coastal].sum(axis=1) == pytest.approx(action[inside].sum(axis=1).mean(), rel=0.05)


def test_shores_and_open_boundaries_absorb():
    """Nothing is reflected: the action decreases to zero, and no opposite direction appears."""
    mesh, grid = sea(1000.0), sea_states.spectral_grid()
    model = sea_states.model(mesh, grid, great_circle=False)
    model.action[:] = 0
    model.action[:, :, :9] = 1  # towards the north-east
    totals = [float(model.action.astype(float).sum())]
    for _ in range(200):
        model.transport(0.95 * wave.cfl_limit(mesh, grid))
        totals.append(float((model.action.astype(float) * mesh.area_cell[:, None, None]).sum()))
    assert (np.diff(totals[1:]) <= 0).all()
    assert totals[-1] < 1e-3 * totals[1]
    assert not model.action[:, :, 9:].any()

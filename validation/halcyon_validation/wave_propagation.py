"""Validation of wave propagation (depth, currents, great circles) against analytic solutions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from halcyon import wave
from halcyon.base import EARTH_RADIUS, GRAVITY
from halcyon.mesh import uniform
from halcyon_validation import wave_basins as basins
from halcyon_validation.check import Check, Outcome, by_name, near
from halcyon_validation.figures import depth_plot, swell_maps
from halcyon_validation.swell import swell

_AIRY = "Airy (1845): sigma^2 = g k tanh(k d)"
_GREEN = "Green's law: cg E is constant"
_SNELL = "Snell's law: k sin(theta) is constant"
_FREQUENCY = 3  # index of the frequency 0.080 Hz in _grid()


def _grid(frequencies: int = 8, first: float = 0.06, directions: int = 36) -> wave.SpectralGrid:
    return wave.SpectralGrid(frequencies=frequencies, first_frequency=first, ratio=1.1, directions=directions)


def _wavenumber(sigma: float, depth: np.ndarray) -> np.ndarray:
    """k [m-1] by bisection of the dispersion relation."""
    low, high = np.zeros_like(depth), np.full_like(depth, 1e3)
    for _ in range(200):
        middle = (low + high) / 2
        below = GRAVITY * middle * np.tanh(middle * depth) < sigma**2
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def _group_speed(sigma: float, depth: np.ndarray) -> np.ndarray:
    k = _wavenumber(sigma, depth)
    return 0.5 * sigma / k * (1 + 2 * k * depth / np.sinh(np.minimum(2 * k * depth, 600)))


def dispersion() -> Outcome:
    """Wavenumbers of 35 frequencies at depths of 0.1 to 5000 m."""
    grid = _grid(35, 0.0345)
    depth = np.geomspace(0.1, 5000, 100)
    computed = wave.wavenumbers(grid, depth.astype(np.float32)).astype(float)
    exact = np.stack([_wavenumber(sigma, depth.astype(np.float32).astype(float)) for sigma in grid.sigma], 1)
    worst = float(np.abs(computed / exact - 1).max())
    return Outcome([Check("largest error of k", worst, 0, 1e-6, source=_AIRY)])


def shoaling() -> Outcome:
    """Swell at normal incidence on a beach, from 200 m to 10 m depth."""
    grid = _grid()
    mesh = basins.box(lambda lat, lon: 200 - 190 * basins.fraction(lat))
    action = basins.steady_state(mesh, grid, np.tile(basins.spread(grid, 0, 80), (8, 1)))[:, _FREQUENCY]
    cells, depth = basins.unshadowed(mesh), mesh.bottom_depth
    theta = np.array(grid.direction)
    sigma = grid.sigma[_FREQUENCY]
    flux = _group_speed(sigma, depth) * (action @ np.cos(theta))
    deep, shallow = flux[cells & (depth > 150)].mean(), flux[cells & (depth < 40)].mean()
    height = np.sqrt(action.sum(axis=1) / action[cells & (depth > 150)].sum(axis=1).mean())
    green = np.sqrt(_group_speed(sigma, np.array([175.0])) / _group_speed(sigma, depth))
    figure = depth_plot(depth[cells], height[cells], green[cells], "Hs over deep-water Hs")
    checks = [near("flux of energy to the shore", shallow / deep, 1, 0.01, source=_GREEN)]
    return Outcome(checks, {"Height of swell over a beach, and Green's law": figure})


def snell() -> Outcome:
    """Swell at 30 degrees incidence on a beach, from 50 m to 0 m depth: direction and height near the shore.

    The expected spectrum is the sum of spectral components, each refracted and shoaled separately."""
    depth, found, expected = _beach(_grid(), _FREQUENCY, 30, depths=(3, 12))
    direction_error = float((found[:, 0] - expected[:, 0]).mean())
    height = float((found[:, 1] / expected[:, 1]).mean())
    checks = [
        Check("error of direction", direction_error, -1.5, 1.5, unit="degrees", source=_SNELL),
        near("height", height, 1, 0.03, source=f"{_SNELL}; {_GREEN}"),
    ]
    figure = depth_plot(depth, found[:, 0], expected[:, 0], "direction [degrees]")
    return Outcome(checks, {"Direction of swell near a beach, and Snell's law": figure})


def refraction(levels: Collection[int] = (4, 5)) -> Outcome:
    """Swell of 20 s on a beach, from 50 m to 0 m depth: the largest error of the mean direction at 10 to 3 m,
    for two angles of incidence, numbers of directions and spacings."""
    checks = []
    for level in levels:
        spacing_km, incidences = 60 * 2 ** (4 - level), (30, 50) if level == 4 else (50,)
        for directions, bound in ((36, 1.5), (24, 2.5)):
            for towards in incidences:
                grid = _grid(first=0.05, directions=directions)
                _, found, expected = _beach(grid, 0, towards, depths=(3, 10), level=level)
                error = float(np.abs(found[:, 0] - expected[:, 0]).max())
                name = f"{spacing_km} km, {directions} directions, {towards} degrees"
                checks.append(Check(name, error, 0, bound, unit="degrees", source=_SNELL))
    return Outcome(checks)


def _beach(
    grid: wave.SpectralGrid, frequency: int, towards: float, *, depths: tuple[float, float], level: int = 4
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steady swell over a plane beach from 50 m to 0 m depth. Returns the depths [m] of the cells between the
    given depths, and their computed and exact mean direction [degrees] and height (cell, 2)."""
    mesh = basins.box(lambda lat, lon: 50 * np.maximum(1 - basins.fraction(lat), 0.005), level)
    incoming = basins.spread(grid, towards, 40)
    action = basins.steady_state(mesh, grid, np.tile(incoming, (8, 1)), time_s=5e5)[:, frequency]
    sigma, theta, depth = grid.sigma[frequency], np.array(grid.direction), mesh.bottom_depth
    cells = np.flatnonzero(basins.unshadowed(mesh) & (depth > depths[0]) & (depth < depths[1]))
    offshore = np.flatnonzero(basins.unshadowed(mesh) & (depth > 38))
    found, expected = [], []
    start = action[offshore].mean(axis=0)
    deep = np.array([depth[offshore].mean()])
    k0, c0 = _wavenumber(sigma, deep), _group_speed(sigma, deep)
    for cell in cells:
        local_depth = depth[cell : cell + 1]
        sine = np.clip(np.sin(theta) * k0 / _wavenumber(sigma, local_depth), -1, 1)
        cosine = np.sqrt(1 - sine**2)
        gain = c0 * np.cos(theta) / (_group_speed(sigma, local_depth) * cosine)
        shoaled = start * np.where(np.cos(theta) > 0, gain, 0)
        expected.append((np.degrees(np.arctan2(shoaled @ sine, shoaled @ cosine)), np.sqrt(shoaled.sum())))
        spectrum = action[cell]
        direction = np.arctan2(spectrum @ np.sin(theta), spectrum @ np.cos(theta))
        found.append((np.degrees(direction), np.sqrt(spectrum.sum())))
    return depth[cells], np.array(found), np.array(expected)


def _swell_on_current(towards: float, power: int, *, eastward: bool) -> tuple[Any, ...]:
    """Swell that enters a current of -1.5 m/s (its eastward or northward component). Returns the grid, the
    action, the current [m s-1] (cell), and flags of the cells before the current and within it."""
    grid, mesh = _grid(14, 0.06), basins.box(1000.0)
    peak = np.exp(-0.5 * (np.log(np.array(grid.frequency) / 0.09) / 0.08) ** 2)
    ramp = np.clip((basins.fraction(mesh.cell_latitude) - 0.25) / 0.4, 0, 1)
    current = -1.5 * ramp * ramp * (3 - 2 * ramp)
    components = (current, np.zeros_like(current)) if eastward else (np.zeros_like(current), current)
    action = basins.steady_state(
        mesh, grid, peak[:, None] * basins.spread(grid, towards, power), current=components
    )
    cells = basins.unshadowed(mesh)
    within = cells & (ramp == 1) & (basins.fraction(mesh.cell_latitude) < 0.9)
    return grid, action, current, cells & (ramp == 0), within


def opposing_current() -> Outcome:
    """Swell on an opposing current of up to 1.5 m/s: action flux and height.

    Deep water: c / c0 = (1 + sqrt(1 + 4 U / c0)) / 2 and E / E0 = c0^2 / (c (c + 2 U))."""
    grid, action, northward, upwave, inside = _swell_on_current(0, 80, eastward=False)
    width, sigma, theta = np.array(grid.frequency_width), np.array(grid.sigma), np.array(grid.direction)
    speed = (GRAVITY / (2 * sigma))[:, None] * np.cos(theta)
    flux = np.einsum("cfd,cfd,f->c", action, speed + northward[:, None, None], width)
    energy = np.einsum("cfd,f,f->c", action, sigma, width)
    start = action[upwave].mean(axis=0).sum(axis=1) * width
    c0 = GRAVITY / sigma
    c = c0 * (1 + np.sqrt(1 - 4 * 1.5 / c0)) / 2
    gain = (start * sigma * c0**2 / (c * (c - 2 * 1.5))).sum() / (start * sigma).sum()
    height_ratio = np.sqrt(energy[inside].mean() / energy[upwave].mean() / gain)
    source = "Longuet-Higgins and Stewart (1961)"
    return Outcome(
        [
            near("flux of action", flux[inside].mean() / flux[upwave].mean(), 1, 0.02, source=source),
            near("height", float(height_ratio), 1, 0.02, source=source),
        ]
    )


def shear() -> Outcome:
    """Swell crossing a shear current of 1.5 m/s conserves k sin(theta) and sigma + k sin(theta) U."""
    grid, action, _, upwave, inside = _swell_on_current(30, 40, eastward=True)
    theta, sigma = np.array(grid.direction), np.array(grid.sigma)
    weight = np.array(grid.frequency_width)[:, None]
    # Means of both invariants, weighted by the northward action flux.
    flux = (GRAVITY / (2 * sigma))[:, None] * np.cos(theta) * weight
    k_east = (sigma**2 / GRAVITY)[:, None] * np.sin(theta)

    def mean(values: np.ndarray, where: np.ndarray) -> float:
        spectra = action[where].mean(axis=0) * flux
        return float((spectra * values).sum() / spectra.sum())

    omega = sigma[:, None] + np.zeros_like(k_east)
    k_ratio = mean(k_east, inside) / mean(k_east, upwave)
    omega_ratio = mean(omega - 1.5 * k_east, inside) / mean(omega, upwave)
    return Outcome(
        [
            near("k sin(theta)", k_ratio, 1, 0.02, source=_SNELL),
            near("frequency of encounter", omega_ratio, 1, 0.01, source="Komen et al. (1994), I.88"),
        ]
    )


def great_circle() -> Outcome:
    """Narrow swell that travels 50 degrees along a great circle, eastward from 45 N: distance over cg t, and
    lateral deviation."""
    grid, mesh = _grid(), uniform(4, tolerance=1e-4)
    mesh.bottom_depth = np.full(mesh.n_cells, 5000.0)
    points, latitude = mesh.cell_points, np.radians(45)
    start = np.array([np.cos(latitude), 0, np.sin(latitude)])
    ahead, left = np.array([0.0, 1, 0]), np.array([-np.sin(latitude), 0, np.cos(latitude)])
    tangents = np.cross(left, points)
    east = np.stack([-points[:, 1], points[:, 0], 0 * points[:, 0]], 1)
    east /= np.linalg.norm(east, axis=1)[:, None]
    towards = np.arctan2((tangents * east).sum(1), (tangents * np.cross(points, east)).sum(1))
    across = np.maximum(np.cos(towards[:, None] - np.array(grid.direction)), 0) ** 80
    packet = np.exp(-50 * np.arccos(np.clip(points @ start, -1, 1)) ** 2)[:, None] * across
    model = basins.single_rank_model(mesh, grid)
    model.action[:] = packet[:, None]
    arc = np.radians(50)
    time_s = arc * EARTH_RADIUS / (GRAVITY / (2 * grid.sigma[_FREQUENCY]))
    basins.propagate(model, time_s, wave.cfl_limit(mesh, grid))
    after = model.action[:, _FREQUENCY].astype(float)
    weights = [each.sum(axis=1) * mesh.area_cell for each in (packet, after)]
    along, lateral = np.arctan2(points @ ahead, points @ start), np.arcsin(points @ left)
    positions = [np.average(along, weights=each) for each in weights]
    travelled = float((positions[1] - positions[0]) / arc)
    lateral = float(np.average(lateral, weights=weights[1]) / arc)
    return Outcome(
        [
            near("distance over cg t", travelled, 1, 0.01, source="deep water: cg = g / 2 sigma"),
            Check("lateral deviation over distance", lateral, -0.01, 0.01),
        ]
    )


@dataclass(frozen=True)
class _DispersedSwell:
    """Swell after propagation: relative amplitude of the ripple with the spacing of directions as period,
    distance over cg t, relative heights (cell), and positions (2, cell): distance and azimuth [degree]."""

    ripple: float
    distance: float
    height: np.ndarray
    positions: np.ndarray


def _dispersed_swell(directions: int = 12, **options: Any) -> _DispersedSwell:
    grid = _grid(8, 0.08, directions)
    mesh = uniform(4, tolerance=1e-3)
    mesh.bottom_depth = np.full(mesh.n_cells, 5000.0)
    model = basins.single_rank_model(mesh, grid, **options)
    x, y, z = mesh.cell_points.T
    packet = np.exp(-0.5 * (np.arccos(np.clip(x, -1, 1)) / 0.08) ** 2)
    model.action[:] = (packet[:, None] * basins.spread(grid, 90, 2))[:, None]
    speed = GRAVITY / (2 * grid.sigma[0])
    time_s = np.radians(60) * EARTH_RADIUS / speed
    basins.propagate(model, time_s, wave.cfl_limit(mesh, grid, **options))
    # Energy by azimuth from the start, and its component with the period of the discrete directions.
    azimuth = np.arctan2(y, z)
    energy = model.action[:, 0].astype(float).sum(axis=1) * mesh.area_cell
    # The sector of 90 degrees spans an integer number of directions, so that slow variations do not
    # contribute to the ripple.
    ahead = np.abs(azimuth - np.pi / 2) < np.pi / 4
    flat = energy[ahead] / np.sin(azimuth[ahead]) ** 2  # without the initial directional distribution
    ripple = np.abs((flat * np.exp(1j * grid.n_directions * azimuth[ahead])).sum()) / flat.sum()
    distance = np.arccos(np.clip(x, -1, 1))
    arc = np.average(distance, weights=energy) / np.radians(60)
    return _DispersedSwell(
        float(ripple), float(arc), np.sqrt(energy / mesh.area_cell), np.degrees(np.stack([distance, azimuth]))
    )


def garden_sprinkler() -> Outcome:
    """Garden sprinkler effect of swell with 12 directions after 60 degrees, and its correction; ripple with
    24 and 36 directions."""
    uncorrected, corrected = _dispersed_swell(swell_age=0.0), _dispersed_swell()
    ratio, source = corrected.ripple / uncorrected.ripple, "Booij and Holthuijsen (1987)"
    heights = {"without correction": uncorrected.height, "with correction": corrected.height}
    checks = [
        Check("ripple without correction", uncorrected.ripple, 0.05, 1, source=source),
        Check("ripple with over without correction", ratio, 0, 0.4, source=source),
        near("distance over cg t", corrected.distance, 1, 0.03),
    ]
    for directions in (24, 36):
        checks.append(Check(f"ripple, {directions} directions", _dispersed_swell(directions).ripple, 0, 0.02))
    return Outcome(
        checks, {"Swell of 12 directions after 60 degrees": swell_maps(uncorrected.positions, heights)}
    )


CASES = by_name(
    dispersion, shoaling, snell, refraction, opposing_current, shear, great_circle, swell, garden_sprinkler
)

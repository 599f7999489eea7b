"""Validation of the waves in a moving hurricane: maximum height and its position relative to the track."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon import wave
from halcyon.base import EARTH_RADIUS, GRAVITY
from halcyon.mesh import Box, Depth, MeshSpec, Region, Spacing, read_mesh
from halcyon.mesh.cache import mesh_for
from halcyon.plot import style
from halcyon.wave.track import Track
from halcyon.wave.wind import Options, vortex_wind
from halcyon_validation.atmosphere_runs import product
from halcyon_validation.check import Check, Outcome, by_name, near
from halcyon_validation.wave_basins import single_rank_model

WIND, FORWARD = 40.0, 5.0  # maximum wind, and northward speed of the storm [m s-1]
RADIUS = 30e3  # radius of maximum wind [m]
PRESSURE = 970.0  # central pressure [hPa]; with the wind it determines Holland's B
START = np.datetime64("2000-09-01T00:00:00")
LONGITUDE, FIRST_LATITUDE = 150.0, 17.0  # centre at the start [degrees]
HOURS, STEADY_HOURS = 24, 4  # of the run, and of the mean of the maximum height at its end
BOX = {"west": 145.5, "east": 154.5, "south": 15.0, "north": 24.0}
SPACING = 25e3  # [m]
SPECTRUM = {"frequencies": 25, "first_frequency": 0.045, "ratio": 1.1, "directions": 24}
STEP_S = 900.0


def young_height(wind: float, forward: float, radius: float) -> float:
    """Maximum significant height [m] in a hurricane with given maximum wind [m s-1], forward speed [m s-1]
    and radius of maximum wind [m] (Young 1988, J. Waterw. Port Coast. Ocean Eng. 114, 637-652): fetch-limited
    growth g H/V^2 = 0.0016 (g x/V^2)^0.5 at an equivalent fetch x."""
    fetch = (
        -2.175e-3 * wind**2
        + 1.506e-2 * wind * forward
        - 1.223e-1 * forward**2
        + 2.190e-1 * wind
        + 6.737e-1 * forward
        + 7.980e-1
    ) * (22.5e3 * math.log10(radius) - 70.8e3)
    return 0.0016 * math.sqrt(GRAVITY * fetch / wind**2) * wind**2 / GRAVITY


@dataclass(frozen=True)
class Sea:
    """Heights [m] and positions east and north of the centre [m] (cell). highest: maximum height [m], mean
    over the last STEADY_HOURS."""

    height: np.ndarray
    east: np.ndarray
    north: np.ndarray
    highest: float


def moving_hurricane(physics: str = "wam3") -> Outcome:
    """Maximum wave height compared with Young (1988), and its position to the right of the track."""
    sea, expected = _run(physics), young_height(WIND, FORWARD, RADIUS)
    source = "Young (1988)"
    peak = int(np.argmax(sea.height))
    distance, ratio = float(sea.east[peak]) / 1e3, _side(sea, 1) / _side(sea, -1)
    checks = [
        near("maximum significant height", sea.highest, expected, 0.15, unit="m", source=source),
        Check("distance of the maximum to the right of the track", distance, 10, 120, "km", source),
        Check("height 60 km right over 60 km left of the track", ratio, 1.1, 2.5, "", source),
    ]
    caption = "Significant height around the centre; the storm moves up"
    return Outcome(checks, {caption: lambda path: _draw(path, sea)})


CASES = by_name(moving_hurricane)


def _side(sea: Sea, sign: int) -> float:
    """Mean height [m] within 30 km of a point 60 km to the right (sign 1) or left (-1) of the centre."""
    return float(sea.height[np.hypot(sea.east - sign * 60e3, sea.north) < 30e3].mean())


def _mesh():
    spacing = Spacing(background=6e5, boxes=(Box(**BOX, spacing=SPACING, transition=4e6),))
    spec = MeshSpec(
        spacing=spacing, region=Region(**BOX), depth=Depth(minimum=4000.0), tolerance=1e-3, iterations=100
    )
    return read_mesh(mesh_for(spec))


def _track():
    times = START + np.array([0, HOURS]) * np.timedelta64(3600, "s")
    last_latitude = FIRST_LATITUDE + math.degrees(FORWARD * HOURS * 3600 / EARTH_RADIUS)
    ones = np.ones(2)
    return Track(
        path=Path("hurricane"),
        lines=[1, 2],
        times=times,
        latitude=np.array([FIRST_LATITUDE, last_latitude]),
        longitude=LONGITUDE * ones,
        pressure=100 * PRESSURE * ones,
        wind=WIND * ones,
        rmax=np.nan * ones,
        radii=[],
    )


def _run(physics: str) -> Sea:
    mesh, grid, track = _mesh(), wave.SpectralGrid(**SPECTRUM), _track()
    wind = vortex_wind(track, start=START, options=Options(radius=RADIUS))
    model = single_rank_model(mesh, grid, physics=physics)
    n_transports = math.ceil(STEP_S / (0.95 * wave.cfl_limit(mesh, grid)))
    model.set_wind(wind, 0.0)
    model.set_fetch_law(30e3)
    n_steps, highest = round(HOURS * 3600 / STEP_S), []
    for step in range(n_steps):
        for _ in range(n_transports):
            model.transport(STEP_S / n_transports)
        model.set_wind(wind, (step + 0.5) * STEP_S)
        model.sources(STEP_S)
        if step >= n_steps - STEADY_HOURS * 3600 / STEP_S:
            highest.append(float(product(model, "significant_height").max()))
    height = product(model, "significant_height")
    latitude, longitude = mesh.cell_latitude, mesh.cell_longitude
    east = EARTH_RADIUS * np.cos(latitude) * (longitude - math.radians(LONGITUDE))
    north = EARTH_RADIUS * (latitude - math.radians(track.latitude[-1]))
    cells = model.owned_cells
    return Sea(np.asarray(height), east[cells], north[cells], float(np.mean(highest)))


def _draw(path: Path, sea: Sea) -> None:
    with style.settings():
        figure = style.new_figure(4.4)
        chart, section = figure.subplots(
            1, 2, gridspec_kw={"left": 0.08, "right": 0.98, "wspace": 0.3, "top": 0.92, "bottom": 0.13}
        )
        east, north = sea.east / 1e3, sea.north / 1e3
        levels = style.round_levels(sea.height.max())
        drawn = chart.tricontourf(east, north, sea.height, levels=levels, cmap="magma_r")
        chart.axvline(0, color=style.INK, linewidth=0.8, linestyle=":")
        chart.set(xlim=(-300, 300), ylim=(-300, 300), xlabel="east [km]", ylabel="north [km]", aspect=1)
        figure.colorbar(drawn, ax=chart, label="significant height [m]", fraction=0.046)
        across = np.abs(north) < SPACING / 2e3
        section.plot(east[across], sea.height[across], "o", color=style.SERIES[0], markersize=4)
        section.axhline(young_height(WIND, FORWARD, RADIUS), color=style.MUTED, linestyle="--")
        section.set(xlim=(-300, 300), ylim=(0, None), xlabel="east of the centre [km]")
        section.set_title("across the centre; dashed: maximum by Young (1988)", fontsize=9, loc="left")
        figure.savefig(path)

"""Wave growth under a steady wind: duration-limited at a point, and fetch-limited with upwind transport."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halcyon.wave import SpectralGrid, make_physics, physics_sets, products, wavenumbers

G = 9.80616
GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
SOURCE_SETS = tuple(physics_sets())


@dataclass(frozen=True)
class SeaStates:
    """Significant height [m], peak period [s] and friction velocity [m s-1], at each duration or fetch."""

    height: np.ndarray
    period: np.ndarray
    friction_velocity: np.ndarray


class PointRow:
    """A row of points with a uniform northward wind and a set of source terms."""

    def __init__(self, name: str, speed: float, depth: float | np.ndarray, n: int = 1, **options):
        self.depth = np.broadcast_to(np.asarray(depth, np.float32), n).copy()
        self.action = np.zeros((n, GRID.n_frequencies, GRID.n_directions), np.float32)
        self.wavenumber = wavenumbers(GRID, self.depth)
        self.wind = np.zeros(n, np.float32), np.full(n, speed, np.float32)
        self.wave_stress = np.zeros(n, np.float32)
        self.physics = make_physics(name, GRID, **options)

    def step_sources(self, dt: float) -> None:
        """Takes one step of the source terms. Raises RuntimeError for an invalid spectrum."""
        invalid = self.physics.step(
            self.action, self.depth, self.wavenumber, *self.wind, dt, self.wave_stress
        )
        if invalid is not None:
            point, height = invalid
            raise RuntimeError(f"Point {point} of the row has a wave height of {height} m.")

    def sea_states(self) -> SeaStates:
        bulk = products(GRID, self.action)
        surface = self.physics.surface(self.action, self.depth, self.wavenumber, *self.wind, self.wave_stress)
        return SeaStates(bulk["significant_height"], bulk["peak_period"], surface["friction_velocity"])

    def group_speed(self) -> np.ndarray:
        """Group velocity [m s-1] (point, frequency)."""
        kd = np.minimum(self.wavenumber * self.depth[:, None], 40.0)
        return 0.5 * GRID.sigma / self.wavenumber * (1 + 2 * kd / np.sinh(2 * kd))


def duration_growth(
    name: str, speed: float, hours, *, depth: float = 5000.0, dt: float = 600.0, **options
) -> SeaStates:
    """Sea states at a point, at given hours after the start from a flat sea."""
    row, seas, hours_done = PointRow(name, speed, depth, **options), [], 0.0
    for hour in hours:
        for _ in range(round((hour - hours_done) * 3600 / dt)):
            row.step_sources(dt)
        hours_done = hour
        seas.append(row.sea_states())
    return SeaStates(
        *(np.concatenate([getattr(sea, part) for sea in seas]) for part in SeaStates.__annotations__)
    )


def fetch_widths(length: float, shortest: float = 10e3) -> np.ndarray:
    """Cell widths [m] from `shortest` to six times that, which cover a length [m]."""
    widths = [shortest]
    while sum(widths) < length:
        widths.append(float(np.clip(0.15 * sum(widths), shortest, 6 * shortest)))
    return np.array(widths)


def fetch_growth(
    name: str, speed: float, *, length: float, hours: float, dt: float = 300.0, depth=5000.0, **options
):
    """Returns fetches [m] up to `length` [m], and the sea states there after `hours` of offshore wind.

    First-order upwind transport of each spectral bin along the wind; absorbing coast, open downwind boundary.
    """
    widths = fetch_widths(length)
    row = PointRow(name, speed, depth, len(widths), **options)
    cosine = np.cos(GRID.direction)
    transport_speed = (row.group_speed()[:, :, None] * cosine).astype(np.float32)
    dt_over_width = (dt / widths).astype(np.float32)[:, None, None]
    for _ in range(round(hours * 3600 / dt)):
        _advect(row.action, transport_speed, dt_over_width)
        row.step_sources(dt)
    return np.cumsum(widths) - widths / 2, row.sea_states()


def _advect(action: np.ndarray, speed: np.ndarray, dt_over_width: np.ndarray) -> None:
    forward, backward = np.maximum(speed, 0) * action, np.maximum(-speed, 0) * action
    gain = -(forward + backward)
    gain[1:] += forward[:-1]
    gain[:-1] += backward[1:]
    action += dt_over_width * gain


def kahma_calkoen(friction_velocity, fetch_m):
    """Height [m] at a fetch [m]: m0 g^2/u*^4 = 6.5e-4 (g x/u*^2)^0.9 (Kahma and Calkoen 1992, all data),
    limited by the fully developed sea, 1.1e3 (Komen et al. 1984, after Pierson and Moskowitz 1964)."""
    energy = 6.5e-4 * (G * fetch_m / friction_velocity**2) ** 0.9
    return 4 * np.sqrt(np.minimum(energy, 1.1e3)) * friction_velocity**2 / G


def fetch_of_duration(friction_velocity, hours):
    """The fetch [m] that a wave group at the peak travels: dX/dT = X^0.27 / (2 3.08), from the peak frequency
    omega_p u*/g = 3.08 X^-0.27 (Kahma and Calkoen 1992)."""
    time = G * hours * 3600 / friction_velocity
    return (0.73 * time / (2 * 3.08)) ** (1 / 0.73) * friction_velocity**2 / G

"""Growth rates of noise on a steady flow, for validation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from halcyon import atmosphere
from halcyon_validation.atmosphere_runs import DAY_S, air_core, initial_core

AMPLITUDE = 1e-5  # rms wind of the noise [m s-1]: small compared with the flow, large compared with rounding
WIND = "normal_wind"
OROGRAPHY = ("ground", "ground_geopotential")


class LinearizedStep:
    """Time step of a core linearized about its present state X: S(X + v) - S(X) for noise v."""

    def __init__(self, core: atmosphere.Core, step_s: float) -> None:
        names = [row.name for row in core.variables if row.restart and row.name not in OROGRAPHY]
        self._core, self._step_s, self._wind = core, step_s, names.index(WIND)
        self._state = [core.prognostic(name) for name in names]
        self._base = [values.copy() for values in self._state]
        core.step(step_s)
        self._after = [values.copy() for values in self._state]

    def noise(self, seed: int) -> list[np.ndarray]:
        """Random winds with an rms of 1 m/s; other fields are 0."""
        noise = [np.zeros_like(values) for values in self._base]
        noise[self._wind] = np.random.default_rng(seed).standard_normal(noise[self._wind].shape)
        return self._scaled(noise)[0]

    def apply(self, noise: list[np.ndarray]) -> tuple[list[np.ndarray], float]:
        """Returns the noise after a step, rescaled to an rms wind of 1 m/s, and its growth factor."""
        for values, base, part in zip(self._state, self._base, noise, strict=True):
            values[...] = base + AMPLITUDE * part
        self._core.step(self._step_s)
        pairs = zip(self._state, self._after, strict=True)
        return self._scaled([(values - after) / AMPLITUDE for values, after in pairs])

    def _scaled(self, noise: list[np.ndarray]) -> tuple[list[np.ndarray], float]:
        """Returns the noise rescaled to an rms wind of 1 m/s, and its rms wind [m s-1]."""
        size = float(np.sqrt((noise[self._wind] ** 2).mean()))
        return [part / size for part in noise], size


def layer_core(level: int, thickness: float, scheme: dict[str, float]) -> atmosphere.Core:
    """Makes shallow water of a thickness [m] on G<level> in solid-body rotation, over balancing orography
    (Bell et al. 2017)."""
    return initial_core(level, "thin_layer", {"thickness": thickness}, scheme=scheme)


def rotating_air(
    level: int, scheme: dict[str, float], *, count: int = 20, factor: float = 1.0
) -> atmosphere.Core:
    """Makes hydrostatic air on G<level> in solid-body rotation of 40 m/s: stable, with weak stratification,
    so that errors of the discretization can grow. The radius is the Earth's divided by `factor`."""
    earth = atmosphere.Planet()
    return air_core(
        level,
        "gravity_wave",
        count=count,
        top=1e4,
        options={"perturbation": 0, "speed": 40, "buoyancy_frequency_squared": 2.5e-5},
        radius=earth.radius / factor,
        rotation=earth.rotation,
        scheme=scheme,
    )


@dataclass(frozen=True)
class Growth:
    """Growth rates of noise [day-1], one per day."""

    rates: list[float]

    @property
    def rate(self) -> float:
        """Mean growth rate of the last third of the days [day-1]."""
        return float(np.mean(self.rates[-(len(self.rates) // 3) :]))

    @property
    def sizes(self) -> np.ndarray:
        """Noise after 0, 1, .. days relative to the initial noise."""
        return np.exp(np.cumsum([0.0, *self.rates]))


def growth(core: atmosphere.Core, days: int, *, share: float = 0.9, seed: int = 0) -> Growth:
    """Growth of noise on the present state of a core, by the power method of Peixoto et al. (2018): the
    change of the base state in a step is subtracted, so that the base state is exactly steady and the noise
    evolves linearly. share: time step over the longest stable step."""
    n = math.ceil(DAY_S / (share * core.longest_step()))
    step, rates = LinearizedStep(core, DAY_S / n), []
    noise = step.noise(seed)
    for _ in range(days):
        total = 0.0
        for _ in range(n):
            noise, factor = step.apply(noise)
            total += math.log(factor)
        rates.append(total)
    return Growth(rates)

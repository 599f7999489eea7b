"""How fast noise grows on a steady flow, for validation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from halcyon import atmosphere
from halcyon_validation.globe_runs import DAY_S, air_core, core_of

AMPLITUDE = 1e-5  # of the noise [m s-1]: small beside the flow, large beside rounding
WIND = "normal_wind"
GROUNDS = ("ground", "ground_geopotential")


class Steps:
    """Steps of a core about its present state X, as if it were steady: S(X + v) - S(X) of noise v."""

    def __init__(self, core: atmosphere.Core, step_s: float) -> None:
        names = [row.name for row in core.variables if row.restart and row.name not in GROUNDS]
        self._core, self._step_s, self._wind = core, step_s, names.index(WIND)
        self._state = [core.prognostic(name) for name in names]
        self._base = [values.copy() for values in self._state]
        core.step(step_s)
        self._after = [values.copy() for values in self._state]

    def noise(self, seed: int) -> list[np.ndarray]:
        """Random winds of 1 m/s (root of the mean square), and nothing else."""
        drawn = [np.zeros_like(values) for values in self._base]
        drawn[self._wind] = np.random.default_rng(seed).standard_normal(drawn[self._wind].shape)
        return self._scaled(drawn)[0]

    def take(self, noise: list[np.ndarray]) -> tuple[list[np.ndarray], float]:
        """The noise after a step, of 1 m/s again, and by what its winds had grown."""
        for values, base, part in zip(self._state, self._base, noise, strict=True):
            values[...] = base + AMPLITUDE * part
        self._core.step(self._step_s)
        found = [(values - after) / AMPLITUDE for values, after in zip(self._state, self._after, strict=True)]
        return self._scaled(found)

    def _scaled(self, noise: list[np.ndarray]) -> tuple[list[np.ndarray], float]:
        size = float(np.sqrt((noise[self._wind] ** 2).mean()))
        return [part / size for part in noise], size


def layer_core(level: int, thickness: float, scheme: dict[str, float]) -> atmosphere.Core:
    """A layer [m] in solid rotation on G<level>, over ground that balances it (Bell et al. 2017)."""
    return core_of(level, "thin_layer", {"thickness": thickness}, scheme=scheme)


def rotating_air(
    level: int, scheme: dict[str, float], *, count: int = 20, factor: float = 1.0
) -> atmosphere.Core:
    """Hydrostatic air on G<level> in solid rotation of 40 m/s: stable, and hardly stratified, so that what
    the discrete equations leave over can grow. The radius is that of the Earth over a factor."""
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
    """Of noise: the rates of the days [day-1]."""

    rates: list[float]

    @property
    def rate(self) -> float:
        """Of the last third of the days [day-1]."""
        return float(np.mean(self.rates[-(len(self.rates) // 3) :]))

    @property
    def sizes(self) -> np.ndarray:
        """After 0, 1, ... days, over what it was."""
        return np.exp(np.cumsum([0.0, *self.rates]))


def growth(core: atmosphere.Core, days: int, *, share: float = 0.9, seed: int = 0) -> Growth:
    """How noise grows on the present state of a core.

    What a step does to the state itself is taken away from it, so that the state is steady to the bit and the
    noise linear: the power method of Peixoto et al. (2018). Steps are `share` of the longest stable one."""
    n = math.ceil(DAY_S / (share * core.longest_step()))
    steps, grown = Steps(core, DAY_S / n), []
    noise = steps.noise(seed)
    for _ in range(days):
        total = 0.0
        for _ in range(n):
            noise, by = steps.take(noise)
            total += math.log(by)
        grown.append(total)
    return Growth(grown)

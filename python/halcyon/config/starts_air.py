"""`initial:` of the air, whose fields have levels: states that formulas give."""

from __future__ import annotations

from typing import Literal

from halcyon.config.option import option
from halcyon.config.start import Start


class BaroclinicWave(Start):
    """A jet in balance on which a wave grows (Jablonowski and Williamson 2006)."""

    type: Literal["baroclinic_wave"] = option("The wave.", default="baroclinic_wave")
    speed: float = option("Of the jets at their core.", default=35.0, unit="m s-1", ge=-500, le=500)
    perturbation: float = option(
        "Of the wind; 0: the steady jet.", default=1.0, unit="m s-1", ge=-100, le=100
    )
    temperature: float = option("At the ground.", default=288.0, unit="K", gt=100, le=1000)
    lapse_rate: float = option("Of the temperature.", default=0.005, unit="K m-1", gt=0, le=0.01)


class RestingMountain(Start):
    """Air at rest over a mountain (Ullrich et al. 2012, test 2-0)."""

    type: Literal["resting_mountain"] = option("The rest.", default="resting_mountain")
    height: float = option("Of the mountain.", default=2000.0, unit="m", ge=0, le=8000)
    temperature: float = option("At height 0.", default=300.0, unit="K", gt=100, le=1000)
    lapse_rate: float = option("Of the temperature.", default=0.0065, unit="K m-1", gt=0, le=0.01)


class MountainWaves(Start):
    """Waves behind mountains on a small planet (Ullrich et al. 2012, tests 2-1 and 2-2)."""

    type: Literal["mountain_waves"] = option("The waves.", default="mountain_waves")
    speed: float = option("Of the wind at the equator.", default=20.0, unit="m s-1", ge=-500, le=500)
    temperature: float = option("At the equator.", default=300.0, unit="K", gt=100, le=1000)
    height: float = option("Of the mountains.", default=250.0, unit="m", ge=0, le=5000)
    half_width: float = option("Of the mountains together.", default=5000.0, unit="m", gt=0, le=1e7)
    wavelength: float = option("From one to the next.", default=4000.0, unit="m", gt=0, le=1e7)
    shear: float = option("Of the wind, c_s of the paper.", default=0.0, unit="m-1", ge=0, le=1e-2)


class GravityWave(Start):
    """A gravity wave on a small planet (Ullrich et al. 2012, test 3-1)."""

    type: Literal["gravity_wave"] = option("The wave.", default="gravity_wave")
    speed: float = option("Of the wind at the equator.", default=20.0, unit="m s-1", ge=-500, le=500)
    temperature: float = option("At the equator's ground.", default=300.0, unit="K", gt=100, le=1000)
    buoyancy_frequency_squared: float = option("N squared.", default=0.0001, unit="s-2", gt=0, le=1e-2)
    perturbation: float = option("Of the potential temperature.", default=1.0, unit="K", ge=-100, le=100)
    half_width: float = option("Of the perturbation.", default=5000.0, unit="m", gt=0, le=1e7)
    wavelength: float = option("Of the perturbation, upwards.", default=20000.0, unit="m", gt=0, le=1e6)


class HeldSuarez(Start):
    """Air at rest, of one temperature but for a pattern: the start of a climate (Held and Suarez 1994)."""

    type: Literal["held_suarez"] = option("The rest.", default="held_suarez")
    temperature: float = option("Everywhere.", default=300.0, unit="K", gt=100, le=1000)
    perturbation: float = option("Largest of the pattern.", default=1.0, unit="K", ge=0, le=10)

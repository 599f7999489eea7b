"""Physics sets by name."""

from halcyon._core import wave as _wave
from halcyon._core.wave import Physics, SpectralGrid


def make_physics(name: str, grid: SpectralGrid, **options: bool | float | str) -> Physics:
    """The physics set `name` ("wam3", "wam4", "ard", "fvwam") with options; physics_options(name) lists them.

    Raises ConfigError for unknown names and options, and for values out of range.
    """
    values = {key: float(value) if type(value) is int else value for key, value in options.items()}
    return _wave.make_physics(name, grid, values)

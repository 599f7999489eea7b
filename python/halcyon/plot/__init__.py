"""Figures of a run: maps on the model's own cells, and series at stations. Every one is a PNG file.

Importing this costs nothing; matplotlib is loaded when the first figure is drawn, never with a window.
"""

import importlib

_FIGURES = {
    "draw_panels": "halcyon.plot.run",
    "draw_run": "halcyon.plot.run",
    "maximum_height": "halcyon.plot.wave_maps",
    "mesh_picture": "halcyon.plot.mesh_map",
    "panels": "halcyon.plot.maps",
    "spectra": "halcyon.plot.spectrum",
    "stations": "halcyon.plot.series",
    "wind": "halcyon.plot.wave_maps",
}
__all__ = [
    "draw_panels",
    "draw_run",
    "maximum_height",
    "mesh_picture",
    "panels",
    "spectra",
    "stations",
    "wind",
]


def __getattr__(name):
    if name not in _FIGURES:
        raise AttributeError(f"module 'halcyon.plot' has no attribute '{name}'")
    return _draw(_FIGURES[name], name)


def _draw(module, name):
    return getattr(importlib.import_module(module), name)

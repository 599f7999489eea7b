"""Figures of a run as PNG files: maps on the cells of the mesh, and time series at stations.

The import is fast: matplotlib is loaded with the first figure. No display is needed.
"""

from __future__ import annotations

import importlib
from typing import Any

_FIGURES = {
    "case_of": "halcyon.plot.run",
    "colour_scale": "halcyon.plot.maps",
    "draw_ensemble": "halcyon.plot.ensemble",
    "draw_maximum": "halcyon.plot.run",
    "draw_panels": "halcyon.plot.run",
    "draw_run": "halcyon.plot.run",
    "files_of": "halcyon.plot.run",
    "land_of": "halcyon.plot.run",
    "maximum_height": "halcyon.plot.wave_maps",
    "mesh_picture": "halcyon.plot.mesh_map",
    "nearest_cells": "halcyon.plot.maps",
    "on_level": "halcyon.plot.cells",
    "panels": "halcyon.plot.maps",
    "plumes": "halcyon.plot.ensemble",
    "several_maps": "halcyon.plot.maps",
    "spectra": "halcyon.plot.spectrum",
    "station_names": "halcyon.plot.series",
    "stations": "halcyon.plot.series",
    "wind": "halcyon.plot.wave_maps",
}
__all__ = list(_FIGURES)


def __getattr__(name: str) -> Any:
    if name not in _FIGURES:
        raise AttributeError(f"module 'halcyon.plot' has no attribute '{name}'")
    return getattr(importlib.import_module(_FIGURES[name]), name)

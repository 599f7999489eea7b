"""Presets of wave cases: the options of a published model as defaults of the whole case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The options that a preset sets, where the case does not give them; the key of PRESETS is the preset's name.
# FVWAM: Pang et al. (2025), Geosci. Model Dev. Its source terms take whole steps, without substeps.
_FVWAM_VORTEX = {"vortex": "fvwam", "surface_factor": 0.8, "inflow": 20.0, "air_density": 1.293}
PRESETS: dict[str, dict[str, Any]] = {
    "fvwam": {
        "mesh": {"spectrum": {"frequencies": 35, "first_frequency": 0.03715, "ratio": 1.1, "directions": 36}},
        "equations": {"scheme": "upwind", "sides": "local"},
        "time": {"source_step": 600.0, "bands": 1},
        "physics": {"set": "fvwam", "longest_step": 7200.0},
        "initial": {"type": "fetch_law", "fetch": 30e3, "cap_light_winds": True},
        "forcing": {"wind": _FVWAM_VORTEX},
    }
}
_TAGS = {"physics": "set", "initial": "type"}  # options that select what a group is


def preset_text(name: str) -> str:
    """The options that a preset sets, as `option = value`."""
    return ", ".join(f"{option} = {value}" for option, value in _flattened(PRESETS[name]))


def apply_preset(options: dict[str, Any]) -> None:
    """Adds the options of the preset that a case names, where the case does not give them. A group of another
    kind, such as another physics set, keeps its own defaults. An unknown preset is left to validation."""
    preset = options.get("preset")
    if not isinstance(preset, str) or preset not in PRESETS:
        return
    for name, defaults in PRESETS[preset].items():
        if name == "forcing":
            _add_vortex(options.get("forcing"), defaults["wind"])
            continue
        given = options.setdefault(name, {})
        tag = _TAGS.get(name)
        if isinstance(given, dict) and (tag is None or given.get(tag, defaults[tag]) == defaults[tag]):
            _add(given, defaults)


def _add_vortex(forcing: Any, defaults: Mapping[str, Any]) -> None:
    """Adds the options of the vortex to each storm along a track of this kind of vortex."""
    wind = forcing.get("wind") if isinstance(forcing, dict) else None
    if not isinstance(wind, dict):
        return
    tracks = wind.get("tracks")
    for storm in tracks if isinstance(tracks, list) else [wind]:
        kind = defaults["vortex"]
        if isinstance(storm, dict) and "track" in storm and storm.get("vortex", kind) == kind:
            _add(storm, defaults)


def _add(options: dict[str, Any], defaults: Mapping[str, Any]) -> None:
    """Adds defaults, group by group, where options are not given."""
    for name, value in defaults.items():
        if not isinstance(value, Mapping):
            options.setdefault(name, value)
        elif isinstance(options.setdefault(name, {}), dict):
            _add(options[name], value)


def _flattened(options: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for name, value in options.items():
        pairs += (
            _flattened(value, f"{prefix}{name}.") if isinstance(value, Mapping) else [(prefix + name, value)]
        )
    return pairs

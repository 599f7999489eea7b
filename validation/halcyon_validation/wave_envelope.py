"""Validation of wave growth against other models: heights within their envelope, and seas that saturate."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from pathlib import Path

import numpy as np

from halcyon.base import ConfigError
from halcyon_validation import growth_runs as runs
from halcyon_validation.check import Check, Outcome, Table, by_name

_HOURS = (3, 6, 12, 24, 48, 72)
_FETCHES = np.array([30, 50, 100, 200, 300, 500, 700, 1000])  # [km]
_SPEEDS = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0)  # [m s-1] of saturated seas
_WIDENED = 0.1
_MODELS = "WAM cycle 6, WAVEWATCH III (ST3, ST4)"
# Heights of other models: files NAME_dur..._U20.csv (time_h, hs) and NAME_fetch..._U20.csv (fetch_km, hs).
REFERENCES = Path(os.environ.get("HALCYON_SHARED", Path(__file__).parents[3] / "shared")) / "data" / "growth"


def growth_envelope(folder: Path = REFERENCES, names: tuple[str, ...] = runs.SOURCE_SETS) -> Outcome:
    """Heights at durations of 3 to 72 h and fetches of 30 to 1000 km: between the lowest and the highest of
    the other models, widened by 10 %, at every wind speed [m s-1] with files in the folder."""
    checks, rows = [], []
    for (kind, speed), curves in sorted(_references(folder).items()):
        positions, unit = (_HOURS, "h") if kind == "dur" else (_FETCHES, "km")
        reference = np.array([np.interp(positions, x, height) for x, height in curves])
        low, high = reference.min(0) * (1 - _WIDENED), reference.max(0) * (1 + _WIDENED)
        for name in names:
            heights = _heights(kind, name, speed)
            ratios = heights / reference.mean(0)
            rows.append([f"{name}, {speed:g} m/s, {kind}", *(f"{ratio:.2f}" for ratio in ratios)])
            for i, position in enumerate(positions):
                text = f"{name}, {speed:g} m/s, {position} {unit}: Hs"
                checks.append(Check(text, float(heights[i]), float(low[i]), float(high[i]), "m", _MODELS))
    heads = [
        "Hs over the mean of the models",
        *(f"{h} h or {x} km" for h, x in zip(_HOURS, _FETCHES, strict=False)),
        *(f"{x} km" for x in _FETCHES[len(_HOURS) :]),
    ]
    table = Table(heads, [row + [""] * (len(heads) - len(row)) for row in rows])
    return Outcome(checks, tables={"Growth compared with other models": table})


def _references(folder: Path) -> dict[tuple[str, float], list[tuple[np.ndarray, np.ndarray]]]:
    """Curves (position, height) of the files by kind, dur or fetch, and wind speed."""
    curves = defaultdict(list)
    for path in sorted(folder.glob("*_U*.csv")):
        kind = "dur" if "_dur" in path.stem else "fetch"
        with path.open() as file:
            rows = list(csv.DictReader(file))
        x = "time_h" if kind == "dur" else "fetch_km"
        columns = (np.array([float(row[name]) for row in rows]) for name in (x, "hs"))
        curves[kind, float(path.stem.rsplit("_U", 1)[1])].append(tuple(columns))
    if not curves:
        raise ConfigError(
            f"There is no file of growth in {folder}. Set HALCYON_SHARED to the reference data."
        )
    return dict(curves)


def _heights(kind: str, name: str, speed: float) -> np.ndarray:
    if kind == "dur":
        return runs.duration_growth(name, speed, _HOURS).height
    fetch, seas = runs.fetch_growth(name, speed, length=1100e3, hours=72 if speed < 15 else 40)
    return np.interp(_FETCHES * 1e3, fetch, seas.height)


def saturated_seas(speeds: tuple[float, ...] = _SPEEDS, names: tuple[str, ...] = runs.SOURCE_SETS) -> Outcome:
    """Winds of 10 to 60 m/s for 96 h: in the last day Hs grows by at most 10 %, and `g Hs/U^2` is at most
    0.36, although the longest waves of the strong winds are beyond the spectrum."""
    checks, rows = [], []
    for name in names:
        seas = {speed: runs.duration_growth(name, speed, (72, 96)) for speed in speeds}
        rows.append([name, *(f"{sea.height[1]:.1f}" for sea in seas.values())])
        for speed, sea in seas.items():
            text = f"{name}, {speed:g} m/s"
            growth = float(sea.height[1] / sea.height[0] - 1)
            checks.append(Check(f"{text}: growth of Hs from 72 to 96 h", growth, -0.02, 0.1))
            checks.append(
                Check(f"{text}: g Hs/U^2 after 96 h", float(runs.G * sea.height[1] / speed**2), 0.05, 0.36)
            )
    heads = ["Hs [m] after 96 h", *(f"{speed:g} m/s" for speed in speeds)]
    return Outcome(checks, tables={"Seas after 96 hours": Table(heads, rows)})


CASES = by_name(*([growth_envelope] if REFERENCES.is_dir() else []), saturated_seas)

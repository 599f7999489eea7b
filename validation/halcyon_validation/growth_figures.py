"""Figures of growth and of the nonlinear transfer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from halcyon_validation.growth_runs import G, Seas, fetch_of_duration, kahma_calkoen

_COLOURS = {"wam3": "C0", "wam4": "C1", "ard": "C2", "fvwam": "C3"}


def curves(path: Path, seas: Mapping[tuple[str, float], Seas], places: Sequence[float], label: str) -> None:
    """Heights of all sets over fetch [km] or duration [h], in U10 and in u* scaling, with the growth law."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    by_wind, by_stress = figure.subplots(1, 2)
    places = np.asarray(places, float)
    for (name, speed), sea in seas.items():
        look = {"color": _COLOURS[name], "ls": "-" if speed < 15 else "--", "label": f"{name}, {speed:g} m/s"}
        by_wind.loglog(places, G * sea.height / speed**2, **look)
        by_stress.loglog(places, G * sea.height / sea.friction_velocity**2, **look)
    name, speed = next(iter(seas))
    u = seas[name, speed].friction_velocity
    fetch = places * 1e3 if "km" in label else fetch_of_duration(u, places)
    by_stress.loglog(
        places, G * kahma_calkoen(u, fetch) / u**2, "k", lw=2, label=f"growth law, {speed:g} m/s"
    )
    by_wind.set(xlabel=label, ylabel="g Hs / U10^2")
    by_stress.set(xlabel=label, ylabel="g Hs / u*^2")
    by_stress.legend(fontsize=7)
    figure.savefig(path, dpi=120)


def spectra(path: Path, frequency: np.ndarray, values: Mapping[str, np.ndarray]) -> None:
    """Transfer rates [m2] over frequency over the peak's."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, rates in values.items():
        axes.plot(frequency, rates, label=name)
    axes.set(xlabel="f / fp", ylabel="S_nl [m2]", xlim=(0.5, 3))
    axes.legend()
    figure.savefig(path, dpi=120)

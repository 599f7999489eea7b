"""The figures of a finished run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from halcyon.base import InputError
from halcyon.config import Case, load_case
from halcyon.config.mesh import GeneratedMesh
from halcyon.mesh.domain import MeshDomain
from halcyon.plot.atmosphere import atmosphere_figures
from halcyon.plot.maps import panels
from halcyon.plot.series import stations
from halcyon.plot.wave_maps import maximum_height
from halcyon.run.input.storms import tracks_of

if TYPE_CHECKING:
    import shapely

    from halcyon.config.run_case import RunCase
    from halcyon.wave.track import Track


def draw_run(folder: str | os.PathLike[str]) -> list[Path]:
    """Plots the figures of the run in `folder`: maximum_height.png and, if it has stations, stations.png for
    waves; maps.png and integrals.png for the atmosphere.

    Reads run.json, the files listed there, and the case for coast and track, which are omitted if the case
    file no longer exists. Returns the paths of the figures. Raises InputError if the run has no complete
    fields file."""
    folder = Path(folder)
    run, files, fields = files_of(folder)
    case = case_of(run)
    heading = f": {case.heading}" if case else ""
    if folder / "integrals.nc" in files:
        return atmosphere_figures(folder, fields, heading)
    figures = [folder / "maximum_height.png"]
    draw_maximum(figures[0], fields, case)
    if folder / "stations.nc" in files:
        figures.append(folder / "stations.png")
        stations(figures[-1], folder / "stations.nc", title="Waves at the stations" + heading)
    return figures


def draw_maximum(path: str | os.PathLike[str] | IO[bytes], fields: Any, case: RunCase | None) -> None:
    """Plots the maximum significant wave height of a run, with coast and track if the case is known, as a
    PNG: a path or an open file."""
    title = "Maximum significant wave height" + (f": {case.heading}" if case else "")
    maximum_height(path, fields, land=land_of(case), track=_tracks(case), title=title)


def draw_panels(
    folder: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    every_s: float = 86400.0,
    variable: str = "significant_height",
    at: float | None = None,
) -> None:
    """Plots maps of a variable of the run in `folder` every `every_s` seconds, in one figure with the coast.

    at: the level of a variable with levels.

    Raises the errors of `draw_run` and `halcyon.plot.panels`."""
    run, _, fields = files_of(Path(folder))
    panels(path, fields, every_s=every_s, variable=variable, at=at, land=land_of(case_of(run)))


def files_of(folder: Path) -> tuple[dict[str, Any], list[Path], list[Path]]:
    """The contents of run.json or ensemble.json, the complete files listed there, and the fields files among
    them.

    Files are searched in `folder`, which may have been moved since the run."""
    run = _run_of(folder)
    listed = [folder / Path(file).name for file in run.get("files") or ()]
    files = [file for file in listed if file.exists()]
    fields = [file for file in files if file.name.startswith(("fields_", "ensemble"))]
    if not fields:
        raise InputError(f"{folder} has no complete fields files yet, so there is nothing to plot.")
    return run, files, fields


def _run_of(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder. Give the folder of a run, such as case.out.")
    path = next((path for name in ("run.json", "ensemble.json") if (path := folder / name).exists()), None)
    if path is None:
        raise InputError(f"{folder} has no run.json: it is not the folder of a run.")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise InputError(f"{path} is damaged. Run the case again.") from None


def case_of(run: Mapping[str, Any]) -> RunCase | None:
    """The case of a run with its overrides; None if the case file no longer exists."""
    path = run.get("case")
    return load_case(path, run.get("overrides", ())) if path and Path(path).exists() else None


def land_of(case: RunCase | None) -> shapely.Geometry | None:
    """The land of a case; None if it is unknown or if the mesh covers land."""
    if case is None or not isinstance(case.mesh, GeneratedMesh) or not case.mesh.sea:
        return None
    return MeshDomain(case.mesh.spec()).land


def _tracks(case: RunCase | None) -> list[Track]:
    return tracks_of(case) if isinstance(case, Case) else []

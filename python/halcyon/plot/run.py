"""The pictures of a finished run."""

import json
from pathlib import Path

from halcyon.base import InputError
from halcyon.config import load_case
from halcyon.config.forcing import TrackWind
from halcyon.config.mesh import RegionMesh
from halcyon.plot.height import maximum_height
from halcyon.plot.series import stations


def draw_run(folder):
    """Draws the pictures of the run in `folder`: maximum_height.png, and stations.png where it has stations.

    Reads the run's own files and its case (named in run.json) for coast and track; without its case the map
    has neither. Returns the paths. Raises InputError where there are no whole fields files."""
    folder = Path(folder)
    files = sorted(folder.glob("fields_*.nc"))
    if not files:
        raise InputError(f"{folder} has no whole fields_*.nc. Run the case first.")
    case = _case_of(folder)
    pictures = [folder / "maximum_height.png"]
    title = "Maximum significant wave height"
    if case is not None:
        title += f": {case.title or case.name}"
    maximum_height(pictures[0], files, land=_land(case), track=_track(case), title=title)
    if (folder / "stations.nc").exists():
        pictures.append(folder / "stations.png")
        stations(pictures[-1], folder / "stations.nc")
    return pictures


def _case_of(folder):
    """The case of a run with the overrides that it was started with; None where it is gone."""
    if not (folder / "run.json").exists():
        return None
    run = json.loads((folder / "run.json").read_text())
    named = run.get("case")
    return load_case(named, run.get("overrides", ())) if named and Path(named).exists() else None


def _land(case):
    if case is None or not isinstance(case.mesh, RegionMesh):
        return None
    from halcyon.mesh.coast import land_of
    from halcyon.mesh.region import widened

    spec = case.mesh.spec()
    return land_of(spec.coast, widened(spec.region))


def _track(case):
    if case is None or not isinstance(case.forcing.wind, TrackWind):
        return None
    from halcyon.wave.track import read_track

    return read_track(case.forcing.wind.track)

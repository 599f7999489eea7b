"""The pictures of a finished run."""

import json
from pathlib import Path

from halcyon.base import InputError
from halcyon.config import Case, load_case
from halcyon.config.forcing import TrackWind
from halcyon.config.mesh import MadeMesh
from halcyon.mesh.domain import MeshDomain
from halcyon.plot.atmosphere import atmosphere_pictures
from halcyon.plot.maps import panels
from halcyon.plot.series import stations
from halcyon.plot.wave_maps import maximum_height
from halcyon.run.input.forcing import track_of


def draw_run(folder):
    """Draws the pictures of the run in `folder`: of waves maximum_height.png, and stations.png where it has
    stations; of the atmosphere maps.png and integrals.png.

    Reads run.json, the files that it names, and its case for coast and track; where the case is gone the map
    has neither. Returns the paths. Raises InputError where the run has no whole fields files."""
    folder = Path(folder)
    run, files, fields = _files_of(folder)
    case = _case_of(run)
    heading = f": {case.heading}" if case else ""
    if folder / "integrals.nc" in files:
        return atmosphere_pictures(folder, fields, heading)
    pictures = [folder / "maximum_height.png"]
    title = "Maximum significant wave height" + heading
    maximum_height(pictures[0], fields, land=land_of(case), track=_track(case), title=title)
    if folder / "stations.nc" in files:
        pictures.append(folder / "stations.png")
        stations(pictures[-1], folder / "stations.nc", title="Waves at the stations" + heading)
    return pictures


def draw_panels(folder, path, *, every_s=86400.0, variable="significant_height", at=None):
    """Draws maps of a variable of the run in `folder` every so many seconds, in one figure with the coast;
    at: the level of one that has some.

    Raises as `draw_run` and `halcyon.plot.panels`."""
    run, _, fields = _files_of(Path(folder))
    panels(path, fields, every_s=every_s, variable=variable, at=at, land=land_of(_case_of(run)))


def _files_of(folder):
    """What run.json says, the whole files that it names, and those of them that hold fields.

    They lie in the folder, wherever that was when the run wrote them."""
    run = _run_of(folder)
    named = [folder / Path(file).name for file in run.get("files", ())]
    files = [file for file in named if file.exists()]
    fields = [file for file in files if file.name.startswith("fields_")]
    if not fields:
        raise InputError(f"{folder} has no whole fields files yet, so there is nothing to draw.")
    return run, files, fields


def _run_of(folder):
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder. Give the folder of a run, such as case.out.")
    if not (folder / "run.json").exists():
        raise InputError(f"{folder} has no run.json: it is not the folder of a run.")
    try:
        return json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except ValueError:
        raise InputError(f"{folder / 'run.json'} is damaged. Run the case again.") from None


def _case_of(run):
    """The case of a run with the overrides that it was started with; None where it is gone."""
    named = run.get("case")
    return load_case(named, run.get("overrides", ())) if named and Path(named).exists() else None


def land_of(case):
    """The land of a case; None where it is not known, and where the mesh goes on over it."""
    if case is None or not isinstance(case.mesh, MadeMesh) or not case.mesh.sea:
        return None
    return MeshDomain(case.mesh.spec()).land


def _track(case):
    if not isinstance(case, Case) or not isinstance(case.forcing.wind, TrackWind):
        return None
    return track_of(case)

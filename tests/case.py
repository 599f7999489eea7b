"""A small case for whole runs: its files, and the command that runs it, as a user would."""

import os
import subprocess
import sys

import numpy as np

import halcyon.mesh
import seas

MESH = "mesh.nc"
TRACK = """\
time,latitude,longitude,pressure_hpa,wind_kt
2022-09-01T00:00,22.0,150.0,940,85
2022-09-01T06:00,24.0,146.0,935,90
"""
CASE = """\
model: wave
mesh:
  file: mesh.nc
  spectrum: {frequencies: 12, first_frequency: 0.045, ratio: 1.15, directions: 24}
time:
  start: 2022-09-01T00:00
  end: 2022-09-01T06:00
  step: auto
  source_step: 1800
forcing:
  wind: {track: track.csv}
physics: {set: wam3}
initial: {type: fetch_law, fetch: 200000}
output:
  interval: 3600
  segment: 10800
  pictures: false
  stations:
    - {name: West, longitude: 110, latitude: 25}
    - {name: East, longitude: 150, latitude: 22}
"""
SEGMENTS = ["fields_20220901T0000.nc", "fields_20220901T0300.nc"]


def write_case(folder, *, case=CASE, track=TRACK, mesh=None):
    """Writes the case, its track and its mesh; a replacement of None leaves a file out. Gives the case's path."""
    if mesh is None:
        mesh = seas.bay()
    halcyon.mesh.write_mpas(str(folder / MESH), mesh)
    if track is not None:
        (folder / "track.csv").write_text(track)
    path = folder / "case.yaml"
    path.write_text(case)
    return path


def halcyon_run(path, ranks, *options):
    """`halcyon run CASE -n RANKS` in a process of its own; a run that hangs fails the test."""
    command = [sys.executable, "-m", "halcyon", "run", str(path), "-n", str(ranks), *options]
    return subprocess.run(command, capture_output=True, text=True, env=_environment(), timeout=50)


def mpirun(path, ranks, *options):
    """`mpirun -n RANKS halcyon run CASE`: the ranks without the launcher."""
    from halcyon.run.launcher import find_mpirun, mpirun_command

    program = [sys.executable, "-m", "halcyon", "run", str(path), *options]
    command = mpirun_command(find_mpirun(), ranks, program)
    environment = _environment() | {"HALCYON_LAUNCHER": "0", "MKL_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=50)


def variables_of(path):
    """Every variable of a netCDF file: its bytes, and the attributes it has."""
    from netCDF4 import Dataset

    with Dataset(path) as file:
        file.set_auto_mask(False)
        return {
            name: (np.asarray(variable[:]).tobytes(), {a: str(variable.getncattr(a)) for a in variable.ncattrs()})
            for name, variable in file.variables.items()
        }


def differing(ours, theirs):
    """Names of the variables that two files do not hold alike."""
    ours, theirs = variables_of(ours), variables_of(theirs)
    return [name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)]


def _environment():
    """Ours, but for what an mpirun around us may have set."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "PMIX_"))}

"""A small case for whole runs: its files, and the command that runs it, as a user would."""

import os
import subprocess
import sys

import numpy as np

import halcyon.mesh
from tests.support import sea_states
from tests.support.ranks import MPI_ENVIRONMENT

LIMIT_S = 50
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
    """Writes the case, its mesh and its track (none where that is None); gives the case's path."""
    halcyon.mesh.write_mpas(str(folder / MESH), mesh or sea_states.bay())
    if track is not None:
        (folder / "track.csv").write_text(track)
    path = folder / "case.yaml"
    path.write_text(case)
    return path


def run_both(path, *options, ranks=(1, 4)):
    """`halcyon run CASE -n N` for every N at the same time, each into a folder of its own: {N: (exit code,
    stdout, stderr, folder)}."""
    folders = {n: path.with_name(f"{path.stem}.{n}") for n in ranks}
    commands = {n: [*program(path, *options, "--output", str(folders[n])), "-n", str(n)] for n in ranks}
    return {n: (*ended, folders[n]) for n, ended in ended_all(commands).items()}


def run_under_mpirun(path, *options, ranks=(1, 4)):
    """The same by `mpirun -n N halcyon run CASE`: the ranks without the launcher."""
    folders = {n: path.with_name(f"{path.stem}.mpirun.{n}") for n in ranks}
    commands = {
        n: ["mpirun", "-q", "-n", str(n), *program(path, *options, "--output", str(folders[n]))]
        for n in ranks
    }
    return {n: (*ended, folders[n]) for n, ended in ended_all(commands).items()}


def program(path, *options):
    return [sys.executable, "-m", "halcyon", "run", str(path), *options]


def ended_all(commands):
    """Runs commands side by side: {key: (exit code, stdout, stderr)}. One that hangs fails the test."""
    processes = {
        key: subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=MPI_ENVIRONMENT | os.environ,
        )
        for key, command in commands.items()
    }
    try:
        outputs = {key: process.communicate(timeout=LIMIT_S) for key, process in processes.items()}
    finally:
        for process in processes.values():
            process.terminate()
    return {key: (processes[key].returncode, *outputs[key]) for key in commands}


def variables_of(path):
    """Every variable of a netCDF file: its bytes, and the attributes it has."""
    from netCDF4 import Dataset

    with Dataset(path) as file:
        file.set_auto_mask(False)
        return {
            name: (
                np.asarray(variable[:]).tobytes(),
                {a: str(variable.getncattr(a)) for a in variable.ncattrs()},
            )
            for name, variable in file.variables.items()
        }


def differing(ours, theirs):
    """Names of the variables that two files do not hold alike."""
    ours, theirs = variables_of(ours), variables_of(theirs)
    return [name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)]

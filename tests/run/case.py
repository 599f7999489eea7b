"""A small wave case for complete runs: its files, and the commands that run it."""

import os
import subprocess
import sys

import numpy as np

import halcyon.mesh
from tests.support import command, sea_states
from tests.support.ranks import MPI_ENVIRONMENT

PROGRAM = [sys.executable, "-m", "halcyon"]
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
    """Writes the case, its mesh (None: a bay) and its track (None: no track). Returns the path of the
    case."""
    halcyon.mesh.write_mpas(str(folder / MESH), mesh or sea_states.bay())
    if track is not None:
        (folder / "track.csv").write_text(track)
    path = folder / "case.yaml"
    path.write_text(case)
    return path


def run_on_each(path, *options, ranks=(1, 4)):
    """Runs `halcyon run CASE -n N` for every N in `ranks`, with one output folder each. Returns
    {N: (exit code, stdout, stderr, folder)}."""
    folders = {n: path.with_name(f"{path.stem}.{n}") for n in ranks}
    results = {n: command.halcyon("run", path, *options, "--output", folders[n], "-n", n) for n in ranks}
    return {n: (done.returncode, done.stdout, done.stderr, folders[n]) for n, done in results.items()}


def run_under_mpirun(path, *options, ranks=(1, 4)):
    """The same as `run_on_each`, but by `mpirun -n N halcyon run CASE`, without Halcyon's launcher."""
    folders = {n: path.with_name(f"{path.stem}.mpirun.{n}") for n in ranks}
    commands = {
        n: ["mpirun", "-q", "-n", str(n), *program(path, *options, "--output", str(folders[n]))]
        for n in ranks
    }
    return {n: (*result, folders[n]) for n, result in run_all(commands).items()}


def program(path, *options):
    """The command that runs a case."""
    return [*PROGRAM, "run", str(path), *options]


def run_all(commands):
    """Runs commands concurrently. Returns {key: (exit code, stdout, stderr)}."""
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
        outputs = {key: process.communicate() for key, process in processes.items()}
    finally:
        for process in processes.values():
            process.terminate()
    return {key: (processes[key].returncode, *outputs[key]) for key in commands}


def variables_of(path):
    """The bytes and attributes of each variable of a netCDF file, by name."""
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
    """Names of the variables whose bytes or attributes differ between two files, or that one of them
    lacks."""
    ours, theirs = variables_of(ours), variables_of(theirs)
    return [name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)]

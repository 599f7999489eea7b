"""Runs of hurricanes that buoys measured, and their pairs of modelled and measured values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import halcyon
from halcyon._core import __file__ as core_file
from halcyon.base import EXIT_OK, ConfigError, InputError, RunError
from halcyon.config import load_case
from halcyon.config.case import Case
from halcyon.run.input.storms import tracks_of
from halcyon.run.launcher import launch
from halcyon.run.state.identity import checked_input_files
from halcyon.score import Pairs, collocate, high_hours
from halcyon.score.ndbc_text import open_ndbc_spectra
from halcyon.score.pairs import distances, selected
from halcyon.score.spectra import FrequencySpectra, frequency_spectra
from halcyon.wave.spectra import open_sources

CASE, KEY = "case.yaml", "validated.json"
SPIN_UP_S = 24 * 3600  # pairs of the first day are left out: the sea grows from the initial fetch law
HIGH = 0.5  # fraction of the measured peak above which hours are high
_DATA = (".csv", ".txt", ".gz", ".nc")  # ends of the names of files of buoys
_OTHER_SPECTRA = "dijk"  # letters of NDBC's files other than the density w, which stands for all five


@dataclass(frozen=True)
class Storm:
    """A folder with a case of a storm and the files of its buoys, by the station of the case whose name the
    file's name begins with."""

    name: str
    folder: Path
    buoys: dict[str, Path]

    @property
    def case_file(self) -> Path:
        return self.folder / CASE


@dataclass(frozen=True)
class Result:
    """A storm run with a physics set. pairs by (buoy, variable), after the spin-up; distance [m] of the storm
    from each buoy at the times of the pairs; spectra: of the model and the buoy, by buoy."""

    storm: Storm
    physics: str
    folder: Path
    track: object
    pairs: dict[tuple[str, str], Pairs]
    distance: dict[str, np.ndarray]
    spectra: dict[str, tuple[FrequencySpectra, FrequencySpectra]]

    def of(self, variable: str) -> list[Pairs]:
        """The pairs of a variable at all buoys."""
        return [pairs for (_, name), pairs in self.pairs.items() if name == variable]

    def high(self, variable: str) -> list[Pairs]:
        """The pairs of a variable in the hours above half the peak: of the wind for the wind speed, else of
        the wave height."""
        return [each for each in high_hours([*self.pairs.values()], HIGH) if each.variable == variable]


def storms_in(folder: Path, names: Sequence[str] | None) -> list[Storm]:
    """The storms in a folder, by name: sub-folders with a case.yaml. Raises ConfigError if there are none,
    for an unknown name, and for a storm without files of buoys."""
    known = sorted(path.parent for path in folder.glob(f"*/{CASE}"))
    if not known:
        raise ConfigError(
            f"--folder {folder} has no sub-folders with {CASE}. Give examples/storms of Halcyon's sources, or"
            " a folder of the same form."
        )
    for name in names or ():
        if name not in [path.name for path in known]:
            raise ConfigError(
                f"--storms {name}: there is no such storm. There are: {', '.join(p.name for p in known)}."
            )
    return [_storm(path) for path in known if names is None or path.name in names]


def _storm(folder: Path) -> Storm:
    stations = [station.name for station in load_case(folder / CASE).output.stations]
    files = [path for path in sorted(folder.iterdir()) if path.suffix in _DATA]
    buoys = {}
    for station in stations:
        found = [path for path in files if path.name.startswith(station)]
        found = [path for path in found if path.name[len(station)] not in _OTHER_SPECTRA]
        if found:
            buoys[station] = found[0]
    if not buoys:
        raise ConfigError(
            f"{folder} has no files of buoys whose names begin with one of its stations"
            f" ({', '.join(stations) or 'none'})."
        )
    return Storm(folder.name, folder, buoys)


def coarser(storm: Storm, factor: float) -> list[str]:
    """The changed options of a storm's case with other spacings."""
    spacing = load_case(storm.case_file).mesh.spacing
    names = [name for name in ("coast", "ocean") if getattr(spacing, name) is not None]
    return [f"mesh.spacing.{n}={factor * getattr(spacing, n):g}" for n in names if factor != 1]


def run_storm(
    storm: Storm, physics: str | None, folder: Path, *, ranks: int | None, overrides: Sequence[str]
) -> Result:
    """Runs a storm with a physics set (None: that of the case) in a sub-folder of `folder`, unless the same
    program has already run the same case there; an unfinished run is resumed. Raises RunError if the run
    fails."""
    changes = [*overrides, *([f"physics={{set: {physics}}}"] if physics else [])]
    name = load_case(storm.case_file, changes).physics.set
    run_folder = (folder / f"{storm.name}_{name}").absolute()
    changes += [f"output.folder={json.dumps(str(run_folder))}", "output.pictures=false"]
    case = load_case(storm.case_file, changes)
    key = {"key": _key(storm, case, changes)}
    if _read(run_folder / KEY) != key or _read(run_folder / "run.json").get("status") != "finished":
        resume = _read(run_folder / KEY) == key and any(run_folder.glob("restart_*.nc"))
        run_folder.mkdir(parents=True, exist_ok=True)
        (run_folder / KEY).write_text(json.dumps(key))
        code = launch(storm.case_file, ranks=ranks, overrides=changes, resume=resume, overwrite=not resume)
        if code != EXIT_OK:
            raise RunError(f"The run of {storm.name} with {name} ended with exit code {code}.")
    return _result(storm, case, run_folder)


def _result(storm: Storm, case: Case, folder: Path) -> Result:
    tracks = tracks_of(case)
    if len(tracks) != 1:
        raise ConfigError(f"{storm.case_file} has {len(tracks)} storms. Give one, in forcing.wind.track.")
    track = tracks[0]
    first = np.datetime64(case.time.start, "s") + np.timedelta64(SPIN_UP_S, "s")
    places = {each.name: each for each in case.output.stations}
    with_spectra = [each.name for each in case.output.stations if case.output.spectra or each.spectrum]
    pairs, distance, spectra = {}, {}, {}
    for station, file in ((name, file) for name, file in storm.buoys.items() if name in places):
        for each in collocate(folder, [f"{file}@{station}"]):
            if (each.times >= first).sum() > 1:
                pairs[station, each.variable] = replace(selected(each, each.times >= first), buoy=station)
        if (station, "significant_height") not in pairs:
            raise InputError(
                f"{file} has fewer than two heights in the run after its first {SPIN_UP_S // 3600} hours."
                " Give a longer run, or other measurements."
            )
        times = pairs[station, "significant_height"].times
        latitude, longitude = track.positions(times)
        distance[station] = distances(
            (places[station].longitude, places[station].latitude), longitude, latitude
        )
        if station in with_spectra and file.name[len(station)] == "w":
            modelled = open_sources([folder / "spectra.nc"])[0]
            spectra[station] = (
                frequency_spectra(modelled, with_spectra.index(station)),
                frequency_spectra(open_ndbc_spectra(file)),
            )
    return Result(storm, case.physics.set, folder, track, pairs, distance, spectra)


def _key(storm: Storm, case: Case, changes: Sequence[str]) -> str:
    """A checksum of the case, its data, the changed options and the program."""
    total = hashlib.sha256(json.dumps([str(storm.case_file), *changes]).encode())
    inputs = [storm.case_file, *(path for paths in checked_input_files(case).values() for path in paths)]
    program = [core_file, *sorted(Path(halcyon.__file__).parent.rglob("*.py"))]
    for path in (*inputs, *program):
        total.update(Path(path).read_bytes())
    return total.hexdigest()


def _read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

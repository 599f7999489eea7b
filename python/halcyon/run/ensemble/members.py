"""The members of an ensemble: runs of the case with a few options changed, each in a folder of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halcyon.base import ConfigError, InputError
from halcyon.config import load_case
from halcyon.config.case import Case
from halcyon.config.forcing import GriddedWind, Storms, TrackWind
from halcyon.config.run_case import RunCase
from halcyon.mesh.cf_file import reading
from halcyon.mesh.data_file import coordinate_values, open_data
from halcyon.run.folder import read_run_file
from halcyon.run.input.forcing import BACKGROUND
from halcyon.run.input.storms import WIND, check_storms, locate_errors, tracks_of
from halcyon.run.prepare import region_of
from halcyon.wave.records import resolve_files
from halcyon.wave.track import Track, read_track, techniques_of

_PERTURBED_MEMBERS = 20  # by default
_TECHNIQUE = re.compile(r"\w{1,8}", re.ASCII)  # part of the name of a folder


@dataclass(frozen=True)
class Member:
    """A member of an ensemble. changes: overrides of the case, `option=value`."""

    name: str
    folder: Path
    changes: Sequence[str]

    @property
    def status(self) -> str:
        """The status in run.json; empty if the run has not begun."""
        return read_run_file(self.folder).get("status", "")

    @property
    def cause(self) -> str:
        """The cause of its end in run.json."""
        return read_run_file(self.folder).get("cause") or "it ended before its first record."


def ensemble_folder(case: RunCase) -> Path:
    """The folder of an ensemble: that of a run with .ens instead of .out."""
    return case.folder.with_name(f"{case.folder.name.removesuffix('.out')}.ens")


def member_folder(folder: Path, name: str) -> Path:
    """The folder of a member in that of the ensemble."""
    return folder / f"member_{name}"


def members_of(case: RunCase, folder: Path) -> list[Member]:
    """The members of the ensemble of a case, in folders in `folder`. Raises ConfigError or InputError if the
    case has no members of the kind that it names, or fewer than it asks for."""
    if not isinstance(case, Case):
        raise ConfigError(
            f"{case.location('model')}: model = '{case.model}', but only cases of the wave model have"
            " ensembles."
        )
    options = case.ensemble
    kind = _kind_of(case) if options.kind == "auto" else options.kind
    changes = {"gridded": _gridded, "techniques": _techniques, "perturbed": _perturbed}[kind](case)
    n = len(changes) if options.members is None else options.members
    if not 2 <= n <= len(changes):
        raise ConfigError(
            f"{case.location('ensemble', 'members')}: {n} members are requested, but there are"
            f" {len(changes)}: {', '.join(changes)}. An ensemble has 2 or more of them."
        )
    members = []
    for name, change in list(changes.items())[:n]:
        own = member_folder(folder, name)
        output = f"output.folder={json.dumps(str(own), ensure_ascii=False)}"
        members.append(Member(name, own, [*change, output, "output.pictures=false"]))
    return members


def _kind_of(case: Case) -> str:
    """The first kind of members that the wind of the case allows."""
    wind = case.forcing.wind
    if isinstance(wind, GriddedWind):
        return "gridded"
    is_forecast = isinstance(wind, TrackWind) and wind.technique is None
    return "techniques" if is_forecast and len(techniques_of(wind.track)) > 1 else "perturbed"


def _gridded(case: Case) -> dict[str, list[str]]:
    """The change of the case for each member in the files of the wind, or of its background."""
    wind, dimension = case.forcing.wind, case.ensemble.dimension
    background = getattr(wind, "background", None)
    location = WIND if isinstance(wind, GriddedWind) else BACKGROUND
    group = wind if isinstance(wind, GriddedWind) else background
    if group is None:
        raise ConfigError(
            f"{case.location(*WIND)}: kind: gridded needs files of the wind with members, such as"
            " `wind: {files: ensemble_*.nc}`. Give them, or another ensemble.kind."
        )
    option = ".".join(location)
    with locate_errors(case, *location):
        files = _files_of_members(group.files, dimension)
        if len(files) < 2:
            raise InputError(
                f"the files have {'one value' if files else 'no coordinate'} '{dimension}', which numbers"
                " the members. Name theirs by ensemble.dimension, or give the files of all members."
            )
    return {
        f"{number:03}": [
            f"{option}.select.{dimension}={number}",
            f"{option}.files={json.dumps(files[number])}",
        ]
        for number in sorted(files)
    }


def _files_of_members(files: Sequence[str], name: str) -> dict[int, list[str]]:
    """The files that have a member, by the values of a coordinate in all files."""
    found: dict[int, list[str]] = {}
    for path in resolve_files(files):
        with open_data(path) as file, reading(path):
            if name in file.variables or name in file.sizes:
                for number in {int(value) for value in coordinate_values(path, file, name)}:
                    found.setdefault(number, []).append(str(path))
    return found


def _techniques(case: Case) -> dict[str, list[str]]:
    """The change of the case for each technique whose forecast covers the run."""
    wind = case.forcing.wind
    names = case.ensemble.techniques or (techniques_of(wind.track) if isinstance(wind, TrackWind) else [])
    if not names or not isinstance(wind, TrackWind):
        raise ConfigError(
            f"{case.location(*WIND)}: kind: techniques needs the track of an a-deck of ATCF. Give it by"
            " `track: FILE`, or another ensemble.kind."
        )
    changes, errors = {}, []
    for name in filter(_TECHNIQUE.fullmatch, names):
        try:
            with locate_errors(case, *WIND):
                track = read_track(**wind.track_options() | {"technique": name})
            check_storms(case, [track], region_of(case))
        except InputError as error:
            errors.append(error)
            continue
        changes[name] = [f"forcing.wind.technique={json.dumps(name)}"]
    if errors and (case.ensemble.techniques or len(changes) < 2):
        raise errors[0]
    return changes


def _perturbed(case: Case) -> dict[str, list[str]]:
    """The changes of the case for each perturbation of its tracks."""
    wind = case.forcing.wind
    if not isinstance(wind, Storms):
        raise ConfigError(
            f"{case.location(*WIND)}: this wind has no track that could be perturbed, and no members. Give"
            " forcing.wind.track, or files with members."
        )
    n = case.ensemble.members or _PERTURBED_MEMBERS
    storms = [".".join(map(str, (*WIND, *location))) for location in wind.storms]
    return {f"{k:03}": [f"{storm}.perturbation.member={k}" for storm in storms] for k in range(1, n + 1)}


def member_tracks(case_file: Path, overrides: Sequence[str], names: Sequence[str]) -> list[Track]:
    """The storm tracks of the members with these names; none if the wind is not that of a storm."""
    members = [each for each in members_of(load_case(case_file, overrides), Path()) if each.name in names]
    cases = [load_case(case_file, [*overrides, *member.changes]) for member in members]
    return [track for case in cases if isinstance(case, Case) for track in tracks_of(case)]

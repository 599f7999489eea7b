"""The members of an ensemble: runs of the case with a few options changed, each in a folder of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halcyon.base import ConfigError
from halcyon.config import load_case
from halcyon.config.case import Case
from halcyon.config.forcing import Storms
from halcyon.config.run_case import RunCase
from halcyon.run.folder import read_run_file
from halcyon.run.input.storms import tracks_of
from halcyon.wave.track import Track

_DEFAULT_MEMBERS = 20  # of a perturbed track


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


def members_of(case: RunCase, folder: Path) -> list[Member]:
    """The members of the ensemble of a case. Raises ConfigError if the case allows none of this kind, or
    fewer than it asks for."""
    if not isinstance(case, Case):
        raise ConfigError(
            f"{case.location('model')}: model = '{case.model}': only cases of the wave model have ensembles."
        )
    changes = _perturbed(case)
    return [
        Member(name, folder / f"member_{name}", [*changes, *_own_options(folder / f"member_{name}")])
        for name, changes in changes.items()
    ]


def member_tracks(case_file: Path, overrides: Sequence[str], names: Sequence[str]) -> list[Track]:
    """The storm tracks of the members with these names; none if the wind is not that of a storm."""
    members = [each for each in members_of(load_case(case_file, overrides), Path()) if each.name in names]
    cases = [load_case(case_file, [*overrides, *member.changes]) for member in members]
    return [track for case in cases if isinstance(case, Case) for track in tracks_of(case)]


def _own_options(folder: Path) -> list[str]:
    return [f"output.folder={json.dumps(str(folder), ensure_ascii=False)}", "output.pictures=false"]


def _perturbed(case: Case) -> dict[str, list[str]]:
    wind = case.forcing.wind
    if not isinstance(wind, Storms):
        raise ConfigError(
            f"{case.location('forcing', 'wind')}: this wind has no members; give forcing.wind.track, whose"
            " track is perturbed."
        )
    n = case.ensemble.members or _DEFAULT_MEMBERS
    storms = [".".join(map(str, ("forcing", "wind", *location))) for location in wind.storms]
    return {f"{k:03}": [f"{storm}.perturbation.member={k}" for storm in storms] for k in range(1, n + 1)}

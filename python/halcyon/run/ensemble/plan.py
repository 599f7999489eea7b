"""What an ensemble has to run, its members without the finished ones, and its results."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halcyon.base import ConfigError, RunError
from halcyon.config import load_case
from halcyon.config.case import Case
from halcyon.mesh.atomic_file import write_file
from halcyon.run.earlier import has_results
from halcyon.run.ensemble.members import Member, ensemble_folder, members_of
from halcyon.run.ensemble.output import Members, write_statistics
from halcyon.run.folder import folder_locked, identity_of_finished, prepare_folder
from halcyon.run.prepare import check_forcing, is_unfinished
from halcyon.run.report import files_text
from halcyon.run.state.restart_state import require_same_run

ENSEMBLE_FILE = "ensemble.json"
DrawEnsemble = Callable[[Path], list[Path]]  # draws the pictures of the ensemble in a folder


@dataclass(frozen=True)
class EnsembleArguments:
    """The arguments of `halcyon ensemble`."""

    case_file: Path
    overrides: Sequence[str]
    folder: Path | None  # None: next to the folder of a run
    ranks: int | None  # ranks of each member
    at_once: int | None  # members that run at a time
    overwrite: bool  # whether the results of finished members are replaced


@dataclass(frozen=True)
class Plan:
    """An ensemble of a case with the overrides of the command."""

    case: Case
    overrides: Sequence[str]
    folder: Path
    members: Sequence[Member]

    @classmethod
    def of(cls, arguments: EnsembleArguments) -> Plan:
        """Reads the case and finds its members. Raises ConfigError or InputError for an unsuitable case."""
        case: Any = load_case(arguments.case_file, arguments.overrides)  # a Case, as `members_of` requires
        folder = ensemble_folder(case) if arguments.folder is None else arguments.folder.absolute()
        plan = cls(case, arguments.overrides, folder, members_of(case, folder))
        check_forcing(plan.case_of(plan.members[0]))
        return plan

    def case_of(self, member: Member) -> Case:
        """The case of a member."""
        case: Any = load_case(self.case.path, [*self.overrides, *member.changes])
        return case

    def begin(self, lock: ExitStack) -> None:
        """Creates the folder and the file ensemble.json in it, and locks the folder until `lock` ends. Raises
        ConfigError for the folder of a run, RunError if it is locked or cannot be written."""
        lock.enter_context(folder_locked(prepare_folder(self)))
        if has_results(self.folder) and not (self.folder / ENSEMBLE_FILE).exists():
            raise ConfigError(f"{self.folder} holds the results of a run. Give another folder by --output.")
        self._write_entries([])

    def _write_entries(self, files: Sequence[Path]) -> None:
        """Writes ensemble.json, with the names of files in the folder."""
        entries = {
            "case": str(self.case.path),
            "overrides": list(self.overrides),
            "members": [member.name for member in self.members],
            "files": [path.name for path in files],
        }
        text = json.dumps(entries, indent=2) + "\n"
        write_file(self.folder / ENSEMBLE_FILE, lambda part: Path(part).write_text(text, encoding="utf-8"))

    def pending(self, *, overwrite: bool) -> list[Member]:
        """The members that are not finished up to the end of the case; all with `overwrite`. Raises
        ConfigError if a finished member had other options or input files than the case."""
        if overwrite:
            return list(self.members)
        finished = [member for member in self.members if member.status == "finished"]
        if finished and is_unfinished(self.case_of(finished[0])):
            return list(self.members)
        identities = {member.name: _common_identity(member) for member in finished}
        for member in finished:
            require_same_run(member.folder, identities[finished[0].name], identities[member.name])
        ended = {
            name
            for name, each in identities.items()
            if each.get("time.end") == self.case.time.end.isoformat()
        }
        return [member for member in self.members if member.name not in ended]

    def command(self) -> str:
        """The command that continues the ensemble."""
        words = [word for override in self.overrides for word in ("--set", override)]
        return shlex.join(["halcyon", "ensemble", str(self.case.path), "--output", str(self.folder), *words])

    def conclude(self, draw: DrawEnsemble) -> None:
        """Writes the statistics of the finished members and draws their pictures. Raises RunError if a member
        is not finished or a file cannot be written."""
        finished = [member for member in self.members if member.status == "finished"]
        if len(finished) > 1:
            members = Members([m.name for m in finished], [m.folder for m in finished])
            files = write_statistics(self.case, self.folder, members)
            self._write_entries(files)
            if self.case.output.pictures:
                files += draw(self.folder)
            print("\n".join([f"statistics of {len(finished)} members", *files_text(files)]), flush=True)
        others = [member.name for member in self.members if member not in finished]
        if others:
            raise RunError(
                f"{len(others)} of {len(self.members)} members are not finished: {', '.join(others)}. The"
                f" log.txt in the folder of each tells the cause. Continue them with: {self.command()}"
            )


def _common_identity(member: Member) -> dict[str, Any]:
    """The identity of a finished member, without the options that differ between members and the lists that
    contain them."""
    own = [change.partition("=")[0] for change in member.changes]
    identity = identity_of_finished(member.folder) or {}
    return {
        name: value
        for name, value in identity.items()
        if not any(f"{option}.".startswith(f"{name}.") for option in own)
    }

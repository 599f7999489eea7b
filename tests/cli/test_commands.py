"""The command line: help, `halcyon describe`, `halcyon doctor`, and errors."""

import re
import subprocess
import sys

import pytest

from halcyon import __version__
from tests.support.command import halcyon

CASE = """\
model: wave
mesh: {region: {west: 0, east: 10, south: 0, north: 10}, spacing: {coast: 50000, ocean: 50000}}
time: {start: 2022-09-01, end: 2022-09-02}
forcing: {wind: none}
"""


def test_help_names_every_command_and_imports_little():
    """`halcyon --help` lists the commands, and imports no large package."""
    printed = halcyon("--help")
    assert printed.returncode == 0
    commands = ("run", "mesh", "convert", "partition", "schedule", "verify", "plot", "describe", "doctor")
    for command in commands:
        assert f"\n  {command} " in printed.stdout
    program = (
        "import sys; from halcyon.cli.app import app; app(['--help'], standalone_mode=False);"
        "heavy = {'numpy', 'mpi4py', 'halcyon._core', 'pydantic', 'yaml', 'netCDF4'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_version():
    assert halcyon("--version").stdout == f"halcyon {__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["rnu"], ["run"], ["run", "c.yaml", "-n", "x"], ["run", "c.yaml", "--sett"]]
)
def test_usage_errors(arguments):
    done = halcyon(*arguments)
    assert done.returncode == 2
    assert "Usage:" in done.stderr
    assert "Traceback" not in done.stderr


def test_describe_case_and_wave():
    printed = halcyon("describe", "case").stdout
    assert "forcing.wind.track: the name of a file  (required)" in printed
    assert "time.step: positive seconds or 'auto' [s]  (default auto)" in printed
    assert "\x1b" not in printed
    printed = halcyon("describe", "wave").stdout
    assert "significant_height" in printed
    assert "sea_surface_wave_significant_height" in printed


def test_describe_atmosphere():
    printed = halcyon("describe", "case", "--model", "atmosphere").stdout
    assert "initial (barotropic_jet): Barotropically unstable jet" in printed
    assert "equations.vertex_energy: a number from 0 to 1  (default 0.25)" in printed
    assert "equations.sponge.rate: a number above 0 and at most 1 [s-1]  (required)" in printed
    assert "levels.top: a number above 0 and at most 50000 [Pa]  (default 219.4)" in printed
    assert "output.vertical.height: a list of heights [m]  (required)" in printed
    assert "initial (baroclinic_wave): Balanced jets with a perturbation" in printed
    printed = halcyon("describe", "atmosphere").stdout
    assert "normal_wind" in printed and "angular_momentum" in printed
    water, air = printed.split("hydrostatic, nonhydrostatic:\n")
    assert water.startswith("shallow_water:\nvariable")
    assert re.search(r"potential_temperature +cell level +K ", air) and "layer_thickness" not in air
    assert re.search(r"mass +kg ", air)
    rain = air.split("physics scheme kessler:\n")[1]
    assert re.search(
        r"precipitation_rate +cell +kg m-2 s-1 +output, restart +rate of rain .* rainfall_flux", rain
    )
    assert re.search(r"evaporation +cell +kg m-2 ", rain.split("physics scheme reed_jablonowski:\n")[1])
    printed = halcyon("describe", "case", "physics", "--model", "atmosphere").stdout
    assert "physics[] (kessler): Warm rain of Kessler (1969)" in printed
    assert "  physics[].slow_cooling: a number from 0.01 to 1000000 [day]  (default 40)" in printed
    assert "  physics[].boundary_layer: 'none', 'reed_jablonowski' or 'bryan'  (default reed_" in printed
    printed = halcyon("describe", "case", "physics").stdout
    assert "schemes" in printed and "kessler" not in printed
    done = halcyon("describe", "case", "--model", "ocean")
    assert done.returncode == 2
    assert done.stderr == "error: --model ocean: there is no such model. Give wave, atmosphere or spectral.\n"


def test_describe_spectral():
    printed = halcyon("describe", "case", "--model", "spectral").stdout
    assert "mesh.truncation: an integer from 1 to 10000  (required)" in printed
    assert "equations.hyperdiffusion.time_scale: a number above 0" in printed
    assert "mesh.memory: an integer from 0 to 1099511627776 [bytes]  (default 524288)" in printed
    assert "initial (rossby_haurwitz): Rossby-Haurwitz wave" in printed
    assert (
        "case 5). For shallow_water.\n" in printed and "case 2). For barotropic, shallow_water.\n" in printed
    )
    assert "  initial.type: 'barotropic_jet'  (default barotropic_jet)\n" in printed
    printed = halcyon("describe", "spectral").stdout
    layer, water, air = re.split("(?:barotropic|shallow_water|primitive):\n", printed)[1:]
    assert "stream_function" in layer and "enstrophy" in layer
    assert "potential_enstrophy" in water
    assert re.search(r"log_surface_pressure_coefficients_before +coefficient part +1 ", air)


@pytest.mark.parametrize("command", ["run", "mesh"])
def test_mistakes_in_a_case_are_one_error(tmp_path, command):
    """A misspelt option prints one line with file, line number and hint."""
    path = tmp_path / "case.yaml"
    path.write_text(CASE.replace("forcing:", "forcng:"))
    done = halcyon(command, path)
    assert done.returncode == 2
    assert done.stderr == f"error: {path}:4: unknown option 'forcng'. Did you mean 'forcing'?\n"
    assert done.stdout == ""


def test_wrong_numbers_of_ranks(tmp_path):
    path = tmp_path / "case.yaml"
    path.write_text(CASE)
    done = halcyon("run", path, "-n", "0")
    assert (done.returncode, done.stderr) == (2, "error: -n 0: the number of ranks must be at least 1.\n")


def test_any_folder_may_be_the_output(tmp_path):
    """Output folders with quotes, YAML syntax and Unicode in their names reach the case unchanged."""
    from halcyon.cli.run import _changes
    from halcyon.config import load_case

    path = tmp_path / "case.yaml"
    path.write_text(CASE)
    for name in ("it's", 'say "so"', "a: b # [c]", "back\\slash", "파도 🌊"):
        assert load_case(path, _changes(None, tmp_path / name)).folder == tmp_path / name


def test_a_missing_mpirun_is_named(tmp_path):
    path = tmp_path / "case.yaml"
    path.write_text(CASE)
    done = halcyon("run", path, PATH=str(tmp_path))
    assert done.returncode == 3
    assert done.stderr.startswith("error: mpirun was not found. Install Open MPI")


@pytest.mark.parametrize("with_launcher", [True, False])
def test_an_mpi_that_does_not_load_is_one_error(tmp_path, with_launcher):
    from halcyon.launch.mpirun import find_mpirun, mpirun_command, rank_environment

    path = tmp_path / "case.yaml"
    path.write_text(CASE)
    command = [sys.executable, "-m", "halcyon", "run", str(path)]
    command = [*command, "-n", "2"] if with_launcher else mpirun_command(find_mpirun(), 3, command)
    environment = rank_environment(3) | {"MPI4PY_LIBMPI": "/nonexistent.so"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("error: mpi4py cannot be used (")
    assert len(done.stderr.splitlines()) == 1


def test_ranks_on_their_own_agree_on_a_mistake(tmp_path):
    """Four ranks under mpirun, without the launcher, print one error."""
    from halcyon.launch.mpirun import find_mpirun, mpirun_command, rank_environment

    path = tmp_path / "case.yaml"
    path.write_text(CASE.replace("2022-09-02", "2022-08-02"))
    command = mpirun_command(find_mpirun(), 4, [sys.executable, "-m", "halcyon", "run", str(path)])
    done = subprocess.run(command, capture_output=True, text=True, env=rank_environment(4))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {path}:3: time.end = 2022-08-02T00:00:00 must be after")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda folder: folder / "nowhere", "is not a folder"),
        (lambda folder: folder, "has no run.json"),
        (lambda folder: (folder / "run.json").write_text("{") and folder, "is damaged"),
    ],
)
def test_plot_needs_a_run(tmp_path, make, expected):
    """`halcyon plot` refuses what is no output folder with a valid run.json."""
    done = halcyon("plot", make(tmp_path))
    assert done.returncode == 2
    assert expected in done.stderr


def test_a_bug_leaves_its_traceback_in_a_file(tmp_path, monkeypatch, capsys):
    """An unexpected exception prints one line and appends the traceback to bugs.txt; with HALCYON_DEBUG the
    traceback is printed."""
    from halcyon.cli.failure import report

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("HALCYON_DEBUG", raising=False)
    assert report(ZeroDivisionError("in a test")) == 1
    printed = capsys.readouterr().err
    assert "a bug in Halcyon: ZeroDivisionError: in a test" in printed
    assert "bugs.txt" in printed
    assert "ZeroDivisionError" in (tmp_path / "halcyon/bugs.txt").read_text()
    monkeypatch.setenv("HALCYON_DEBUG", "1")
    report(ZeroDivisionError("in a test"))
    assert "ZeroDivisionError: in a test" in capsys.readouterr().err


def test_the_doctor_finds_this_installation_fit():
    """The checks of `halcyon doctor` pass on this machine."""
    done = halcyon("doctor")
    assert done.returncode == 0, done.stdout
    for subject in ("processor", "C++ library", "mpirun", "MPI library", "two ranks", "cache"):
        assert subject in done.stdout
    assert "Open MPI" in done.stdout
    assert "wrote a file together and read it back" in done.stdout


@pytest.mark.mpi
def test_the_self_test_wants_two_ranks(comm, tmp_path_factory):
    """The self-test writes a file on two ranks, and fails on other numbers of ranks."""
    from halcyon.base import RunError
    from halcyon.cli.self_test import self_test

    folder = comm.bcast(tmp_path_factory.mktemp("self_test") if comm.rank == 0 else None, root=0)
    if comm.size == 2:
        self_test(comm, folder)
        assert [path.name for path in folder.iterdir()] == ["self_test.nc"]
    else:
        with pytest.raises(RunError, match=f"started {comm.size} ranks"):
            self_test(comm, folder)


def test_the_doctor_fails_when_a_part_that_is_needed_fails(monkeypatch):
    """A failed check gives exit code 3; a processor without the needed instructions fails."""
    from halcyon.cli import doctor

    monkeypatch.setattr(doctor, "findings", lambda: iter([doctor.Finding("fail", "mpirun", "was not found")]))
    lines = []
    assert doctor.examine(lines.append) == 3
    assert lines == ["fail  mpirun             was not found", "1 of these must be fixed."]
    assert doctor._processor({"avx"}).level == "fail"


@pytest.mark.parametrize(
    ("flags", "level", "text"),
    [("put,send,inplace", "hint", "tcp_flags=1 makes them"), ("send", "ok", "as sends")],
)
def test_the_doctor_tells_how_open_mpi_sends_by_tcp(flags, level, text):
    """The setting btl_tcp_flags of Open MPI is read from the output of ompi_info, and puts give a hint."""
    from halcyon.cli import doctor

    output = f"mca:btl:tcp:param:btl_tcp_flags:source:default\n{doctor._TCP_FLAGS}{flags}\n"
    (found,) = doctor._tcp(subprocess.CompletedProcess([], 0, output, ""))
    assert (found.level, text in found.text) == (level, True)
    assert list(doctor._tcp(subprocess.CompletedProcess([], 127, "", "not found"))) == []


@pytest.mark.parametrize(
    ("chosen", "text"), [(None, "go as sends (btl_tcp_flags: send)"), ("3", "go as puts")]
)
def test_the_doctor_asks_open_mpi_itself(monkeypatch, chosen, text):
    """The doctor reports the setting that Open MPI uses, also if the user chose it."""
    if chosen is None:
        monkeypatch.delenv("OMPI_MCA_btl_tcp_flags", raising=False)
    else:
        monkeypatch.setenv("OMPI_MCA_btl_tcp_flags", chosen)
    assert f"long messages {text}" in halcyon("doctor").stdout


def test_a_picture_that_cannot_be_is_refused_before_the_benchmark(tmp_path):
    """An invalid path of a figure is an error before anything is measured."""
    for name, expected in (("nowhere/p.png", "there is no folder"), ("p.xyz", "unknown picture format")):
        done = halcyon("bench", "mesh", "--level", "1", "--plot", tmp_path / name)
        assert (done.returncode, done.stdout) == (2, "")
        assert expected in done.stderr

"""`--resume` with another `time.end`: the extended run has the bits of a run that was long from the start."""

import pytest

from halcyon.base import ConfigError, InputError
from halcyon.config import load_case
from halcyon.run.prepare import can_resume
from tests.run import case, runs
from tests.run.test_atmosphere_run import AIR
from tests.run.test_forced_run import FORCED, write_inputs
from tests.run.test_spectral_run import CASE as SPECTRAL
from tests.run.test_spectral_run import CASES
from tests.support import meshes

pytestmark = pytest.mark.ranks(2)
WAVES = (
    "output.variables=[significant_height, largest_significant_height, friction_velocity, water_level,"
    " eastward_current, ice_fraction]",
    "output.stations.0.spectrum=true",
)
SEMI_IMPLICIT = "time={start: 2000-01-01T00:00, end: 2000-01-01T12:00, scheme: semi_implicit}"
MODELS = {  # case, changes, start
    "wave": (FORCED, WAVES, "2022-09-01"),
    "compressed": (FORCED, (*WAVES, "output.compression=3"), "2022-09-01"),
    "air": (AIR, (), "2000-01-01"),
    "spectral": (SPECTRAL.format(equations=CASES["primitive"]), ("mesh.truncation=10",), "2000-01-01"),
}
ENDS = {  # model: end of the first run and of the extended run [hours]
    # At the begin of a segment; between records, with as many as the longer segment has; in a segment.
    "wave": [(3, 6), (1.5, 6), (3.5, 4.5)],
    "compressed": [(3, 6)],
    "air": [(6, 12)],
    "spectral": [(9, 12)],
}


@pytest.fixture(scope="module")
def folder(comm, common_folder):
    """The folder of the cases and their input files."""
    if comm.rank == 0:
        case.write_case(common_folder)
        write_inputs(common_folder)
        for name, (text, *_) in MODELS.items():
            (common_folder / f"{name}.yaml").write_text(text.replace("{file: mesh.nc}", "{file: globe.nc}"))
        case.halcyon.mesh.write_mpas(str(common_folder / "globe.nc"), meshes.globe(2))
    comm.barrier()
    return common_folder


def end_at(name, hours):
    return f"time.end={MODELS[name][2]}T{int(hours):02}:{int(60 * hours % 60):02}"


def run(comm, folder, name, out, hours, *changes, **rest):
    path, fixed = folder / f"{name}.yaml", MODELS[name][1]
    return runs.run(comm, path, folder / out, *fixed, end_at(name, hours), *changes, **rest)


def results(out):
    """Names of the result files that do not depend on where a run was continued."""
    return sorted(f.name for f in out.iterdir() if f.suffix in (".nc", ".csv") and f.name[:7] != "restart")


def differing(ours, theirs):
    assert results(ours) == results(theirs)
    files = [name for name in results(ours) if name.endswith(".nc")]
    found = [(name, case.differing(ours / name, theirs / name)) for name in files]
    texts = [name for name in results(ours) if name.endswith(".csv")]
    found += [(name, (ours / name).read_bytes() != (theirs / name).read_bytes()) for name in texts]
    return [pair for pair in found if pair[1]]


@pytest.mark.mpi
@pytest.mark.parametrize("name", ENDS)
def test_an_extended_run_is_a_long_run(comm, folder, name):
    for short, long in ENDS[name]:
        out, whole = f"{name}_{short}_{long}", f"{name}_whole_{long}"
        if not comm.bcast((folder / whole).exists()):  # the same on all ranks
            assert run(comm, folder, name, whole, long)
        assert run(comm, folder, name, out, short)
        assert run(comm, folder, name, out, long, resume=True)
        assert differing(folder / out, folder / whole) == [], (short, long)
        ours, theirs = runs.status(folder / out), runs.status(folder / whole)
        assert (ours["status"], ours["figures"]["simulated_s"]) == ("finished", 3600 * (long - short))
        assert [f.split("/")[-1] for f in ours["files"]] == [f.split("/")[-1] for f in theirs["files"]]
        assert ours["figures"].get("max_significant_height_m") == theirs["figures"].get(
            "max_significant_height_m"
        )


@pytest.mark.mpi
@pytest.mark.parametrize("steps", [0, 7])
def test_an_extension_may_be_killed(comm, folder, steps):
    """A run that is extended, killed and resumed, has the bits of a long run; until then run.json lists the
    complete files of the short one."""
    out, whole = f"killed_{steps}", "wave_whole_6"
    if not (folder / whole).exists():
        assert run(comm, folder, "wave", whole, 6)
    assert run(comm, folder, "wave", out, 2)
    listed = runs.status(folder / out)["files"]
    stop = runs.KilledAfter(steps) if steps else runs.StopAfter(1)
    assert not run(comm, folder, "wave", out, 6, resume=True, stop=stop)
    assert {*listed} <= {*runs.status(folder / out)["files"]}
    assert run(comm, folder, "wave", out, 6, resume=True)
    assert differing(folder / out, folder / whole) == []


@pytest.mark.mpi
def test_an_end_may_move_forward(comm, folder):
    """A killed run whose end is moved to an earlier time has the bits of a short run and no later segment."""
    every = "restart.interval=7200", "io.background=false"
    assert not run(comm, folder, "wave", "shortened", 6, *every, stop=runs.KilledAfter(7))
    assert run(comm, folder, "wave", "shortened", 3, *every, resume=True)
    assert run(comm, folder, "wave", "short", 3)
    assert differing(folder / "shortened", folder / "short") == []
    assert not list((folder / "shortened").glob("fields_20220901T0300*"))


@pytest.mark.mpi
def test_an_end_before_the_state_is_refused(comm, folder):
    assert not run(comm, folder, "wave", "late", 6, stop=runs.StopAfter(6))
    for hours in (2, 3):
        with pytest.raises(ConfigError) as caught:
            run(comm, folder, "wave", "late", hours, resume=True)
        text = str(caught.value)
        assert f"time.end = 2022-09-01T0{hours}:00:00 is not after the state of " in text
        assert "restart_20220901T0300.nc, 2022-09-01T03:00:00. Give a later time.end, or start a new" in text
    assert run(comm, folder, "wave", "late", 5, resume=True)
    if comm.rank == 0:
        with pytest.raises(
            ConfigError, match=r"time\.end = 2022-09-01T04:00:00, but the run in .*late is fin"
        ):
            can_resume(
                load_case(
                    folder / "wave.yaml",
                    [*MODELS["wave"][1], end_at("wave", 4), f"output.folder={folder / 'late'}"],
                )
            )


@pytest.mark.mpi
def test_a_state_with_the_sea_of_another_end_is_not_used(comm, folder, capfd):
    """Currents near the end of a run are those of its end, so that its last restart file does not serve."""
    often = "forcing.update=7200", "restart.interval=3600"
    assert run(comm, folder, "wave", "clamped", 2.5, *often)
    assert run(comm, folder, "wave", "clamped", 6, *often, resume=True)
    printed = comm.bcast(capfd.readouterr().out, root=0)
    assert "restart_20220901T0230.nc cannot be used: its last steps have the ice, currents" in printed
    assert "Resuming from restart_20220901T0200.nc" in printed
    assert run(comm, folder, "wave", "clamped_whole", 6, *often)
    assert differing(folder / "clamped", folder / "clamped_whole") == []


def test_a_run_without_restart_files_cannot_be_extended(comm, folder):
    assert run(comm, folder, "wave", "none", 1, "restart.interval=none")
    changes = [*MODELS["wave"][1], end_at("wave", 2), f"output.folder={folder / 'none'}"]
    with pytest.raises(InputError, match=r"has no restart file.* Start the run again with --overwrite"):
        can_resume(load_case(folder / "wave.yaml", changes))

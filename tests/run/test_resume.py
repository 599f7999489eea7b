"""A run that is stopped and resumed gives the same bits as an uninterrupted one."""

import os
import shutil

import pytest

from halcyon.base import ConfigError, InputError
from halcyon.io import write_checksums
from halcyon.run.output.files import require_restart_files
from halcyon.run.state.restart_state import _require_checksums
from tests.mesh import mpas_files
from tests.run import case, runs
from tests.run.test_files_of_before import DATA

pytestmark = pytest.mark.ranks(2)
EVERY_HOUR = "restart.interval=3600"


@pytest.fixture(scope="module")
def path(comm, common_folder):
    """The path of the case, the same on all ranks."""
    if comm.rank == 0:
        case.write_case(common_folder)
    comm.barrier()
    return common_folder / "case.yaml"


@pytest.fixture(scope="module")
def whole(comm, path):
    """The output folder of an uninterrupted run without restart files."""
    folder = path.with_name("whole")
    assert runs.run(comm, path, folder, "restart.interval=none")
    return folder


@pytest.mark.mpi
def test_a_run_without_restart_files_has_none(comm, whole):
    assert runs.restarts(whole) == []


@pytest.mark.mpi
@pytest.mark.parametrize("steps", [1, 6, 11])
def test_wherever_it_stops(comm, path, whole, folder, steps):
    """A run that stops after some steps writes one restart file; resumed, it writes the bits of the whole
    run."""
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(steps))
    minutes = 30 * steps
    assert runs.restarts(folder) == [f"restart_20220901T{minutes // 60:02}{minutes % 60:02}.nc"]
    assert runs.run(comm, path, folder, resume=True)
    assert runs.differing(whole, folder) == []
    run_file = runs.status(folder)
    assert run_file["status"] == "finished"
    assert [os.path.basename(file) for file in run_file["files"]] == [
        *case.SEGMENTS,
        "stations.csv",
        "stations.nc",
    ]
    largest = "max_significant_height_m"
    assert run_file["figures"][largest] == runs.status(whole)["figures"][largest]


@pytest.mark.mpi
@pytest.mark.parametrize("interval, compression", [(3600, 0), (7200, 0), (7200, 4)])
def test_a_killed_run_goes_on_from_its_last_restart(comm, path, whole, folder, interval, compression, capfd):
    """A killed run resumes from its newest restart file, writes the bits of the whole run, and keeps two
    restart files."""
    # The run is killed at 03:30. With the longer interval, the segment that was open at the restart is
    # complete then.
    changes = (
        f"restart.interval={interval}",
        "io.background=false",
        f"output.compression={compression}",
    )
    assert not runs.run(comm, path, folder, *changes, stop=runs.KilledAfter(7))
    assert (folder / case.SEGMENTS[0]).exists()
    capfd.readouterr()
    assert runs.run(comm, path, folder, *changes, resume=True)
    newest, n_steps = ("restart_20220901T0300.nc", 6) if interval == 3600 else ("restart_20220901T0200.nc", 8)
    printed = comm.bcast(capfd.readouterr().out, root=0)
    assert f"Resuming from {newest}" in printed
    assert f"steps      {n_steps} transport steps of 1800 s, {n_steps} source steps of 1800 s\n" in printed
    assert f"time       2022-09-01 0{6 - n_steps // 2}:00 to 2022-09-01 06:00 UTC\n" in printed
    assert runs.differing(whole, folder) == []
    last = "restart_20220901T0500.nc" if interval == 3600 else "restart_20220901T0400.nc"
    assert runs.restarts(folder) == [last, "restart_20220901T0600.nc"]


@pytest.mark.mpi
@pytest.mark.ranks(2, 3)
def test_on_other_ranks_and_by_other_ways(comm, path, whole, folder):
    """A run resumed on one rank fewer, with other exchange, partition and I/O options, writes the bits of the
    whole run."""
    options = (
        "exchange={method: neighbor, overlap: false}",
        "partition={method: recursive, seed: 7}",
        "io={layout: direct, background: false}",
    )
    assert not runs.run(comm, path, folder, "io.layout=box", stop=runs.StopAfter(5))
    fewer = comm.Split(0 if comm.rank < max(1, comm.size - 1) else 1, comm.rank)
    if comm.rank < max(1, comm.size - 1):
        assert runs.run(fewer, path, folder, *options, resume=True)
    fewer.Free()
    comm.barrier()
    assert runs.differing(whole, folder) == []


@pytest.mark.mpi
def test_stopped_again_and_again(comm, path, whole, folder):
    """A run that is stopped four times writes the bits of the whole run, and keeps two restart files."""
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(2))
    for _ in range(3):
        assert not runs.run(comm, path, folder, resume=True, stop=runs.StopAfter(2))
    assert runs.restarts(folder) == ["restart_20220901T0300.nc", "restart_20220901T0400.nc"]
    assert runs.run(comm, path, folder, resume=True)
    assert runs.differing(whole, folder) == []


def flip_bit(path):
    """Flips one bit in the middle of a file."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))


def rename_attribute(path, old, new):
    """Renames an attribute of a file to a name of equal length, and updates the checksums."""
    path.write_bytes(path.read_bytes().replace(old, new))
    write_checksums(str(path))


@pytest.mark.mpi
def test_a_damaged_restart_is_passed_over(comm, path, whole, folder, capfd):
    """A restart file with a wrong checksum is reported, and the run resumes from the one before."""
    foreground = "io.background=false"
    assert not runs.run(comm, path, folder, EVERY_HOUR, foreground, stop=runs.KilledAfter(9))
    runs.on_root(comm, lambda: flip_bit(require_restart_files(folder)[0]))
    capfd.readouterr()
    assert runs.run(comm, path, folder, EVERY_HOUR, resume=True)
    printed = comm.bcast(capfd.readouterr().out, root=0)
    assert "warning: restart_20220901T0400.nc cannot be used: " in printed
    assert "the checksum of action is wrong" in printed
    assert "Resuming from restart_20220901T0300.nc, 2022-09-01 03:00:00 UTC." in printed
    assert runs.differing(whole, folder) == []


@pytest.mark.mpi
def test_a_damaged_part_takes_the_restart_before_it(comm, path, whole, folder, capfd):
    """If an unfinished segment is damaged, the run resumes from a restart file older than the segment."""
    # Restart files are at 02:30 and 04:00; the second segment begins with the record of 03:00.
    changes = ("restart.interval=9000", "restart.keep=3")
    assert not runs.run(comm, path, folder, *changes, stop=runs.StopAfter(8))
    runs.on_root(comm, lambda: flip_bit(folder / f"{case.SEGMENTS[1]}.part"))
    assert runs.run(comm, path, folder, *changes, resume=True)
    assert "is damaged: " in comm.bcast(capfd.readouterr().out, root=0)
    assert runs.differing(whole, folder) == []


@pytest.mark.mpi
def test_nothing_left_to_go_on_from(comm, path, folder):
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(2))
    runs.on_root(comm, lambda: flip_bit(require_restart_files(folder)[0]))
    with pytest.raises(
        InputError, match=r"None of the 1 restart files .* Start the run again with --overwrite"
    ):
        runs.run(comm, path, folder, resume=True)
    runs.on_root(comm, lambda: require_restart_files(folder)[0].unlink())
    with pytest.raises(InputError, match=r"has no restart file, so the run cannot be resumed"):
        runs.run(comm, path, folder, resume=True)


@pytest.mark.mpi
def test_another_run_is_refused(comm, path, folder):
    """A run with other options cannot resume; the error lists each option with both values."""
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(2))
    with pytest.raises(ConfigError) as caught:
        runs.run(comm, path, folder, "physics.friction=0.05", "time.source_step=900", resume=True)
    text = str(caught.value)
    assert (
        "restart_20220901T0100.nc belongs to another run: physics.friction = 0.05 instead of 0.038;" in text
    )
    assert "time.source_step = 900.0 instead of 1800.0" in text


@pytest.mark.mpi
def test_what_is_refused_leaves_all_as_it_was(comm, path, folder):
    """A refused resumption changes no file of the output folder."""
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(4))
    runs.on_root(comm, lambda: flip_bit(folder / f"{case.SEGMENTS[0]}.part"))
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert before["stations.csv"].count(b"\n") > 3
    comm.barrier()
    for changes, error in ((["physics.friction=0.05"], ConfigError), ([], InputError)):
        with pytest.raises(error):
            runs.run(comm, path, folder, *changes, resume=True)
        comm.barrier()
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
        comm.barrier()


@pytest.mark.mpi
def test_older_restarts_stay_until_a_new_one_is_whole(comm, path, folder):
    """Restart files are only deleted after a newer one is complete."""
    assert not runs.run(comm, path, folder, EVERY_HOUR, stop=runs.StopAfter(5))
    runs.on_root(comm, lambda: (folder / "restart_20220901T0245.nc.part").touch())
    assert not runs.run(comm, path, folder, EVERY_HOUR, resume=True, stop=runs.KilledAfter(1))
    assert len(runs.restarts(folder)) >= 3
    assert not runs.run(comm, path, folder, "restart.keep=1", resume=True, stop=runs.StopAfter(1))
    assert runs.restarts(folder) == ["restart_20220901T0300.nc"]


@pytest.mark.mpi
def test_a_new_run_forgets_the_restarts_of_another_but_not_a_user_s_files(comm, path, folder):
    """A new run in a used folder deletes restart files, but not files with similar names."""
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(6))
    kept = ["restart_20220901T0300.nc.bak", "restart_mine.nc"]
    runs.on_root(comm, lambda: [(folder / name).touch() for name in [*kept, "restart_20220901T0245.nc.part"]])
    assert not runs.run(comm, path, folder, "io.background=false", stop=runs.KilledAfter(1))
    assert runs.restarts(folder) == ["restart_20220901T0000.nc", *kept]


@pytest.mark.mpi
@pytest.mark.parametrize("compression", [0, 4])
def test_a_whole_segment_of_another_run_is_not_mixed_in(comm, path, folder, compression):
    """A run does not resume if a complete segment was replaced by one of another run."""
    change = f"output.compression={compression}"
    assert not runs.run(comm, path, folder, change, stop=runs.StopAfter(8))
    other = folder.with_name(f"{folder.name}_other")
    assert not runs.run(comm, path, other, change, "initial.fetch=50000", stop=runs.StopAfter(8))
    runs.on_root(comm, lambda: shutil.copy(other / case.SEGMENTS[0], folder / case.SEGMENTS[0]))
    with pytest.raises(InputError, match="None of the 1 restart files"):
        runs.run(comm, path, folder, change, resume=True)


@pytest.mark.mpi
def test_a_whole_segment_that_was_moved_away_is_left_out(comm, path, whole, folder, capfd):
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(8))
    runs.on_root(comm, lambda: (folder / case.SEGMENTS[0]).rename(folder / "archived.nc"))
    capfd.readouterr()
    assert runs.run(comm, path, folder, resume=True)
    warning = f"warning: {case.SEGMENTS[0]} is missing in {folder} and is omitted from run.json."
    assert warning in comm.bcast(capfd.readouterr().out, root=0)
    assert case.differing(whole / case.SEGMENTS[1], folder / case.SEGMENTS[1]) == []
    assert os.path.basename(runs.status(folder)["files"][0]) == case.SEGMENTS[1]


@pytest.mark.mpi
def test_the_wave_stress_is_kept(comm, path, common_folder, folder):
    """A run with wave-dependent drag resumes with the bits of the whole run. A restart file without the wave
    stress is refused."""
    changes = ("physics.set=fvwam", "restart.interval=none")
    whole = common_folder / "whole_fvwam"
    assert runs.run(comm, path, whole, *changes)
    assert not runs.run(comm, path, folder, *changes, stop=runs.StopAfter(3))
    assert runs.run(comm, path, folder, *changes, resume=True)
    assert runs.differing(whole, folder) == []
    kept = folder.with_name("kept")
    assert not runs.run(comm, path, kept, *changes, stop=runs.StopAfter(2))
    restart = kept / "restart_20220901T0100.nc"
    runs.on_root(comm, lambda: rename_attribute(restart, b"wave_stress", b"WAVE_STRESS"))
    with pytest.raises(ConfigError, match=r"without wave_stress, which Halcyon .* keeps from step to step"):
        runs.run(comm, path, kept, *changes, resume=True)


@pytest.mark.mpi
def test_a_restart_of_another_layout_is_refused_in_words(comm, path, folder):
    """A restart file of another layout is refused with advice; a file without the attributes of a restart
    file is not used."""
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(2))
    restart = folder / "restart_20220901T0100.nc"
    runs.on_root(comm, lambda: rename_attribute(restart, b"halcyon_layout", b"halcyon_strata"))
    with pytest.raises(ConfigError) as caught:
        runs.run(comm, path, folder, resume=True)
    text = str(caught.value)
    assert "restart_20220901T0100.nc was written by Halcyon" in text
    assert "Its layout (without a number) is incompatible with Halcyon" in text
    assert "Resume with the version that wrote it, or start the run again without this file." in text
    runs.on_root(comm, lambda: rename_attribute(restart, b"halcyon_state", b"halcyon_whole"))
    with pytest.raises(InputError, match="None of the 1 restart files"):
        runs.run(comm, path, folder, resume=True)


def test_a_restart_without_checksums_is_refused(tmp_path):
    """Damage of it would not be noticed."""
    path = tmp_path / "restart_20220901T0130.nc"
    shutil.copy(DATA / "wave" / path.name, path)
    _require_checksums(path)
    with mpas_files.editing(path):
        pass
    with pytest.raises(InputError, match=r"restart_.*\.nc has checksums of 0 of its 2 variables"):
        _require_checksums(path)

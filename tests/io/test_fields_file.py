"""Fields files do not depend on the number of ranks, and are written atomically."""

import os
from dataclasses import replace

import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
from halcyon import wave
from halcyon.base import InputError, InternalError, RunError
from halcyon.io import FieldsFile, IoOptions, io_ranks
from halcyon.io.attributes import Origin
from halcyon.io.fields_file import OwnedMesh
from tests.run import case
from tests.support import sea_states

START = np.datetime64("2022-09-01T00:00:00").item()
VARIABLES = ("significant_height", "mean_direction")


@pytest.fixture(scope="module")
def mesh():
    return sea_states.bay()


@pytest.fixture
def folder(comm, tmp_path_factory):
    """A folder that all ranks share."""
    return comm.bcast(tmp_path_factory.mktemp("fields") if comm.rank == 0 else None, root=0)


def owned(mesh, comm):
    """This rank's part of the mesh, with its cells shuffled."""
    part = OwnedMesh.of(sea_states.local_mesh(mesh, comm))
    cells = np.random.default_rng(comm.rank).permutation(len(part.cells))
    per_cell = ("cells", "cell_longitude", "cell_latitude", "face_nodes", "fixed")
    return replace(part, **{name: getattr(part, name)[cells] for name in per_cell})


def new_file(comm, path, part, n_records=20, options=None, progress=None):
    """Collective. Begins a fields file, or continues it from a `progress`."""
    table = {variable.name: variable for variable in wave.wave_variables()}
    variables = [table[name] for name in VARIABLES]
    return FieldsFile(
        io_ranks(sea_states.core_comm(comm), options or IoOptions(background=False), n_bytes=0),
        path,
        part,
        variables,
        table["depth"],
        start=START,
        origin=Origin("a test", "0", "none"),
        n_records=n_records,
        progress=progress,
    )


def values_of(part, hour):
    """Values that depend on the global cell and the hour; every seventh direction is missing."""
    values = {name: np.sin(part.cells + hour).astype(np.float32) for name in VARIABLES}
    values["mean_direction"][part.cells % 7 == 0] = np.nan
    return values


def written(comm, path, mesh):
    """Collective. Writes a file of three records and returns its path."""
    part = owned(mesh, comm)
    file = new_file(comm, path, part)
    for hour in range(3):
        file.write(hour, values_of(part, hour))
    file.close()
    return path


@pytest.mark.mpi
def test_all_ranks_write_what_one_writes(comm, folder, mesh):
    """The file of all ranks has the variables and bits of the file of one rank."""
    together = written(comm, folder / "together.nc", mesh)
    if comm.rank == 0:
        alone = written(MPI.COMM_SELF, folder / "alone.nc", mesh)
        assert case.differing(together, alone) == []
        assert (
            set(VARIABLES) | {"lon", "lat", "face_nodes", "depth", "time"} < case.variables_of(alone).keys()
        )


@pytest.mark.mpi
def test_a_file_keeps_its_old_self_until_it_is_whole(comm, folder, mesh):
    """An older file of the same name is replaced only when the new file is complete."""
    path, part = folder / "fields.nc", owned(mesh, comm)
    if comm.rank == 0:
        path.write_text("an older run")
    comm.Barrier()
    file = new_file(comm, path, part)
    file.write(0, {name: np.zeros(len(part.cells)) for name in VARIABLES})
    comm.Barrier()
    assert path.read_text() == "an older run"
    assert (folder / "fields.nc.part").exists()
    comm.Barrier()
    file.close()
    comm.Barrier()
    assert [file.name for file in folder.iterdir()] == ["fields.nc"]
    halcyon.mesh.require_complete(str(path))


@pytest.mark.mpi
def test_a_target_that_cannot_be_written_fails_on_all_ranks(comm, folder, mesh):
    with pytest.raises(RunError, match=r"nowhere/fields\.nc: cannot create it: [\w ]+\.$"):
        new_file(comm, folder / "nowhere/fields.nc", owned(mesh, comm))


@pytest.mark.mpi
def test_a_name_that_is_taken_fails_on_all_ranks(comm, folder, mesh):
    """A folder with the final name raises an error on all ranks, which names the file with the data."""
    if comm.rank == 0:
        (folder / "fields.nc/inside").mkdir(parents=True)
    comm.Barrier()
    file = new_file(comm, folder / "fields.nc", owned(mesh, comm))
    with pytest.raises(RunError, match=r"Cannot rename .*What was written before is in .*\.part"):
        file.close()


@pytest.mark.mpi
def test_a_file_that_lost_its_end_does_not_get_its_name(comm, folder, mesh):
    part = owned(mesh, comm)
    file = new_file(comm, folder / "fields.nc", part)
    for hour in range(20):
        file.write(hour, {name: np.ones(len(part.cells)) for name in VARIABLES})
    comm.Barrier()
    if comm.rank == 0:
        os.truncate(folder / "fields.nc.part", 9000)
    comm.Barrier()
    with pytest.raises(RunError, match=r"fields\.nc: .*only 9000 of its ") as caught:
        file.close()
    assert ".." not in str(caught.value)
    assert not (folder / "fields.nc").exists()


@pytest.mark.mpi
def test_values_that_do_not_fit_fail_on_all_ranks(comm, folder, mesh):
    part = owned(mesh, comm)
    file = new_file(comm, folder / "fields.nc", part)
    too_many = len(part.cells) + (comm.rank == comm.size - 1)
    with pytest.raises(InternalError, match=r"significant_height needs \d+ numbers"):
        file.write(0, {name: np.zeros(too_many) for name in VARIABLES})


@pytest.mark.mpi
def test_a_writer_may_be_given_up_by_one_rank(comm, folder, mesh):
    """A rank that fails alone can delete its writer without waiting for the other ranks."""
    file = new_file(comm, folder / "fields.nc", owned(mesh, comm))
    if comm.rank == 0:
        del file
    comm.Barrier()


@pytest.mark.mpi
def test_an_interrupted_file_is_continued(comm, folder, mesh):
    """A file is continued from a `sync`; later records are ignored, and the bits are those of an
    uninterrupted file."""
    part = owned(mesh, comm)
    file = new_file(comm, folder / "fields.nc", part, 3)
    file.write(0, values_of(part, 0))
    progress = file.sync()
    file.write(1, values_of(part, 17))
    del file
    comm.Barrier()
    again = new_file(comm, folder / "fields.nc", part, 3, progress=progress)
    for hour in (1, 2):
        again.write(hour, values_of(part, hour))
    again.close()
    if comm.rank == 0:
        whole = written(MPI.COMM_SELF, folder / "whole.nc", mesh)
        assert case.differing(folder / "fields.nc", whole) == []
    comm.Barrier()


@pytest.mark.mpi
def test_a_damaged_part_is_not_continued(comm, folder, mesh):
    """A flipped bit in the part that was written before is found when the file is continued."""
    part = owned(mesh, comm)
    file = new_file(comm, folder / "fields.nc", part, 3)
    file.write(0, values_of(part, 0))
    progress = file.sync()
    del file
    comm.Barrier()
    if comm.rank == 0:
        with open(folder / "fields.nc.part", "r+b") as damaged:
            damaged.seek(-100, os.SEEK_END)
            byte = damaged.read(1)
            damaged.seek(-100, os.SEEK_END)
            damaged.write(bytes([byte[0] ^ 1]))
    comm.Barrier()
    with pytest.raises(InputError, match=r"is damaged: "):
        new_file(comm, folder / "fields.nc", part, 3, progress=progress)

"""Reading and writing by global id: every layout gives the same bytes, and errors are raised on all ranks."""

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError, InternalError, RunError
from halcyon.io import IoOptions, Placement, Reader, Schema, Type, Writer, io_ranks, verify
from tests.support import sea_states

N_CELLS, N_LEVELS, N_RECORDS = 501, 3, 2
OPTIONS = (  # of `IoOptions`; small pieces and few requests, so that a write takes several
    {"layout": "direct"},
    {"layout": "direct", "most_requests": 3},
    {"layout": "groups", "group_size": 2},
    {"layout": "groups", "group_size": 3, "piece": 400, "most_requests": 5},
    {"layout": "box", "ranks": 2},
    {"layout": "box", "ranks": 3, "piece": 400},
    {"layout": "gather", "hints": {"romio_cb_write": "disable"}},
    {"layout": "auto"},
    {"layout": "box", "ranks": 2, "background": True, "piece": 400, "buffer": 1000},
)


def ranks_of(comm, n_bytes=0, **options):
    return io_ranks(
        sea_states.core_comm(comm), IoOptions(**{"background": False, **options}), n_bytes=n_bytes
    )


def owned(comm, n=N_CELLS):
    """The ids of this rank, in random order; the ranks partition all ids at random."""
    owners = np.random.default_rng(7).integers(0, comm.size, n)
    return np.random.default_rng(comm.rank).permutation(np.flatnonzero(owners == comm.rank))


def schema():
    """A schema of variables with 0 to 3 dimensions, with and without records."""
    found = Schema()
    for name, size in (("time", 0), ("cell", N_CELLS), ("level", N_LEVELS)):
        found.dimension(name, size)
    found.variable("time", Type.float64, ["time"])
    found.variable("heat", Type.float32, ["time", "cell", "level"])
    found.variable("count", Type.int32, ["time", "cell"])
    found.variable("area", Type.float64, ["cell"])
    found.variable("scalar", Type.int32, [])
    found.attribute("heat", "units", "K")
    found.attribute("heat", "factor", 2.5, Type.float32)
    return found


def heat(ids, record):
    """Values (cell, level) that are unique for each record, id and level."""
    return (1000.0 * record + ids[:, None] + np.arange(N_LEVELS) / 8).astype(np.float32)


def write(comm, path, **options):
    """Collective. Writes a complete file."""
    ranks, ids = ranks_of(comm, **options), owned(comm)
    on_cells = Placement(ranks, ids, N_CELLS)
    writer = Writer(ranks, str(path), schema(), N_RECORDS)
    writer.write_root(-1, [("scalar", np.array([42], np.int32))])
    writer.write(-1, on_cells, [("area", ids / 3)])
    for record in range(N_RECORDS):
        writer.write_root(record, [("time", np.array([6.0 * record]))])
        fields = [("heat", heat(ids, record)), ("count", (ids + record).astype(np.int32))]
        writer.write(record, on_cells, fields)
    writer.close()
    writer.wait()


@pytest.fixture
def folder(comm, tmp_path_factory):
    """A folder that all ranks share."""
    return comm.bcast(tmp_path_factory.mktemp("layouts") if comm.rank == 0 else None, root=0)


@pytest.mark.mpi
def test_every_layout_writes_the_same_bytes(comm, folder):
    from mpi4py import MPI

    for i, options in enumerate(OPTIONS):
        write(comm, folder / f"{i}.nc", **options)
    if comm.rank == 0:
        write(MPI.COMM_SELF, folder / "alone.nc")
        alone = (folder / "alone.nc").read_bytes()
        assert all((folder / f"{i}.nc").read_bytes() == alone for i in range(len(OPTIONS)))


@pytest.mark.mpi
def test_every_layout_reads_owned_cells_and_halos(comm, folder):
    write(comm, folder / "x.nc")
    ids = np.unique(np.concatenate([owned(comm), np.arange(0, N_CELLS, 9)]))[::-1].copy()
    for options in OPTIONS:
        ranks = ranks_of(comm, **options)
        reader, on_cells = Reader(ranks, str(folder / "x.nc")), Placement(ranks, ids, N_CELLS)
        found, count = np.empty((len(ids), N_LEVELS), np.float32), np.empty(len(ids), np.int32)
        area, time, scalar = np.empty(len(ids)), np.empty(1), np.empty(1, np.int32)
        reader.read(1, on_cells, [("heat", found), ("count", count)])
        reader.read(-1, on_cells, [("area", area)])
        reader.read_all(1, [("time", time)])
        reader.read_all(-1, [("scalar", scalar)])
        reader.close()
        assert np.array_equal(found, heat(ids, 1)) and np.array_equal(count, ids + 1)
        assert np.array_equal(area, ids / 3) and (time[0], scalar[0]) == (6.0, 42)
        assert (reader.n_records, reader.text("heat", "units")) == (N_RECORDS, "K")


@pytest.mark.mpi
def test_other_tools_read_it_and_every_variable_has_a_checksum(comm, folder):
    """netCDF4 reads the values written, and `verify` checks all five variables and the header."""
    from netCDF4 import Dataset

    write(comm, folder / "x.nc")
    with Dataset(folder / "x.nc") as file:
        assert np.array_equal(file["heat"][1], heat(np.arange(N_CELLS), 1))
        assert file["heat"].factor == 2.5
    found = verify(str(folder / "x.nc"))
    assert (found.format, found.n_variables, found.n_checked, found.header_checked) == ("CDF-2", 5, 5, True)


@pytest.mark.mpi
def test_which_ranks_touch_a_file(comm):
    """The number of ranks that access a file follows from the layout, its options and the file size."""
    n, mib = comm.size, 2**20
    assert ranks_of(comm, layout="groups", group_size=2).n_io == (n + 1) // 2
    assert ranks_of(comm, layout="direct").n_io == n
    assert ranks_of(comm, layout="box", ranks=99).n_io == n
    assert ranks_of(comm, n_bytes=mib).layout == "gather"
    assert ranks_of(comm, n_bytes=10**6 * mib).n_io == n
    assert ranks_of(comm, n_bytes=10**6 * mib, most_ranks=2).n_io == min(n, 2)
    description = ranks_of(comm, layout="box", ranks=2).description
    assert description.startswith(f"box: {min(n, 2)} of {n} rank")


@pytest.mark.mpi
def test_a_cap_that_a_layout_exceeds_is_a_mistake(comm):
    """The layout `direct`, in which all ranks access the file, is refused where io.most_ranks is less."""
    if comm.size > 1:
        with pytest.raises(
            ConfigError, match=rf"direct, {comm.size} ranks write a file, but io.most_ranks is 1"
        ):
            ranks_of(comm, layout="direct", most_ranks=1)


@pytest.mark.parametrize(
    "option, text",
    [
        ({"layout": "boxes"}, "io.layout is 'boxes', but must be one of auto, direct, groups"),
        ({"ranks": -1}, "io.ranks is -1"),
        ({"group_size": 0}, "io.group_size is 0, but must be at least 1"),
        ({"most_ranks": 0}, "io.most_ranks is 0"),
        ({"most_requests": 0}, "io.most_requests is 0"),
    ],
)
def test_options_that_cannot_be(option, text):
    from mpi4py import MPI

    with pytest.raises(ConfigError, match=text):
        ranks_of(MPI.COMM_SELF, **option)


@pytest.mark.mpi
def test_items_that_are_not_those_of_the_file(comm, folder):
    """A placement in which an id is repeated or missing is refused when values are written."""
    ranks, ids = ranks_of(comm), owned(comm)
    twice = np.concatenate([ids, [0]]) if comm.rank == 0 else ids
    short = ids[:-1] if comm.rank == 0 else ids
    # one id missing and another repeated: the number of ids is right
    swapped = np.concatenate([ids[:-1], ids[:1]]) if comm.rank == 0 else ids
    for wrong in (twice, short, swapped):
        on_cells = Placement(ranks, wrong.astype(np.int64), N_CELLS)
        assert not on_cells.is_partition
        writer = Writer(ranks, str(folder / "x.nc"), schema(), 0)
        with pytest.raises(InternalError, match=r"do not write each item of .* exactly once|Another rank"):
            writer.write(-1, on_cells, [("area", wrong / 3)])
        del writer
        comm.Barrier()
    with pytest.raises(InternalError, match="501"):
        Placement(ranks, np.array([N_CELLS] if comm.rank == 0 else [], np.int64), N_CELLS)


@pytest.mark.mpi
def test_a_file_lacks_nothing_when_it_gets_its_name(comm, folder):
    """A file with a variable that was not written, or with a record left out, is not renamed to its final
    name."""
    ranks, ids = ranks_of(comm), owned(comm)
    writer = Writer(ranks, str(folder / "x.nc"), schema(), 1)
    writer.write(-1, Placement(ranks, ids, N_CELLS), [("area", ids / 3)])
    with pytest.raises(InternalError, match="scalar was not written as often"):
        writer.close()
    with pytest.raises(InternalError, match=r"the next record of time must be 0, not 1"):
        writer.write_root(1, [("time", np.zeros(1))])
    assert not (folder / "x.nc").exists()


@pytest.mark.mpi
def test_an_error_in_the_background_comes_up_on_all_ranks(comm, folder):
    """A background write whose final name is taken by a folder raises its error on all ranks."""
    ranks, ids = ranks_of(comm, layout="box", ranks=2, background=True), owned(comm)
    on_cells = Placement(ranks, ids, N_CELLS)
    writer = Writer(ranks, str(folder / "x.nc"), schema(), N_RECORDS)
    writer.write_root(-1, [("scalar", np.array([42], np.int32))])
    writer.write(-1, on_cells, [("area", ids / 3)])
    for record in range(N_RECORDS):
        writer.write_root(record, [("time", np.zeros(1))])
        writer.write(record, on_cells, [("heat", heat(ids, 0)), ("count", ids.astype(np.int32))])
    if comm.rank == 0:
        (folder / "x.nc/inside").mkdir(parents=True)
    comm.Barrier()
    with pytest.raises(RunError, match=r"x\.nc: Cannot rename .*is in .*x\.nc\.part"):
        writer.close()
        writer.wait()


@pytest.mark.mpi
def test_a_sync_in_the_background_waits_for_the_disk(comm, folder):
    """The returned progress is valid immediately: another process could read the file."""
    from netCDF4 import Dataset

    ranks, ids = ranks_of(comm, layout="box", ranks=2, background=True), owned(comm)
    on_cells = Placement(ranks, ids, N_CELLS)
    writer = Writer(ranks, str(folder / "x.nc"), schema(), N_RECORDS)
    writer.write_root(-1, [("scalar", np.array([42], np.int32))])
    writer.write(-1, on_cells, [("area", ids / 3)])
    writer.write_root(0, [("time", np.zeros(1))])
    writer.write(0, on_cells, [("heat", heat(ids, 0)), ("count", ids.astype(np.int32))])
    assert writer.sync().n_records == 1
    if comm.rank == 0:
        with Dataset(folder / "x.nc.part") as file:
            assert np.array_equal(file["heat"][0], heat(np.arange(N_CELLS), 0))
    comm.Barrier()


@pytest.mark.mpi
def test_a_file_is_written_by_one_at_a_time(comm, folder):
    """A second writer of the same file is refused."""
    ranks = ranks_of(comm)
    writer = Writer(ranks, str(folder / "x.nc"), schema(), N_RECORDS)
    writer.write_root(-1, [("scalar", np.array([42], np.int32))])
    with pytest.raises((RunError, InternalError), match=r"is being written by another process|Another rank"):
        Writer(ranks, str(folder / "x.nc"), schema(), N_RECORDS)


@pytest.mark.mpi
def test_what_does_not_fit_is_not_begun(comm, folder):
    """A file larger than the free space is refused before anything is written."""
    wide = Schema()
    wide.dimension("cell", 10**12)
    wide.dimension("level", 100)
    wide.variable("heat", Type.float64, ["cell", "level"])
    with pytest.raises((RunError, InternalError), match=r"needs 8000000\d+ bytes, but|Another rank"):
        Writer(ranks_of(comm), str(folder / "x.nc"), wide, 0)
    assert list(folder.iterdir()) == []


@pytest.mark.mpi
def test_what_cannot_be_read(comm, folder):
    """Missing files, variables, records and attributes, and other placements, are refused with texts that
    name them."""
    ranks = ranks_of(comm)
    with pytest.raises((InputError, InternalError), match=r"Cannot open .*no\.nc|Another rank"):
        Reader(ranks, str(folder / "no.nc"))
    if comm.rank == 0:
        (folder / "text.nc").write_text("no netCDF")
    comm.Barrier()
    with pytest.raises((InputError, InternalError), match=r"is not a classic netCDF file|Another rank"):
        Reader(ranks, str(folder / "text.nc"))
    write(comm, folder / "x.nc")
    reader = Reader(ranks, str(folder / "x.nc"))
    on_cells = Placement(ranks, owned(comm), N_CELLS)
    mine = np.empty(len(owned(comm)))
    with pytest.raises(InputError, match=r"x\.nc has no numeric variable cold"):
        reader.read(-1, on_cells, [("cold", mine)])
    with pytest.raises(InputError, match="has 2 records of count: record 2 is not one"):
        reader.read(2, on_cells, [("count", mine.astype(np.int32))])
    with pytest.raises(InputError, match="heat does not lie on 400 items"):
        few = np.arange(400, dtype=np.int64) if comm.rank == 0 else np.empty(0, np.int64)
        reader.read(0, Placement(ranks, few, 400), [("heat", np.empty((len(few), 3), np.float32))])
    with pytest.raises(InputError, match="has no text attribute heat:colour"):
        reader.text("heat", "colour")


@pytest.mark.mpi
def test_a_closed_file_takes_and_gives_nothing_more(comm, folder):
    """A closed writer or reader may be closed again; any other call is refused."""
    for background in (False, True):
        ranks, path = ranks_of(comm, background=background), str(folder / f"{background}.nc")
        area_only = Schema()
        area_only.dimension("cell", N_CELLS)
        area_only.variable("area", Type.float64, ["cell"])
        on_cells, area = Placement(ranks, owned(comm), N_CELLS), owned(comm) / 3
        writer, other = Writer(ranks, path, area_only, 0), Writer(ranks, path + ".other", area_only, 0)
        writer.write(-1, on_cells, [("area", area)])
        for _ in range(2):  # once is enough
            writer.close()
            writer.wait()
        for call, arguments in (
            (writer.sync, ()),
            (writer.sync_in_background, ()),
            (writer.write_root, (-1, [])),
        ):
            with pytest.raises(InternalError, match=r"e\.nc is closed: nothing more can be written to it"):
                call(*arguments)
        writer.wait()
        other.write(-1, on_cells, [("area", area)])  # other files stay open
        other.close()
        other.wait()
        reader = Reader(ranks, path)
        reader.close()
        reader.close()
        with pytest.raises(InternalError, match=r"e\.nc is closed\."):
            reader.read(-1, on_cells, [("area", np.empty(len(area)))])


@pytest.mark.mpi
def test_an_array_that_cannot_be_filled_is_refused_on_all_ranks(comm, folder):
    write(comm, folder / "x.nc")
    ranks, n = ranks_of(comm), len(owned(comm))
    reader, on_cells = Reader(ranks, str(folder / "x.nc")), Placement(ranks, owned(comm), N_CELLS)
    with pytest.raises(
        InternalError, match=r"area cannot be read into an array that is not contig|Another rank"
    ):
        reader.read(-1, on_cells, [("area", np.empty(2 * n)[::2] if comm.rank == 0 else np.empty(n))])
    heats = np.asfortranarray(np.empty((n, N_LEVELS), np.float32))
    with pytest.raises(InternalError, match="heat cannot be read into an array that is not contiguous"):
        reader.read(0, on_cells, [("heat", heats)])
    reader.close()


@pytest.mark.mpi
def test_arrays_that_are_only_read_may_be_read_only_and_strided(comm, folder):
    ranks, ids = ranks_of(comm), owned(comm)
    area_only = Schema()
    area_only.dimension("cell", N_CELLS)
    area_only.variable("area", Type.float64, ["cell"])
    area = np.repeat(ids / 3, 2)[::2]
    area.flags.writeable = False
    on_cells = Placement(ranks, ids, N_CELLS)
    writer = Writer(ranks, str(folder / "x.nc"), area_only, 0)
    writer.write(-1, on_cells, [("area", area)])
    writer.close()
    writer.wait()
    reader, found = Reader(ranks, str(folder / "x.nc")), np.empty(len(ids))
    reader.read(-1, on_cells, [("area", found)])
    assert np.array_equal(found, ids / 3)
    reader.close()

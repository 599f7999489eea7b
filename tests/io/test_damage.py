"""Truncated files and files with flipped bits are detected, or read unchanged."""

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.base import ConfigError, InputError
from halcyon.io import verify
from tests.io.damage import check_cuts, check_flips, contents, is_found


def written(path, **options):
    """Writes a file with records, several types, and odd sizes that need padding."""
    from mpi4py import MPI

    from halcyon.io import IoOptions, Placement, Schema, Type, Writer, io_ranks
    from tests.support import sea_states

    schema = Schema()
    for name, size in (("time", 0), ("cell", 37)):
        schema.dimension(name, size)
    schema.variable("time", Type.float64, ["time"])
    schema.variable("heat", Type.float32, ["time", "cell"])
    schema.variable("area", Type.float64, ["cell"])
    schema.attribute("heat", "units", "K")
    ranks = io_ranks(sea_states.core_comm(MPI.COMM_SELF), IoOptions(), n_bytes=0)
    on_cells = Placement(ranks, np.arange(37), 37)
    writer = Writer(ranks, str(path), schema, 2, **options)
    writer.write(-1, on_cells, [("area", np.linspace(1, 2, 37))])
    for record in range(2):
        writer.write_root(record, [("time", np.array([record / 3]))])
        writer.write(record, on_cells, [("heat", np.linspace(3, 4, 37, dtype=np.float32) + record)])
    writer.close()
    writer.wait()
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return written(tmp_path_factory.mktemp("damage") / "whole.nc")


@pytest.fixture(scope="module")
def compressed(tmp_path_factory):
    return written(tmp_path_factory.mktemp("damage") / "compressed.nc", compression=4)


@pytest.fixture(params=["whole", "compressed"])
def file(request):
    return request.getfixturevalue(request.param)


def test_a_whole_file_is_whole(file, whole):
    """`verify` finds no damage in an undamaged file; the compressed file has the same contents."""
    assert not is_found(file)
    assert contents(file) == contents(whole)


def test_every_cut_is_found(file, tmp_path):
    check_cuts(file, tmp_path / "cut.nc", 300)


def test_every_bit_turned_over_is_found_or_harmless(file, tmp_path):
    assert check_flips(file, tmp_path / "flipped.nc", 500) > 350  # the others are in padding


def test_what_is_no_netcdf_file_is_said(tmp_path):
    """Empty files, and files without a netCDF signature, are refused."""
    other = tmp_path / "other.nc"
    for text in (b"", b"CD", b"CDF\x07\0\0\0\0", b"\x89HD"):
        other.write_bytes(text)
        with pytest.raises(InputError, match=r"other\.nc is not a netCDF file"):
            verify(str(other))


def test_a_file_that_others_made_has_no_checksums(tmp_path):
    """Files that netCDF4 wrote have no checksums: only truncation is detected."""
    path = tmp_path / "foreign.nc"
    with Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 3)
        file.createVariable("a", "i2", ("x",))[:] = [1, 2, 3]
    found = verify(str(path))
    assert (found.format, found.n_variables, found.n_checked, found.header_checked) == ("CDF-1", 1, 0, False)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match="was cut short"):
        verify(str(path))
    with Dataset(path, "w") as file:
        file.createDimension("x", 300)
        file.createVariable("a", "f8", ("x",))[:] = range(300)
    assert verify(str(path)).format == "netCDF-4" and not verify(str(path)).header_checked
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match="was cut short"):
        verify(str(path))


def test_a_compression_that_cannot_be(tmp_path):
    with pytest.raises(ConfigError, match="The compression is 10, but must be"):
        written(tmp_path / "x.nc", compression=10)


def test_a_compressed_file_leaves_no_part(compressed):
    """The temporary file of a compressed file is removed."""
    assert [file.name for file in compressed.parent.iterdir()] == ["compressed.nc"]

"""`halcyon verify` of intact and damaged files, and of files written by other software."""

import pytest
from typer.testing import CliRunner

import halcyon.io
import halcyon.mesh
from halcyon.base import InputError
from halcyon.cli.app import app
from tests.support import sea_states


@pytest.fixture
def checked(tmp_path):
    """A file with checksums."""
    import numpy as np

    ranks = halcyon.io.io_ranks(sea_states.core_comm(), n_bytes=0)
    schema = halcyon.io.Schema()
    schema.dimension("cell", 100)
    schema.variable("height", halcyon.io.Type.float32, ["cell"])
    writer = halcyon.io.Writer(ranks, str(tmp_path / "checked.nc"), schema, 0)
    writer.write_root(-1, [("height", np.arange(100, dtype=np.float32))])
    writer.close()
    writer.wait()
    return tmp_path / "checked.nc"


@pytest.fixture
def foreign(tmp_path):
    """A file written by another library."""
    from netCDF4 import Dataset

    with Dataset(tmp_path / "foreign.nc", "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("cell", 3)
        file.createVariable("height", "f4", ("cell",))[:] = 1
    return tmp_path / "foreign.nc"


def verify(*files):
    return CliRunner().invoke(app, ["verify", *map(str, files)])


def test_whole_files(checked, foreign):
    done = verify(checked, foreign)
    assert done.exit_code == 0
    first, second = done.output.splitlines()
    size = checked.stat().st_size
    assert first == f"{checked}: CDF-2, {size} B, header and 1 of 1 variables checked"
    assert second.endswith("no checksums: only header and size were checked")


def test_damaged_files_are_one_error(checked, foreign, tmp_path):
    bytes_of = bytearray(checked.read_bytes())
    bytes_of[-10] ^= 4
    checked.write_bytes(bytes_of)
    foreign.write_bytes(foreign.read_bytes()[:-4])
    done = verify(checked, tmp_path / "absent.nc", foreign)
    assert isinstance(done.exception, InputError)
    lines = str(done.exception).splitlines()
    assert lines[0].startswith(f"{checked} is damaged: the checksum of height is wrong.")
    assert "absent.nc" in lines[1]
    assert lines[2].startswith(f"{foreign} was cut short")
    assert done.output == ""

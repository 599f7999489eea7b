"""netCDF-4 files that make the HDF5 library run forever or crash are one error, and other files read on."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.base import ConfigError, InputError
from halcyon.mesh import netcdf_reader, read_mesh
from halcyon.mesh.cf_file import numbers, open_netcdf

STUBS = {  # programs in place of `netcdf_process`, and the error of the reader
    "forever": (
        "signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1]))\nwhile True: pass",
        "HALCYON_READ_LIMIT",
    ),
    "crash": ("os.kill(os.getpid(), signal.SIGSEGV)", "ended with signal 11"),
    "exit": ("sys.exit(4)", "ended with exit code 4"),
}


@pytest.fixture
def path(tmp_path):
    with Dataset(tmp_path / "x.nc", "w") as file:
        file.createDimension("n", 6)
        file.createVariable("x", "i2", ("n",), zlib=True)[:] = np.arange(6)
        file["x"].scale_factor = 0.5
    return tmp_path / "x.nc"


@pytest.fixture
def reader(monkeypatch):
    """A new reader, which is ended after the test."""
    new = netcdf_reader._Reader()
    monkeypatch.setattr(netcdf_reader, "_READER", new)
    yield new
    new.stop()


@pytest.mark.parametrize("stub", STUBS)
def test_a_library_that_does_not_return_is_one_error(path, reader, tmp_path, monkeypatch, stub):
    """The next file is read by a new process."""
    body, expected = STUBS[stub]
    program = tmp_path / "stub.py"
    program.write_text(f"import os, signal, sys, pickle\npickle.load(sys.stdin.buffer)\n{body}\n")
    with monkeypatch.context() as patched:
        patched.setattr(netcdf_reader, "_PROGRAM", program)
        patched.setenv(netcdf_reader.LIMIT, "0.2")
        with pytest.raises(InputError, match=expected) as error:
            open_netcdf(path)
    assert str(path) in str(error.value)
    with open_netcdf(path) as file:
        assert numbers(file["x"]).tolist() == [0, 0.5, 1, 1.5, 2, 2.5]


def test_the_limit_holds_inside_a_library(path):
    """The kernel ends the process of the program itself, as its handler of the limit is the default."""
    program = netcdf_reader._PROGRAM
    code = f"import runpy, signal, sys; sys.argv = ['x', '0.2']; p = runpy.run_path({str(program)!r})\n"
    code += "p['main'].__globals__['_read'] = lambda *_: sum(iter(int, 1))\np['main'](0.2)"
    started = subprocess.Popen(
        [sys.executable, "-P", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    import pickle

    started.communicate(pickle.dumps(("x", None, None)))
    assert started.returncode == -signal.SIGPROF


def test_an_idle_process_is_replaced(path, reader):
    with open_netcdf(path):
        idle = reader._process
    os.kill(idle.pid, signal.SIGALRM)  # as its own timer does
    idle.wait()
    with open_netcdf(path) as file:
        assert numbers(file["x"][1:3]).tolist() == [0.5, 1.0]
    assert reader._process.pid != idle.pid


def test_damaged_chunks_and_meshes_are_errors(path, reader):
    with Dataset(path) as file:
        offset = path.read_bytes().rfind(b"\x78")  # of the deflated chunk
    content = bytearray(path.read_bytes())
    for index in range(offset, min(offset + 12, len(content))):
        content[index] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"{path.name}"), open_netcdf(path) as file:
        numbers(file["x"])
    with pytest.raises(InputError, match=f"{path.name}"):
        read_mesh(path)


@pytest.mark.parametrize("text", ["abc", "0", "-1", "nan", "1e9"])
def test_an_invalid_limit(path, reader, monkeypatch, text):
    monkeypatch.setenv(netcdf_reader.LIMIT, text)
    with pytest.raises(ConfigError, match=f"HALCYON_READ_LIMIT is '{text}'"):
        open_netcdf(path)


@pytest.mark.parametrize("name", ["/dev/zero", "folder", "fifo", "none"])
def test_only_files_are_opened(tmp_path, name):
    path = tmp_path / name if name[0] != "/" else name
    if name == "folder":
        path.mkdir()
    if name == "fifo":
        os.mkfifo(path)
    for read in (open_netcdf, read_mesh):
        with pytest.raises(InputError, match=str(path)):
            read(path)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"units": np.array([1, 2])}, r"the attribute units of x is \[1, 2\], but must be a text"),
        ({"calendar": 3.5}, "the attribute calendar of x is"),
        ({"standard_name": ["a", "b"]}, "the attribute standard_name of x is"),
        ({"scale_factor": "x"}, "the attribute scale_factor of x is 'x', but must be a number"),
        ({"add_offset": np.array([1.0, 2.0])}, "the attribute add_offset of x is"),
    ],
)
def test_attributes_have_their_type(path, reader, attributes, expected):
    with Dataset(path, "a") as file:
        file["x"].setncatts(attributes)
    with pytest.raises(InputError, match=expected):
        open_netcdf(path)

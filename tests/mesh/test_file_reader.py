"""netCDF-4 files that make the HDF5 library run forever or crash are one error, and other files read on."""

import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.base import ConfigError, InputError
from halcyon.mesh import file_reader, read_mesh, reader_process
from halcyon.mesh.cf_file import numbers, open_netcdf

STUBS = {  # programs in place of `reader_process`, and the error of the reader
    "forever": (
        "signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1]))\nwhile True: pass",
        "compression or chunking.* HALCYON_READ_LIMIT",
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
    new = file_reader._Reader()
    monkeypatch.setattr(file_reader, "_READER", new)
    yield new
    new.stop()


@pytest.mark.parametrize("stub", STUBS)
def test_a_library_that_does_not_return_is_one_error(path, reader, tmp_path, monkeypatch, stub):
    """The next file is read by a new process."""
    body, expected = STUBS[stub]
    program = tmp_path / "stub.py"
    program.write_text(f"import os, signal, sys, pickle\npickle.load(sys.stdin.buffer)\n{body}\n")
    with monkeypatch.context() as patched:
        patched.setattr(file_reader, "_PROGRAM", program)
        patched.setenv(file_reader.LIMIT, "0.2")
        with pytest.raises(InputError, match=expected) as error:
            open_netcdf(path)
    assert str(path) in str(error.value)
    with open_netcdf(path) as file:
        assert numbers(file["x"]).tolist() == [0, 0.5, 1, 1.5, 2, 2.5]


def test_the_limit_holds_inside_a_library(path):
    """The kernel ends the process of the program itself, as its handler of the limit is the default."""
    program = file_reader._PROGRAM
    code = f"import runpy, signal, sys; sys.argv = ['x', '0.2']; p = runpy.run_path({str(program)!r})\n"
    code += "p['main'].__globals__['OPERATIONS']['check'] = lambda *_: sum(iter(int, 1))\np['main'](0.2)"
    started = subprocess.Popen(
        [sys.executable, "-P", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    import pickle

    started.communicate(pickle.dumps(("check", "x", False)))
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


def _changed_program(path, change):
    """Writes `reader_process` with a change of its globals p."""
    program = (
        f"import runpy, netCDF4\np = runpy.run_path({str(file_reader._PROGRAM)!r})['main'].__globals__\n"
    )
    path.write_text(f"{program}{change}\np['main'](60.0)\n")
    return path


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A function that returns the names of the files that the other process opened."""
    log = tmp_path / "opened.txt"
    log.touch()
    change = f"""
original = p['_opened']
def opened(path):
    with open({str(log)!r}, 'a') as log:
        print(path, file=log)
    return original(path)
p['_opened'] = opened"""
    monkeypatch.setattr(file_reader, "_PROGRAM", _changed_program(tmp_path / "counting.py", change))
    return lambda: [os.path.basename(line) for line in log.read_text().splitlines()]


def _all_of(path):
    with open_netcdf(path) as file:
        return numbers(file["x"]).tolist()


def test_a_file_is_checked_and_opened_once(path, reader, opened, tmp_path, monkeypatch):
    """So are a few files that are read in turn; more of them are opened again, but not checked."""
    asked = []
    ask = reader.ask
    monkeypatch.setattr(reader, "ask", lambda *request: (asked.append(request[0]), ask(*request))[1])
    others = [shutil.copy(path, tmp_path / f"{name}.nc") for name in "abcd"]
    for _ in range(3):
        assert _all_of(path) == _all_of(others[0]) == [0, 0.5, 1, 1.5, 2, 2.5]
    assert opened() == ["x.nc", "a.nc"]
    assert asked == ["check", "values", "check", "values", *4 * ["values"]]
    asked.clear()
    for other in [*others, path]:
        _all_of(other)
    assert opened() == ["x.nc", "a.nc", "b.nc", "c.nc", "d.nc", "x.nc"]
    assert asked.count("check") == 3


@pytest.mark.parametrize("how", ["in place", "replaced", "by another name"])
def test_a_changed_file_is_read_anew(path, reader, opened, tmp_path, how):
    """The process that keeps the file open locks no writer out."""
    _all_of(path)
    changed = path
    if how == "replaced":
        changed = shutil.copy(path, tmp_path / "new.nc")
    if how == "by another name":
        changed = tmp_path / "link.nc"
        changed.symlink_to(path)
    with Dataset(changed, "a") as file:
        file.createVariable("y", "f8", ("n",))[:] = 7
        file["x"][:] = np.full(6, 3.0)
    if how == "replaced":
        os.replace(changed, path)
    for name in {changed, path} if how == "by another name" else {path}:
        assert _all_of(name) == 6 * [3.0]
    assert len(opened()) == (3 if how == "by another name" else 2)


def test_chunks_of_a_record_stay_decompressed(tmp_path, reader):
    """The cache holds the chunks of one record, up to a limit; other caches stay as they are."""
    with Dataset(tmp_path / "y.nc", "w") as file:
        for name, size in {"t": 64, "y": 64, "x": 1024}.items():
            file.createDimension(name, size)
        for name, chunks in {"few": (64, 64, 1024), "many": (32, 1, 8), "one": (1, 64, 1024)}.items():
            file.createVariable(name, "f8", ("t", "y", "x"), zlib=True, chunksizes=chunks)
        file.createVariable("text", str, ("t",), chunksizes=(8,))
        file.createVariable("scalar", "f8")
    with Dataset(tmp_path / "y.nc") as file:
        before = {name: v.get_var_chunk_cache() for name, v in file.variables.items() if v.ndim}
        file["few"].set_var_chunk_cache(1 << 20)
        for variable in file.variables.values():
            reader_process._fit_cache(variable)
        after = {name: v.get_var_chunk_cache() for name, v in file.variables.items() if v.ndim}
    assert after["few"][0] == 64 * 64 * 1024 * 8
    assert after["many"][1] == 64 * 128
    assert {n: after[n] for n in ("one", "text")} == {n: before[n] for n in ("one", "text")}


def test_too_little_memory_is_no_damage(path, reader, tmp_path, monkeypatch):
    """Whether the values do not fit, or their copy on the way. The process reads on."""
    change = """
class Large:
    def __reduce__(self):
        raise MemoryError
def values(path, name, key):
    return Large() if key == 0 else bytearray(1 << 62) if key == 1 else "small"
p['OPERATIONS']['values'] = values"""
    monkeypatch.setattr(file_reader, "_PROGRAM", _changed_program(tmp_path / "large.py", change))
    for key in (0, 1):
        with pytest.raises(InputError, match="x cannot be read: its values need more memory") as error:
            reader.ask("values", str(path), "x", key)
        assert "damaged" not in str(error.value) and "Replace" not in str(error.value)
    process = reader._process
    assert reader.ask("values", str(path), "x", 2) == "small"
    assert reader._process is process


@pytest.mark.parametrize("text", ["abc", "0", "-1", "nan", "1e9"])
def test_an_invalid_limit(path, reader, monkeypatch, text):
    monkeypatch.setenv(file_reader.LIMIT, text)
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

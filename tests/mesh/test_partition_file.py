"""`graph.info.part.N`: written, read, and refused if it is not a partition of the mesh."""

import numpy as np
import pytest

import halcyon.mesh
from halcyon.base import InputError, RunError

PARTS = np.array([2, 0, 1, 1, 0, 2], np.int32)


def test_there_and_back(tmp_path):
    """A partition that is written and read stays the same; the file has one part per line."""
    path = tmp_path / "graph.info.part.3"
    halcyon.mesh.write_partition(path, PARTS)
    assert path.read_text() == "2\n0\n1\n1\n0\n2\n"
    assert np.array_equal(halcyon.mesh.read_partition(path, 6), PARTS)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "text", ["2\r\n0\r\n1\r\n1\r\n0\r\n2\r\n", " 2\n0 \n1\n1\n0\n2", "2\n0\n1\n1\n0\n2\n\n"]
)
@pytest.mark.parametrize("name", ["graph.info.part.3", "mine", "mesh.part.x"])
def test_ends_of_lines_and_other_names(tmp_path, name, text):
    """Other line ends, spaces, a missing or additional last newline and other file names are accepted."""
    (tmp_path / name).write_bytes(text.encode())
    assert np.array_equal(halcyon.mesh.read_partition(tmp_path / name, 6), PARTS)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "p.part.3",
            "0\n1\n2\n1\n",
            "p.part.3:4: the file ends after 4 parts, but the mesh has 6 cells.",
        ),
        ("p.part.3", "0\n1\n2\n1\n0\n0\n0\n", ":7: the file ends after 7 parts, but the mesh has 6 cells"),
        (
            "p.part.3",
            "0\n1\n3\n1\n0\n0\n",
            ":3: the part of a cell is '3', .* from 0 to 2. Make the file",
        ),
        (
            "p",
            "0\n1\n-1\n1\n0\n0\n",
            ":3: the part of a cell is '-1', but must be a whole number from 0 to 5",
        ),
        ("p", "0\n1\n1.5\n1\n0\n0\n", ":3: the part of a cell is '1.5'"),
        ("p", "0\n1\n\n1\n0\n0\n", ":3: the part of a cell is ''"),
        ("p", "0\n1 2\n1\n1\n0\n0\n", ":2: the part of a cell is '1 2'"),
        ("p", "0\n99999999999\n1\n1\n0\n0\n", ":2: the part of a cell is '99999999999'"),
        (
            "p.part.3",
            "0\n1\n0\n1\n0\n0\n",
            "no cell is in part 2, but there are the parts 0..2. Make",
        ),
        ("p", "0\n2\n0\n2\n0\n0\n", "no cell is in part 1, but there are the parts 0..2"),
        ("p.part.7", "0\n1\n0\n1\n0\n0\n", "the name says 7 parts, but the mesh has 6 cells. Take"),
        ("p.part.0", "0\n1\n0\n1\n0\n0\n", "the name says 0 parts"),
        ("p", "", "/p:0: the file ends after 0 parts, but the mesh has 6 cells"),
    ],
)
def test_what_is_no_partition(tmp_path, name, text, expected):
    """A wrong file is refused with the line and what is expected there."""
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=expected):
        halcyon.mesh.read_partition(tmp_path / name, 6)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match=r"none cannot be read: No such file or directory\."):
        halcyon.mesh.read_partition(tmp_path / "none", 6)
    with pytest.raises(RunError, match=r"Cannot write .*none/p: .* Check the folder"):
        halcyon.mesh.write_partition(tmp_path / "none/p", PARTS)

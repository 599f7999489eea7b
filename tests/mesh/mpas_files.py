"""MPAS files as other programs write them, converted from a file of Halcyon."""

from contextlib import contextmanager

import numpy as np
from netCDF4 import Dataset


@contextmanager
def editing(path):
    """Opens a file for changes by another program, which knows no checksums."""
    with Dataset(path, "a") as file:
        for owner in (file, *file.variables.values()):
            for name in {"checksum", "header_checksum"} & set(owner.ncattrs()):
                owner.delncattr(name)
        yield file


# Powers of the sphere's radius in the units of lengths and areas.
POWERS = dict.fromkeys(("dcEdge", "dvEdge"), 1) | dict.fromkeys(
    ("areaCell", "areaTriangle", "kiteAreasOnVertex"), 2
)


def _power(name):
    """Power of the sphere's radius in the unit of a variable: 1 for lengths and coordinates such as xCell."""
    return POWERS.get(name, 1 if name[0] in "xyz" and name[1].isupper() else 0)


def copy(source, target, change=lambda tables: None, *, radius=1.0, format="NETCDF4", reals="f8", time=0):
    """Copies an MPAS file after `change`, which modifies its tables by name.

    radius: of the sphere in the copy; reals: type of real numbers; time: length of a leading record dimension
    of every variable, or 0 for none; records after the first have wrong numbers.
    """
    with Dataset(source) as old:
        names = {name: variable.dimensions for name, variable in old.variables.items()}
        tables = {name: np.array(old[name][:].data) for name in names}
    change(tables)
    with Dataset(target, "w", format=format) as new:
        new.setncatts({"on_a_sphere": "YES             ", "sphere_radius": radius})
        if time:
            new.createDimension("Time", None)
        for name, table in tables.items():
            for dimension, length in zip(names[name], table.shape, strict=True):
                if dimension not in new.dimensions:
                    new.createDimension(dimension, length)
            kind = reals if table.dtype.kind == "f" else "i4"
            variable = new.createVariable(name, kind, ("Time",) * bool(time) + names[name])
            for record in range(max(time, 1)):
                scaled = table * radius ** _power(name) * 2**record if table.dtype.kind == "f" else table
                variable[record if time else slice(None)] = scaled


def padding(table, lengths):
    """Mask of the padding of a table of lists."""
    return np.arange(table.shape[1]) >= lengths[:, None]


def pad_with_last(tables):
    """Pads each list with its last entry, and widens the tables."""
    for name, counts in (
        ("cellsOnCell", "nEdgesOnCell"),
        ("edgesOnCell", "nEdgesOnCell"),
        ("verticesOnCell", "nEdgesOnCell"),
        ("edgesOnEdge", "nEdgesOnEdge"),
        ("weightsOnEdge", "nEdgesOnEdge"),
    ):
        extra = 3 if counts == "nEdgesOnCell" else 6
        table = np.pad(tables[name], ((0, 0), (0, extra)))
        last = table[np.arange(len(table)), tables[counts] - 1]
        tables[name] = np.where(padding(table, tables[counts]), last[:, None], table)


def pad_with_garbage(tables):
    """Pads lists with numbers out of range, and nan."""
    for name in ("cellsOnCell", "edgesOnCell", "verticesOnCell"):
        tables[name][padding(tables[name], tables["nEdgesOnCell"])] = 123456789
    tables["edgesOnEdge"][padding(tables["edgesOnEdge"], tables["nEdgesOnEdge"])] = -5
    tables["weightsOnEdge"][padding(tables["weightsOnEdge"], tables["nEdgesOnEdge"])] = np.nan


def mark_nothing_as_one_more(tables):
    """Writes n + 1 for missing cells and edges, n being their number, as MPAS does in memory."""
    for name, rows in (
        ("cellsOnCell", "areaCell"),
        ("cellsOnEdge", "areaCell"),
        ("cellsOnVertex", "areaCell"),
        ("edgesOnVertex", "dcEdge"),
        ("edgesOnEdge", "dcEdge"),
    ):
        tables[name][tables[name] == 0] = len(tables[rows]) + 1


def roll_lists(tables):
    """Rotates verticesOnCell and edgesOnVertex by one."""
    for row, n in zip(tables["verticesOnCell"], tables["nEdgesOnCell"], strict=True):
        row[:n] = np.roll(row[:n], 1)
    tables["edgesOnVertex"] = np.roll(tables["edgesOnVertex"], 1, axis=1)


def turn_vertices(tables):
    """Reverses the order of cells, and of their kites, of every second vertex with several cells."""
    turned = np.flatnonzero((tables["cellsOnVertex"] > 0).sum(axis=1) > 1)[::2]
    for name in ("cellsOnVertex", "kiteAreasOnVertex"):
        tables[name][turned] = tables[name][turned][:, [0, 2, 1]]


def turn_boundary(tables):
    """Reverses every second edge of the outer boundary, so that the missing cell comes first, as some cutting
    tools write it."""
    turned = np.flatnonzero(tables["cellsOnEdge"][:, 1] == 0)[::2]
    for name in ("cellsOnEdge", "verticesOnEdge"):
        tables[name][turned] = tables[name][turned][:, ::-1]
    tables["angleEdge"][turned] += np.where(tables["angleEdge"][turned] > 0, -np.pi, np.pi)


def keep_signs_of_cut_edges(tables):
    """Reverses the signs of weights as MpasCellCuller leaves them: it reverses boundary edges whose first
    cell is removed, but not the signs in their rows and columns of weightsOnEdge."""
    turned = np.zeros(len(tables["dcEdge"]) + 1, bool)
    turned[np.flatnonzero(tables["cellsOnEdge"][:, 1] == 0)[::2] + 1] = True
    flips = turned[1:, None] != turned[tables["edgesOnEdge"]]
    tables["weightsOnEdge"] = np.where(flips, -tables["weightsOnEdge"], tables["weightsOnEdge"])


def reorder_tangents(tables):
    """Lists the edges on edge and their weights in reverse order."""
    for row, n in enumerate(tables["nEdgesOnEdge"]):
        for name in ("edgesOnEdge", "weightsOnEdge"):
            tables[name][row, :n] = tables[name][row, :n][::-1].copy()


def leave_out(*names):
    """Returns a change that removes variables."""

    def change(tables):
        for name in names:
            del tables[name]

    return change

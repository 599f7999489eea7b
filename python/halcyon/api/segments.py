"""The files of the fields of a run as one lazy dataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from halcyon.mesh.cf_file import open_decoded


def open_segments(paths: Sequence[Path]) -> xr.Dataset:
    """The fields of consecutive files, in order of time, as one dataset. Values are read when they are used,
    and only those. Raises InputError if a file cannot be read."""
    datasets = sorted(map(open_decoded, paths), key=lambda each: each["time"].values[0])
    first = datasets[0]
    variables: dict[Any, Any] = {}
    for name, variable in first.variables.items():
        if name == "time":
            times = np.concatenate([each["time"].values for each in datasets])
            variables[name] = xr.Variable("time", times, variable.attrs)
        elif variable.dims[:1] == ("time",):
            parts = _Segments([each.variables[name] for each in datasets])
            lazy = indexing.LazilyIndexedArray(parts)
            variables[name] = xr.Variable(variable.dims, lazy, variable.attrs, variable.encoding)
        else:
            variables[name] = variable
    coordinates = {name: variables.pop(name) for name in first.coords if name in variables}
    return xr.Dataset(variables, coordinates, first.attrs)


class _Segments(BackendArray):
    """Variables of several files, one after another along their first dimension."""

    def __init__(self, parts: Sequence[xr.Variable]) -> None:
        self._parts = parts
        self._ends = np.cumsum([len(part) for part in parts])
        self.shape = (int(self._ends[-1]), *parts[0].shape[1:])
        self.dtype = parts[0].dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._values
        )

    def _values(self, key: tuple[Any, ...]) -> np.ndarray:
        records = np.atleast_1d(np.arange(self.shape[0])[key[0]])
        number = np.searchsorted(self._ends, records, side="right")
        begins = self._ends - [len(part) for part in self._parts]
        pieces = [
            self._parts[part][(records[number == part] - begins[part], *key[1:])].values
            for part in np.unique(number)
        ]
        values = np.concatenate(pieces) if pieces else np.empty((0, *self.shape[1:]), self.dtype)
        in_order = values[np.argsort(np.argsort(number, kind="stable"), kind="stable")]
        return in_order if np.ndim(np.arange(self.shape[0])[key[0]]) else in_order[0]

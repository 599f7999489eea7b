"""The loads over time that the discs and lines of the page show; a line may stand for several links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.plot.network_page.jobs import nics_of
from halcyon.plot.network_page.layout import MOST_LINES, Layout, layout_of

if TYPE_CHECKING:
    import xarray as xr

    from halcyon import network

BUSY_UNIT = 1e-4  # unit of busy fractions in the data of the page; waits are in nanoseconds


def loads(
    data: xr.Dataset, topology: network.Topology, machine: network.Machine
) -> tuple[Layout, dict[str, Any]]:
    """A layout, and the loads of its discs and lines. Per line and time bin: the fraction of time in which
    the line's links are busy, as mean and maximum over the links, in integers of `BUSY_UNIT`, and the longest
    wait [ns]. The last column is for the whole run. Idle links of a large network are omitted."""
    links = np.stack(topology.links(), axis=1).astype(np.int64)
    nics = nics_of(data, topology, machine, _busy(data, machine, links[:, 2])[:, -1])
    if len(links) > MOST_LINES:
        in_use = np.flatnonzero(data["link_bin_bytes"].values.any(axis=1))
        links, data = links[in_use], data.isel(link=in_use)
    layout = layout_of(topology, links)
    source, target, kind = links.T
    busy, wait = _busy(data, machine, kind), _wait(data)
    disc_pair = layout.disc[source] * len(layout.x) + layout.disc[target]
    keys, line = np.unique(disc_pair * len(topology.kinds) + kind, return_inverse=True)
    line_discs, line_kind = np.divmod(keys, len(topology.kinds))
    from_disc, to_disc = np.divmod(line_discs, len(layout.x))
    links_of_line = _GroupedLinks(line, len(keys))
    links_from_disc = _GroupedLinks(layout.disc[source], len(layout.x))
    transferred = data["link_bin_bytes"].values.sum(axis=1)
    return layout, {
        "nics": nics,
        "idle": topology.n_links - len(links),
        "discs": {
            "x": np.round(layout.x, 5).tolist(),
            "y": np.round(layout.y, 5).tolist(),
            "name": list(layout.names),
            "busy": _integers(links_from_disc.mean(busy) / BUSY_UNIT),
        },
        "lines": {
            "from": from_disc.tolist(),
            "to": to_disc.tolist(),
            "kind": line_kind.tolist(),
            "links": links_of_line.count.tolist(),
            "bytes": links_of_line.total(transferred).tolist(),
            "busy": _integers(links_of_line.mean(busy) / BUSY_UNIT),
            "peak": _integers(links_of_line.largest(busy) / BUSY_UNIT)
            if links_of_line.count.max() > 1
            else None,
            "wait": _integers(links_of_line.largest(wait) * 1e9),
        },
        "mean": _integers(busy.mean(axis=0) / BUSY_UNIT),
        "peak": _integers(busy.max(axis=0) / BUSY_UNIT),
    }


def _busy(data: xr.Dataset, machine: network.Machine, kind: np.ndarray) -> np.ndarray:
    """Transferred bytes over the bytes that the link can carry (link, bin); the last column is for the whole
    run. The last bin ends with the run."""
    slowdown = min(machine.crossbar_factor, 1.0) if machine.crossbar_factor > 0 else 1.0
    links = [machine.links[i if len(machine.links) > 1 else 0] for i in range(kind.max() + 1)]
    bandwidth = slowdown * np.array([link.bandwidth for link in links])
    end = data["time"].item()
    width = np.minimum(data["bin_to"].values, end) - data["bin_from"].values
    transferred = data["link_bin_bytes"].values
    capacity = bandwidth[kind][:, None] * np.maximum(np.append(width, end), 1e-12)
    return np.column_stack([transferred, transferred.sum(axis=1)]) / capacity


def _wait(data: xr.Dataset) -> np.ndarray:
    """The longest wait [s] (link, bin); the last column is for the whole run."""
    wait = data["link_bin_wait"].values
    return np.column_stack([wait, wait.max(axis=1)])


def _integers(values: np.ndarray) -> list[Any]:
    return np.rint(values).astype(np.int64).tolist()


class _GroupedLinks:
    """Reductions over the links of each line or disc; `group` (link): index of the line or disc of
    each link, below `n`."""

    def __init__(self, group: np.ndarray, n: int) -> None:
        self._order = np.argsort(group, kind="stable")
        self.count = np.bincount(group, minlength=n)
        self._nonempty = np.flatnonzero(self.count)
        self._starts = (np.cumsum(self.count) - self.count)[self._nonempty]

    def total(self, values: np.ndarray) -> np.ndarray:
        """Sums of values (link, ...)."""
        return self._reduce(np.add, values)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Means of values (link, bin)."""
        return self.total(values) / np.maximum(self.count, 1)[:, None]

    def largest(self, values: np.ndarray) -> np.ndarray:
        """The largest of values (link, bin)."""
        return self._reduce(np.maximum, values)

    def _reduce(self, operation: np.ufunc, values: np.ndarray) -> np.ndarray:
        reduced = np.zeros((len(self.count), *values.shape[1:]), values.dtype)
        reduced[self._nonempty] = operation.reduceat(values[self._order], self._starts, axis=0)
        return reduced

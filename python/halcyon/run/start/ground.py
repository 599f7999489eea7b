"""The ground of a file under the cells of a mesh: means over the cells where the file is finer than they."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from halcyon._core import remap
from halcyon.run.start.latlon import LatLonBoxes
from halcyon.run.start.source import Gathered, Source, Variable
from halcyon.run.start.target import Outlines

Array = np.ndarray
Change = Callable[[Array], Array]

_AT_ONCE = 2_000_000  # boxes
_LINEAR, _MEAN = 1.5, 2.0  # of the file's spacings in a cell's, up to which and from which on a value is so


def ground_of(source: Source, variable: Variable, outlines: Outlines, change: Change | None = None) -> Array:
    """A field (cell) under cells: its mean over a cell's outline where that is at least two of the file's
    spacings wide, linear at its centre where it is at most one and a half, and of both in parts between, so
    that no seam shows where cells change their size.

    change: of the file's values, before all. Raises InputError where a value is missing or cannot be."""
    found = Gathered(source, outlines.centres).field(variable, change)
    spacings = outlines.spacing / source.places.spacing(outlines.centres)
    share = np.clip((spacings - _LINEAR) / (_MEAN - _LINEAR), 0, 1)
    for cells in _alike(source.places.fineness(outlines.centres), np.flatnonzero(share > 0)):
        boxes = source.places.boxes(outlines.centres[cells[0]])
        for band in _bands(outlines, cells, boxes):
            means = _means(source, variable, outlines.part(band), boxes, change)
            found[band] += share[band] * (means - found[band])
    return found


def _alike(fineness: Array, cells: Array) -> Iterator[Array]:
    """The cells of each fineness."""
    for each in np.unique(fineness[cells]):
        yield cells[fineness[cells] == each]


def _bands(outlines: Outlines, cells: Array, boxes: LatLonBoxes) -> list[Array]:
    """Cells of near latitudes, so many that their rows of boxes can be held at once."""
    first, last = boxes.rows(*outlines.part(cells).latitudes())
    n_boxes = (int(last.max()) - int(first.min()) + 1) * boxes.n_columns
    order = cells[np.argsort(first, kind="stable")]
    return np.array_split(order, min(-(-n_boxes // _AT_ONCE), len(cells)))


def _means(
    source: Source, variable: Variable, outlines: Outlines, boxes: LatLonBoxes, change: Change | None
) -> Array:
    """sum_b A_b v_b / sum_b A_b over the boxes b of which a polygon holds the areas A_b (first order,
    conservative; Jones 1999)."""
    first, last = boxes.rows(*outlines.latitudes())
    boxes = boxes.between(int(first.min()), int(last.max()))
    faces = outlines.faces
    shared = remap.overlaps(faces.nodes, faces.offsets, faces.nodes_on_face, boxes.grid(), threads=1)
    box = np.repeat(np.arange(len(shared.box_areas)), np.diff(shared.offsets))
    used, at = np.unique(box, return_inverse=True)
    values = Gathered(source, boxes.points(used)).field(variable, change)[at]
    return _weighted(np.asarray(shared.faces), np.asarray(shared.areas), values, faces.n_faces)


def _weighted(face: Array, area: Array, values: Array, n: int) -> Array:
    """Means (n) of the entries of each face, as differences from its first: a constant stays."""
    first = np.empty(n)
    first[face[::-1]] = values[::-1]
    sums = np.bincount(face, area * (values - first[face]), minlength=n)
    return first + sums / np.bincount(face, area, minlength=n)

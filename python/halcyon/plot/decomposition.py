"""A figure of the partition of a mesh, one rank's inner, boundary and halo cells, and its index paths: lines
through the rank's cells in the order of their indices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from halcyon.plot import style
from halcyon.plot.globe import View, cell_polygons, nearest_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from halcyon.decomposition import Areas, EntityAreas
    from halcyon.mesh import Mesh

PIXELS = 800  # width and height of the image of the partition
INNER, BOUNDARY = "#8fb8de", "#8ccf9f"
HALO = ("#e2777a", "#eea3a0", "#f6c9c5", "#fae2df")
COLUMNS = 3
COLOURS = 12  # number of colours of parts; further parts reuse them


def decomposition_plot(
    path: Path,
    mesh: Mesh,
    owners: np.ndarray,
    part: Areas,
    paths: Mapping[str, np.ndarray],
    *,
    entities: EntityAreas | None = None,
    title: str,
) -> None:
    """Plots the partition, the cells of one rank and its index paths in several orders, after figures 1, 2
    and 4 of Liu et al. (GRIST infrastructure), as PNG.

    owners (cell): the rank that owns each cell. part: the cells of the drawn rank. entities: edges or
    vertices of the rank, drawn as dots. paths: the indices of cells (or edges or vertices) in each order, by
    the order's name."""
    points = mesh.cell_points if entities is None else _points(mesh, entities)
    n_rows = -(-len(paths) // COLUMNS)
    height = 6.1 + 3.0 * n_rows
    left = 0.25 / style.WIDTH
    with style.picture(path, height, title, _subtitle(owners, part), left) as figure:
        view = View.above(mesh.cell_points[part.owned])
        _partition(_axes(figure, (0.25, 1.0), 4.4), mesh, owners, view)
        layers = _axes(figure, (4.9, 1.0), 4.2)
        _layers(layers, mesh, part, view)
        if entities is not None:
            _dots(layers, points, entities, view)
        for i, (name, path_indices) in enumerate(paths.items()):
            row, column = divmod(i, COLUMNS)
            axes = _axes(figure, (0.25 + 3.05 * column, 6.0 + 3.0 * row), 2.75)
            _index_path(axes, view.plane(points[path_indices]), name)


def part_colours(mesh: Mesh, owners: np.ndarray) -> np.ndarray:
    """The index of each rank's colour, different from the colours of adjacent parts. Ranks are coloured in
    order, each with the least used colour that no adjacent part has."""
    counts = np.diff(mesh.cell_offsets)
    cell_owner, neighbour = np.repeat(owners, counts), mesh.cells_on_cell
    cell_owner, other_owner = cell_owner[neighbour >= 0], owners[neighbour[neighbour >= 0]]
    pairs = np.unique(np.stack([cell_owner, other_owner])[:, cell_owner != other_owner], axis=1)
    colours = np.full(owners.max() + 1, -1)
    used: Counter[int] = Counter()
    starts = np.searchsorted(pairs[0], np.arange(len(colours) + 1))
    for rank in range(len(colours)):
        taken = set(colours[pairs[1, starts[rank] : starts[rank + 1]]].tolist())
        free = [colour for colour in range(max(COLOURS, len(taken) + 1)) if colour not in taken]
        colours[rank] = min(free, key=used.__getitem__)
        used[colours[rank]] += 1
    return colours


def _subtitle(owners: np.ndarray, part: Areas) -> str:
    halo = ", ".join(f"{len(layer):,}" for layer in part.layers)
    return (
        f"{len(owners):,} cells on {owners.max() + 1:,} ranks   ·   this rank: {len(part.inner):,} inner, "
        f"{len(part.boundary):,} boundary, {halo} halo"
    )


def _axes(figure: Figure, corner: tuple[float, float], size: float) -> Axes:
    """Square axes without a frame. corner: distance of their upper left corner from the figure's [inches]."""
    width, height = figure.get_size_inches()
    left, top = corner
    axes = figure.add_axes((left / width, 1 - (top + size) / height, size / width, size / height))
    axes.set_axis_off()
    axes.set_aspect("equal")
    return axes


def _partition(axes: Axes, mesh: Mesh, owners: np.ndarray, view: View) -> None:
    """Draws the partition on the hemisphere around the part, or on the limited area."""
    visible = mesh.cell_points[mesh.cell_points @ view.axes[2] > 0]
    middle, half = _square(view.plane(visible))
    points, is_visible = view.image(middle, half, PIXELS)
    cells = np.full(len(points), -1)
    cells[is_visible] = nearest_cells(mesh, points[is_visible])
    colours = part_colours(mesh, owners)
    image = np.ma.masked_less(np.where(cells >= 0, colours[owners[cells]], -1), 0).reshape(PIXELS, PIXELS)
    (west, south), (east, north) = middle - half, middle + half
    axes.imshow(image, extent=(west, east, south, north), origin="lower", cmap=_palette(colours.max() + 1))
    axes.set_title("parts", fontsize=9.5, loc="left")


def _palette(n: int) -> ListedColormap:
    return ListedColormap([matplotlib.colormaps["Set3"](i % COLOURS) for i in range(max(n, 1))])


def _layers(axes: Axes, mesh: Mesh, part: Areas, view: View) -> None:
    groups = [("inner", part.inner, INNER), ("boundary", part.boundary, BOUNDARY)]
    for i, layer in enumerate(part.layers):
        groups.append((f"halo layer {i + 1}", layer, HALO[min(i, len(HALO) - 1)]))
    for _, cells, colour in groups:
        polygons = PolyCollection(
            cell_polygons(mesh, cells, view), facecolors=colour, edgecolors="white", linewidths=0.3
        )
        axes.add_collection(polygons, autolim=False)
    middle, half = _square(view.plane(mesh.cell_points[np.concatenate([cells for _, cells, _ in groups])]))
    _frame(axes, middle, 1.04 * half)
    keys = [Patch(facecolor=colour, label=f"{name}, {len(cells):,}") for name, cells, colour in groups]
    position: dict[str, Any] = {
        "loc": "upper left",
        "bbox_to_anchor": (0, 0.01),
        "ncols": 3,
        "columnspacing": 1,
    }
    axes.legend(handles=keys, frameon=False, fontsize=8, handlelength=1.4, **position)


def _points(mesh: Mesh, entities: EntityAreas) -> np.ndarray:
    return np.asarray(mesh.edge_points if entities.kind == "edges" else mesh.vertex_points)


def _dots(axes: Axes, points: np.ndarray, entities: EntityAreas, view: View) -> None:
    """Draws owned edges or vertices as filled dots, and halo ones as open dots, paler in outer layers."""
    owned = view.plane(points[entities.owned])
    dot: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 2.2}
    axes.plot(*owned.T, **dot, color=style.INK)
    for i, layer in enumerate(entities.layers):
        shade = str(min(0.3 + 0.2 * i, 0.8))
        axes.plot(*view.plane(points[layer]).T, **dot, markerfacecolor="none", markeredgecolor=shade)
    text = f"{entities.kind}: {len(entities.owned):,} owned, {sum(map(len, entities.layers)):,} in the halo"
    axes.set_title(text, fontsize=9.5, loc="left")


def _index_path(axes: Axes, points: np.ndarray, name: str) -> None:
    """Draws a line through points (n, 2), from dark to light."""
    pairs: Any = np.stack([points[:-1], points[1:]], axis=1)
    lines = LineCollection(pairs, cmap="viridis", linewidths=0.8)
    lines.set_array(np.arange(len(points) - 1))
    axes.add_collection(lines, autolim=False)
    _frame(axes, *_square(points))
    axes.set_title(name, fontsize=9.5, loc="left")


def _square(points: np.ndarray) -> tuple[np.ndarray, float]:
    """The centre and half the side of a square around points."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, float(max((high - low).max() / 2, 1e-9)) * 1.02


def _frame(axes: Axes, middle: np.ndarray, half: float) -> None:
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))

"""Time of computing overlap areas of cells and grid boxes, compared with xugrid and shapely.

CPU time of one core, medians of interleaved repetitions, of computing the areas, which are the same for all
remapped fields. Halcyon uses areas on the sphere, xugrid's OverlapRegridder (compiled before the measurement)
plane polygons in longitude and latitude, and shapely plane polygons in longitude and sine of latitude, with a
search tree. Cells near the date line and the poles are excluded, since plane polygons cannot represent them.
Target: 300,000 cells to boxes of 0.25 degrees in 5 s.
"""

import numpy as np
import shapely
import xarray
import xugrid

import rows
from halcyon import mesh
from halcyon.remap import Conservative, Faces, regular_grid

US = 1e6
REGION = (-150, 150, -60, 60)  # west, east, south and north of the cells [degrees]
MARGIN = 10  # by which the region of the boxes is larger on each side [degrees]
AIM_US = US * 5 / 300e3  # target per cell


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    result_rows = case_rows(5, 1, {"xugrid": xugrid_work, "shapely": shapely_work}, 3)
    if not options.quick:
        result_rows += case_rows(7, 0.25, {"xugrid": xugrid_work}, 5)
    rows.report(result_rows, options.json)


def case_rows(level, resolution, peers, repetitions):
    part = inner_part(mesh.uniform(level))
    west, east, south, north = REGION
    region = west - MARGIN, east + MARGIN, south - MARGIN, north + MARGIN
    grid, faces = regular_grid(region, resolution=resolution), Faces.of_mesh(part)
    work = {"ours": lambda: Conservative(faces, grid, threads=1)}
    work |= {name: make_work(part, grid) for name, make_work in peers.items()}
    for function in work.values():
        function()  # just-in-time compilation
    us = {name: s * US / part.n_cells for name, s in rows.interleaved(work, repetitions).items()}
    ours = us["ours"]
    print(f"G{level}: {part.n_cells:,} cells in {ours * part.n_cells / US:.2f} s, {US / ours:,.0f} cells/s")
    claim = f"shared areas, G{level} to {resolution} degrees, one core"
    result_rows = [rows.row(claim, ours, us[name], f"{name}, plane", "us/cell", bar=1) for name in peers]
    result_rows.append(rows.row(claim, ours, AIM_US, "the aim", "us/cell", bar=1))
    return result_rows + mean_rows(Conservative(faces, grid, threads=1), part, f"G{level}", repetitions)


def mean_rows(remap, part, name, repetitions):
    """Row of remapping one field with known areas, compared with a sparse matrix product in scipy."""
    from scipy.sparse import csr_array

    shared = remap.overlaps
    shape = len(shared.box_areas), part.n_cells
    weights = csr_array((shared.areas, shared.faces, shared.offsets), shape=shape)
    values = np.cos(part.cell_latitude)
    times = rows.interleaved(
        {"ours": lambda: remap.mean(values), "scipy": lambda: weights @ values}, repetitions
    )
    ms = {name: 1e3 * seconds for name, seconds in times.items()}
    return [
        rows.row(
            f"means of a field, {name}, checks missing values",
            ms["ours"],
            ms["scipy"],
            "scipy, sums only",
            "ms",
            bar=0,
        )
    ]


def inner_part(whole):
    """The cells away from the date line and the poles."""
    west, east, south, north = np.radians(REGION)
    longitude = np.remainder(whole.cell_longitude + np.pi, 2 * np.pi) - np.pi
    is_inside = (west < longitude) & (longitude < east)
    is_inside &= (south < whole.cell_latitude) & (whole.cell_latitude < north)
    return mesh.cut(whole, is_inside.astype(np.uint8))


def xugrid_work(part, grid):
    """A function that computes the overlap areas by xugrid."""
    from halcyon.mesh.ugrid import face_nodes

    source = xugrid.Ugrid2d(*plane_nodes(part), -1, face_nodes(part))
    data = xugrid.UgridDataArray(
        xarray.DataArray(np.ones(part.n_cells), dims=[source.face_dimension]), source
    )
    target = xarray.DataArray(
        np.ones(grid.shape), coords={"y": grid.latitude, "x": grid.longitude}, dims=["y", "x"]
    )
    return lambda: xugrid.OverlapRegridder(data, target)


def shapely_work(part, grid):
    """A function that computes the areas of the intersections of polygons and boxes by shapely,
    vectorized."""
    longitude, latitude = plane_nodes(part)
    corners = np.stack([longitude, np.sin(np.radians(latitude))], axis=1)[part.vertices_on_cell]
    owners = np.repeat(np.arange(part.n_cells), np.diff(part.cell_offsets))
    x, y = grid.longitude_edges, np.sin(np.radians(grid.latitude_edges))

    def work():
        cells = shapely.polygons(shapely.linearrings(corners, indices=owners))
        boxes = shapely.box(*(edge.ravel() for edge in np.meshgrid(x[:-1], y[:-1])), x_max(x, y), y_max(x, y))
        cell, box = shapely.STRtree(boxes).query(cells)
        return shapely.area(shapely.intersection(cells[cell], boxes[box]))

    return work


def x_max(x, y):
    return np.tile(x[1:], len(y) - 1)


def y_max(x, y):
    return np.repeat(y[1:], len(x) - 1)


def plane_nodes(part):
    """Longitudes -180..180 and latitudes [degrees] of the cell corners."""
    longitude = np.degrees(part.vertex_longitude)
    return np.where(longitude > 180, longitude - 360, longitude), np.degrees(part.vertex_latitude)


if __name__ == "__main__":
    main()

"""Input files of the cases of tools/same_results."""

from pathlib import Path

import numpy as np


def write_inputs(work: Path) -> None:
    """Writes meshes, a cyclone track, and winds, ice, currents and water levels."""
    from netCDF4 import Dataset

    from halcyon import graph, mesh

    g2, g3 = (mesh.uniform(level, tolerance=1e-3) for level in (2, 3))
    mesh.write_mpas(str(work / "g2.nc"), g2)
    lat, lon = np.degrees(g3.cell_latitude), np.degrees(g3.cell_longitude)
    inside = (lat > -10) & (lat < 60) & (lon > 90) & (lon < 190)
    sea = mesh.cut(g3, mesh.clean_selection(g3, inside.astype(np.uint8)))
    sea.bottom_depth = np.maximum(6, 4000 * (1 - np.degrees(sea.cell_latitude) / 58))
    mesh.write_mpas(str(work / "sea.nc"), sea)
    owners = graph.partition(sea.cell_offsets, sea.cells_on_cell, 3, method="recursive", seed=5)
    mesh.write_partition(str(work / "graph.info.part.3"), owners)
    (work / "track.csv").write_text(
        "time,latitude,longitude,pressure_hpa,wind_kt\n"
        "2022-09-01T00:00,22.0,150.0,940,85\n2022-09-01T06:00,24.0,146.0,935,90\n"
    )
    (work / "points.csv").write_text("longitude,latitude\n120,0\n140,0\n160,0\n175,10\n")
    latitude, longitude, hours = np.arange(-20.0, 71, 5), np.arange(80.0, 201, 5), np.array([0.0, 3, 6])
    t, y, x = np.ix_(hours, latitude, longitude)

    def write(name, fields, units, calendar="standard"):
        with Dataset(work / name, "w", format="NETCDF3_CLASSIC") as file:
            for axis, values in {"time": hours, "latitude": latitude, "longitude": longitude}.items():
                file.createDimension(axis, len(values))
                file.createVariable(axis, "f8", (axis,))[:] = values
            file["time"].setncatts({"units": "hours since 2022-09-01 00:00:00", "calendar": calendar})
            file["latitude"].units, file["longitude"].units = "degrees_north", "degrees_east"
            for field, values in fields.items():
                file.createVariable(field, "f8", ("time", "latitude", "longitude"))[:] = values
                file[field].units = units

    winds = {"u10": 0.1 * x - 0.2 * y + 0.5 * t, "v10": 3 + 0.05 * x - 0.1 * y - 0.2 * t}
    write("winds.nc", winds, "m s-1")
    write("winds_noleap.nc", winds, "m s-1", "noleap")
    write("ice.nc", {"siconc": np.clip(0.02 * (y - 30) + 0 * x + 0.01 * t, 0, 1)}, "1")
    write(
        "currents.nc",
        {"uo": 0.5 + 0 * x + 0.01 * y + 0 * t, "vo": -0.3 + 0.002 * x + 0 * y + 0.01 * t},
        "m s-1",
    )
    write("level.nc", {"zos": 0.5 + 0.01 * y + 0 * x + 0.1 * t}, "m")

"""Fields files with levels whose columns are analytic functions, for tests of readers and writers."""

import numpy as np

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from halcyon.config.atmosphere import OnHeight, OnPressure
from halcyon.io import FieldsFile, IoOptions, io_ranks
from halcyon.io.attributes import Origin
from halcyon.io.fields_file import OwnedMesh
from halcyon.run.models.core import VerticalInterpolation
from tests.support import sea_states

START = np.datetime64("2000-01-01T00:00:00").item()
HOURS = (0, 6)
SCALE_HEIGHT = 8000.0  # [m]
COEFFICIENTS = interfaces(10, 1000.0)
NAMES = ("surface_pressure", "temperature", "eastward_wind")
OUTPUT_SURFACES = {
    "pressure": OnPressure(),
    "height": OnHeight(height=[500.0, 3000.0, 12000.5]),
    "model": "model",
}


def surface_pressure(longitude, latitude, hour):
    """Surface pressure [Pa] at points [degrees], with high orography at 90 E on the equator that intersects
    the 850 hPa surface."""
    hill = np.exp(-((longitude - 90) ** 2 + latitude**2) / 30**2)
    return 1.0e5 - 4e4 * hill + 10 * hour


def temperature(pressure, longitude, hour):
    """Temperature [K], linear in ln p."""
    return 250 + hour + (20 + np.sin(np.radians(longitude))) * np.log(pressure / 5e4)


def height(pressure):
    """Height [m], linear in ln p."""
    return SCALE_HEIGHT * np.log(1e5 / pressure)


def products(part, hour):
    """Products of the owned cells as a core returns them: float64 (cell, level) or (cell)."""
    longitude, latitude = part.cell_longitude % 360, part.cell_latitude
    ps = surface_pressure(longitude, latitude, hour)
    a, b = COEFFICIENTS
    at_interfaces = a + b * ps[:, None]
    pressure = (at_interfaces[:, :-1] + at_interfaces[:, 1:]) / 2
    return {
        "surface_pressure": ps,
        "pressure": pressure,
        "geopotential_height": height(pressure),
        "temperature": temperature(pressure, longitude[:, None], hour),
        "eastward_wind": np.broadcast_to(np.cos(np.radians(latitude))[:, None], pressure.shape).copy(),
    }


def vertical_interpolation(surfaces, names=NAMES):
    table = {row.name: row for row in atmosphere.air_variables()}
    return VerticalInterpolation([table[name] for name in names], OUTPUT_SURFACES[surfaces], COEFFICIENTS)


def write_file(comm, path, surfaces, *, mesh, names=NAMES, hours=HOURS, change=0.0):
    """Collective. Writes a file on a key of OUTPUT_SURFACES, with `change` [K] added to all temperatures."""
    part = OwnedMesh.of(sea_states.local_mesh(mesh, comm), np.zeros(mesh.n_cells))
    interpolation = vertical_interpolation(surfaces, names)
    table = {row.name: row for row in atmosphere.air_variables()}
    file = FieldsFile(
        io_ranks(sea_states.core_comm(comm), IoOptions(background=False), n_bytes=0),
        path,
        part,
        interpolation.variables,
        table["topography"],
        start=START,
        origin=Origin("a test", "0", "none"),
        n_records=len(hours),
        vertical=interpolation.axis,
    )
    for hour in hours:
        values = products(part, hour)
        values["temperature"] = values["temperature"] + change
        file.write(hour, interpolation.values({name: values[name] for name in interpolation.products}))
    file.close()
    return path

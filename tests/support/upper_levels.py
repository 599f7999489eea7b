"""Output files of an atmosphere with vertical levels, filled with analytic functions of pressure."""

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
HOURS = (0, 6)  # times of the records, since START
SCALE_HEIGHT = 8000.0  # [m]
COEFFICIENTS = interfaces(10, 1000.0)  # a [Pa] and b of p = a + b ps at the interfaces of 10 levels
NAMES = ("surface_pressure", "temperature", "eastward_wind")
OUTPUT_SURFACES = {  # name of the vertical axis: its option in a case
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
    """Variables of the owned cells, as a dynamical core returns them: float64 (cell, level) or (cell)."""
    longitude, latitude = part.cell_longitude % 360, part.cell_latitude
    ps = surface_pressure(longitude, latitude, hour)
    a, b = COEFFICIENTS
    interface_pressure = a + b * ps[:, None]
    pressure = (interface_pressure[:, :-1] + interface_pressure[:, 1:]) / 2
    return {
        "surface_pressure": ps,
        "pressure": pressure,
        "geopotential_height": height(pressure),
        "temperature": temperature(pressure, longitude[:, None], hour),
        "eastward_wind": np.broadcast_to(np.cos(np.radians(latitude))[:, None], pressure.shape).copy(),
    }


def vertical_interpolation(surfaces, names=NAMES):
    """The interpolation of variables to the surfaces of a key of OUTPUT_SURFACES."""
    table = {row.name: row for row in atmosphere.air_variables()}
    return VerticalInterpolation([table[name] for name in names], OUTPUT_SURFACES[surfaces], COEFFICIENTS)


def write_file(comm, path, surfaces, *, mesh, names=NAMES, hours=HOURS, change=0.0):
    """Collective. Writes a file with the vertical axis `surfaces`, a key of OUTPUT_SURFACES, and with
    `change` [K] added to all temperatures."""
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
        file.write(
            hour, interpolation.interpolated({name: values[name] for name in interpolation.product_names})
        )
    file.close()
    return path

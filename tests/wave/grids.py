"""Small netCDF files of gridded fields and of spectra at points, in the formats of other models."""

import numpy as np
from netCDF4 import Dataset

HOURS = "hours since 2022-09-01 00:00:00"
LATITUDE, LONGITUDE = np.arange(-10.0, 61.0, 5.0), np.arange(80.0, 201.0, 5.0)


def linear(hours, lat, lon, *, offset=0.0):
    """A field (time, lat, lon) that is linear in each coordinate: linear interpolation is exact."""
    t, y, x = np.ix_(np.asarray(hours, float), lat, lon)
    return offset + 0.1 * x - 0.2 * y + 0.5 * t


def winds(hours, lat, lon):
    """Both components of a wind that is linear in each coordinate."""
    return {"u10": linear(hours, lat, lon), "v10": linear(hours, lat, lon, offset=3.0)}


def write_grid(
    path,
    fields=None,
    *,
    hours=(0, 3, 6),
    lat=LATITUDE,
    lon=LONGITUDE,
    time_units=HOURS,
    calendar="standard",
    units="m s**-1",
    pack=None,
    extra=None,
    names=("time", "latitude", "longitude"),
):
    """Writes fields {name: (time, lat, lon)} in the format of ERA5. names: names of the three axes.

    pack: scale and offset of values stored as 16-bit integers. extra: name, values and units of a further
    dimension after time; the field at its i-th value is the given field plus 100 i."""
    fields = winds(hours, lat, lon) if fields is None else fields
    with Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        axes = dict(zip(names, (hours, lat, lon), strict=True))
        for name, values in axes.items():
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = np.asarray(values, float)
        file[names[0]].setncatts({"units": time_units, "calendar": calendar})
        file[names[1]].units, file[names[2]].units = "degrees_north", "degrees_east"
        if extra:
            file.createDimension(extra[0], len(extra[1]))
            file.createVariable(extra[0], "f8", (extra[0],))[:] = extra[1]
            file[extra[0]].units = extra[2]
        for name, values in fields.items():
            _write_field(file, name, values, names, units, pack, extra)
    return path


def _write_field(file, name, values, names, units, pack, extra):
    """Writes one field of `write_grid`; values that are not finite are stored as missing."""
    dimensions = list(names) if extra is None else [names[0], extra[0], *names[1:]]
    variable = file.createVariable(
        name, "i2" if pack else "f8", dimensions, fill_value=-32767 if pack else None
    )
    if units is not None:
        variable.units = units
    if pack:
        variable.scale_factor, variable.add_offset = pack
    if extra is not None:
        values = np.stack([values + 100 * i for i in range(len(extra[1]))], axis=1)
    variable[:] = np.ma.masked_invalid(values)


def write_spectra(
    path, density, *, hours, lon, lat, frequency, direction, names=None, convention="to", units=None
):
    """Writes densities (time, point, frequency, direction) in the format of WAVEWATCH III.

    direction [degrees]. convention: whether the standard name of direction says that waves travel "to" or
    come "from" it; None: no standard name."""
    with Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        axes = {"time": hours, "station": lon, "frequency": frequency, "direction": direction}
        for name, values in axes.items():
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = np.asarray(values, float)
        file["time"].units = HOURS
        file["frequency"].standard_name = "sea_surface_wave_frequency"
        if convention:
            file["direction"].standard_name = f"sea_surface_wave_{convention}_direction"
        file["direction"].units = "degree"
        for name, values in (("longitude", lon), ("latitude", lat)):
            file.createVariable(name, "f8", ("time", "station"))[:] = np.tile(values, (len(hours), 1))
            file[name].standard_name = name
        file.createVariable("efth", "f8", tuple(axes))[:] = density
        file["efth"].units = units or "m2 s rad-1"
    return path

"""Small files of analytic atmospheric states on longitude-latitude grids, in the formats of reanalyses.

The states are initial states of `halcyon.atmosphere.AirStart`, evaluated at any point.
"""

import numpy as np
from netCDF4 import Dataset

from halcyon.atmosphere import AirStart
from halcyon.atmosphere.levels import interfaces

PRESSURES = np.array(
    [3, 10, 30, 70, 100, 150, 200, 250, 300, 400, 500, 600, 700, 775, 850, 900, 950, 1000.0]
)  # [hPa]
GAS_CONSTANT, GRAVITY = 287.0, 9.80616  # of dry air [J kg-1 K-1], [m s-2]
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(24)  # Gauss quadrature on [-1, 1]
CF = {  # standard name and unit of each variable of the files
    "t": ("air_temperature", "K"),
    "u": ("eastward_wind", "m s**-1"),
    "v": ("northward_wind", "m s**-1"),
    "z": ("geopotential", "m**2 s**-2"),
    "sp": ("surface_air_pressure", "Pa"),
    "orog": ("surface_altitude", "m"),
    "q": ("specific_humidity", "kg kg**-1"),
}


def axes(step, *, poles=True, descending=True, west=0.0):
    """Latitudes and longitudes [degrees] of a grid of spacing `step`.

    poles: whether the poles are grid points; descending: from north to south; west: first longitude.
    """
    lat = np.arange(-90, 90.001, step) if poles else np.arange(-90 + step / 2, 90, step)
    return (lat[::-1] if descending else lat), west + np.arange(0, 360, step)


def geopotential(start, lon, lat, pressure):
    """Geopotential [m2 s-2] at a pressure [Pa]: that of the surface, plus the integral of R T d ln(p)."""
    upper, lower = np.log(pressure), np.log(start.surface_pressure(lon, lat))
    half = (lower - upper)[..., None] / 2
    p = np.exp(upper[..., None] + half * (1 + _POINTS))
    t = start.temperature(lon[..., None], lat[..., None], p)
    return start.ground_geopotential(lon, lat) + (half * _WEIGHTS * GAS_CONSTANT * t).sum(axis=-1)


def write(
    path,
    start,
    step=5.0,
    *,
    fields=("t", "u", "v", "sp", "orog"),
    pressures=PRESSURES,
    unit="hPa",
    hybrid=0,
    pack=False,
    times=("2000-01-01",),
    change=None,
    rows=slice(None),
    **grid,
):
    """Writes a file of an initial state, the same at all `times`.

    step: grid spacing [degrees]; fields: keys of CF; unit: of the pressures in the file; hybrid: number of
    hybrid levels, instead of `pressures` [hPa]; pack: whether values are packed into 16 bits; change:
    function that modifies the dict of values before they are written, and may add `q`; rows: slice of the
    latitudes that are written; grid: options of `axes`.
    """
    lat, lon = axes(step, **grid)
    lat = lat[rows]
    values = _values(start, lon, lat, pressures, hybrid, with_geopotential="z" in fields)
    if change is not None:
        change(values)
    with Dataset(path, "w", format="NETCDF4") as file:
        for name, coordinates in (("time", times), ("latitude", lat), ("longitude", lon)):
            file.createDimension(name, len(coordinates))
            file.createVariable(name, "f8", (name,))
        file["time"][:] = [
            (np.datetime64(time) - np.datetime64("1990-01-01")) / np.timedelta64(1, "h") for time in times
        ]
        file["time"].units = "hours since 1990-01-01"
        file["latitude"][:], file["longitude"][:] = lat, lon
        file["latitude"].units, file["longitude"].units = "degrees_north", "degrees_east"
        _write_levels(file, pressures, unit, hybrid)
        for name in fields:
            _write_field(file, name, values[name], pack)
    return path


def hybrid_terms(count):
    """Coefficients of p = a + b ps at `count` model levels (not at their interfaces): a [Pa] and b."""
    return [(coefficients[:-1] + coefficients[1:]) / 2 for coefficients in hybrid_interfaces(count)]


def hybrid_interfaces(count):
    """Coefficients at the interfaces, which GRIB2 stores in 32 bits."""
    return [values.astype(np.float32).astype(float) for values in interfaces(count, 500.0)]


def _values(start, lon, lat, pressures, hybrid, *, with_geopotential):
    """The variables by their keys in CF: (level, latitude, longitude) or (latitude, longitude). The
    geopotential takes most of the time."""
    lam, phi = np.meshgrid(np.radians(lon), np.clip(np.radians(lat), -np.pi / 2, np.pi / 2))
    ps = start.surface_pressure(lam, phi)
    if hybrid:
        a, b = hybrid_terms(hybrid)
        p = a[:, None, None] + b[:, None, None] * ps
    else:
        p = np.broadcast_to(100 * pressures[:, None, None], (len(pressures), *ps.shape))
    east, north = start.wind(lam, phi, p)
    lam, phi = np.broadcast_to(lam, p.shape), np.broadcast_to(phi, p.shape)
    heights = {"z": geopotential(start, lam, phi, p)} if with_geopotential else {}
    return heights | {
        "t": start.temperature(lam, phi, p),
        "u": east,
        "v": north,
        "sp": ps,
        "orog": start.ground_geopotential(lam[0], phi[0]) / GRAVITY,
    }


def _write_levels(file, pressures, unit, hybrid):
    file.createDimension("level", hybrid or len(pressures))
    level = file.createVariable("level", "f8", ("level",))
    if not hybrid:
        level[:] = pressures * (1 if unit == "hPa" else 100)
        level.units = unit
        return
    level[:] = np.arange(hybrid)
    level.standard_name = "atmosphere_hybrid_sigma_pressure_coordinate"
    level.formula_terms = "ap: ap b: b ps: sp"
    for name, values in zip(("ap", "b"), hybrid_terms(hybrid), strict=True):
        file.createVariable(name, "f8", ("level",))[:] = values


def _write_field(file, name, values, pack):
    dimensions = ("time", *(("level",) if values.ndim == 3 else ()), "latitude", "longitude")
    variable = file.createVariable(
        name, "i2" if pack else "f8", dimensions, fill_value=-32767 if pack else None
    )
    variable.standard_name, variable.units = CF[name]
    if pack:
        low, high = np.nanmin(values), np.nanmax(values)
        variable.scale_factor = max(high - low, 1e-3) / 65000
        variable.add_offset = (high + low) / 2
    for i in range(len(file["time"])):
        variable[i] = np.ma.masked_invalid(values)


def start(name="baroclinic_wave", **options):
    """The analytic initial state of a case with this name."""
    return AirStart(name, options=options)


def write_grib(path, source, *, log_pressure=False, first=1):
    """Writes the variables of a netCDF file of `write`, on pressure levels [hPa] or hybrid levels and at one
    time, as GRIB2 with values in 64 bits.

    log_pressure: whether the logarithm of surface pressure is written, on hybrid level 1; first: number of
    the first hybrid level that is written."""
    import eccodes

    with Dataset(source) as file, open(path, "wb") as grib:
        file.set_auto_mask(False)
        pv = (
            np.concatenate(hybrid_interfaces(file.dimensions["level"].size)) if "ap" in file.variables else ()
        )
        lat, lon = (np.asarray(file[name][:]) for name in ("latitude", "longitude"))
        for name in CF.keys() & file.variables.keys():
            values = np.asarray(file[name][0])
            levels = file["level"][:].tolist() if values.ndim == 3 else [0]
            is_log = log_pressure and name == "sp"
            values = np.log(values) if is_log else values
            for level, field in zip(levels, values.reshape(len(levels), -1), strict=True):
                has_levels = values.ndim == 3
                handle = eccodes.codes_grib_new_from_samples(
                    f"regular_ll_{'pl' if has_levels else 'sfc'}_grib2"
                )
                settings = {
                    **{
                        "Ni": len(lon),
                        "Nj": len(lat),
                        "dataDate": 20000101,
                        "dataTime": 0,
                        "shortName": "lnsp" if is_log else name,
                    },
                    **{
                        "latitudeOfFirstGridPointInDegrees": lat[0],
                        "latitudeOfLastGridPointInDegrees": lat[-1],
                    },
                    "longitudeOfFirstGridPointInDegrees": lon[0],
                    "longitudeOfLastGridPointInDegrees": lon[-1],
                    "iDirectionIncrementInDegrees": lon[1] - lon[0],
                    "jDirectionIncrementInDegrees": abs(lat[1] - lat[0]),
                    **({"level": int(level)} if has_levels else {}),
                    **{"packingType": "grid_ieee", "precision": 2},
                }
                if len(pv) and (has_levels or is_log):
                    settings.pop("level", None)  # the kind of the level is set before the level
                    settings |= {"typeOfLevel": "hybrid", "level": int(level) + 1, "PVPresent": 1}
                    if has_levels and settings["level"] < first:
                        continue
                for key, value in settings.items():
                    eccodes.codes_set(handle, key, value)
                if "PVPresent" in settings:
                    eccodes.codes_set_array(handle, "pv", pv)
                eccodes.codes_set_values(handle, field)
                eccodes.codes_write(handle, grib)
                eccodes.codes_release(handle)
    return path

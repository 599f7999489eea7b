"""Spectra at stations in a CF netCDF file with the layout of WAVEWATCH III, written by all ranks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core.io import Placement, Schema
from halcyon.io.attributes import file_attributes, quantity_attributes, time_attributes
from halcyon.io.writing import WITHOUT_TIME, RecordsFile, add_attributes, define_variable

if TYPE_CHECKING:
    from halcyon._core.io import Progress, Ranks
    from halcyon._core.wave import SpectralGrid
    from halcyon.io.attributes import Origin


_SPECTRUM = "sea_surface_wave_directional_variance_spectral_density"
# Variables: name, standard name, long name, units.
_AXES = (
    ("frequency", "sea_surface_wave_frequency", "frequency", "s-1"),
    ("direction", "sea_surface_wave_to_direction", "direction towards, clockwise from north", "degree"),
)
_POSITIONS = (
    ("longitude", "longitude", "longitude of the cell of the station", "degrees_east"),
    ("latitude", "latitude", "latitude of the cell of the station", "degrees_north"),
)
_SERIES = (
    ("efth", _SPECTRUM, "variance density of the sea surface over frequency and direction", "m2 s rad-1"),
    ("dpt", "sea_floor_depth_below_sea_surface", "water depth", "m"),
    ("wnd", "wind_speed", "wind speed at 10 m", "m s-1"),
    ("wnddir", "wind_from_direction", "direction from which the wind at 10 m comes", "degree"),
)


class SpectraFile(RecordsFile):
    """The spectra of a run at its stations. The file is written as `path`.part and renamed when closed.

    Every method is collective. Each rank writes the stations in its cells.

    @param ranks the I/O ranks
    @param stations index in `names` of each station of this rank: int64 array with one value per station
    @param names names of all stations
    @param cell_positions longitude and latitude [degrees] of the cell of each station of this rank: array of
        shape (number of these stations, 2)
    @param grid `halcyon.wave.SpectralGrid`
    @param start start of the run (datetime, UTC)
    @param origin `attributes.Origin` of the run
    @param n_records expected number of records, for which disk space is reserved
    @param progress the state that `sync` returned, if an interrupted file is continued; else None
    """

    def __init__(
        self,
        ranks: Ranks,
        path: Path,
        stations: ArrayLike,
        names: Sequence[str],
        cell_positions: ArrayLike,
        grid: SpectralGrid,
        *,
        start: datetime,
        origin: Origin,
        n_records: int,
        progress: Progress | None = None,
    ) -> None:
        self._cell_positions = np.asarray(cell_positions, float).reshape(-1, 2)
        at_stations = Placement(ranks, np.asarray(stations, np.int64), len(names))
        schema = _schema(names, grid, start, origin)
        super().__init__(ranks, path, schema, at_stations, n_records, progress)
        if progress is None:
            self._write_axes(grid, np.arange(len(names), dtype=np.int32))

    def write(self, hours: float, values: Mapping[str, np.ndarray]) -> None:
        """Appends a record: hours since the start of the run, and arrays by name: `efth` [m2 s rad-1]
        (station of the rank, frequency, direction); depth `dpt` [m], wind speed `wnd` [m s-1] and direction
        `wnddir` [degrees, from] (station of the rank)."""
        self._append(hours, [(name, np.ascontiguousarray(values[name], np.float32)) for name, *_ in _SERIES])

    def _write_axes(self, grid: SpectralGrid, station_numbers: np.ndarray) -> None:
        degrees = np.degrees(np.asarray(grid.direction))
        self._writer.write_root(
            WITHOUT_TIME,
            [("station", station_numbers), ("frequency", np.array(grid.frequency)), ("direction", degrees)],
        )
        columns = np.ascontiguousarray(self._cell_positions.T)
        self._writer.write(
            WITHOUT_TIME, self._placement, [("longitude", columns[0]), ("latitude", columns[1])]
        )


def _schema(names: Sequence[str], grid: SpectralGrid, start: datetime, origin: Origin) -> Schema:
    schema = Schema()
    sizes = ("time", 0), ("station", len(names))
    for name, size in (*sizes, ("frequency", grid.n_frequencies), ("direction", grid.n_directions)):
        schema.dimension(name, size)
    define_variable(schema, "time", "f8", ["time"], time_attributes(start))
    number = {"long_name": "number of the station, counted from 0", "cf_role": "timeseries_id"}
    all_names = {"names": json.dumps(list(names), ensure_ascii=False)}
    define_variable(schema, "station", "i4", ["station"], number | all_names)
    for name, *texts in _AXES:
        define_variable(schema, name, "f8", [name], quantity_attributes(*texts))
    for name, *texts in _POSITIONS:
        define_variable(schema, name, "f8", ["station"], quantity_attributes(*texts))
    for name, *texts in _SERIES:
        spectral_dimensions = ["frequency", "direction"] if name == "efth" else []
        attributes = quantity_attributes(*texts) | {"coordinates": "longitude latitude"}
        define_variable(schema, name, "f4", ["time", "station", *spectral_dimensions], attributes)
    add_attributes(schema, "", file_attributes(origin) | {"featureType": "timeSeries"})
    return schema

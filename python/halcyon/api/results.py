"""The results of a run or an ensemble: fields, series at stations, spectra, and comparisons."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from halcyon import plot
from halcyon.api.comparison import Comparison, compare_folders
from halcyon.api.display import Rows, as_html, as_text
from halcyon.api.field import Field, draw
from halcyon.api.geometry import Geometry
from halcyon.api.picture import FRAMES_PER_S, Picture, animate
from halcyon.api.segments import open_segments
from halcyon.base import ConfigError, InputError
from halcyon.config.error_texts import suggestion
from halcyon.config.run_case import RunCase
from halcyon.mesh.cf_file import open_decoded
from halcyon.mesh.sphere import position_text
from halcyon.run.ensemble.members import member_folder

_FARTHEST = 2.0  # distance of a place from its cell, in widths of cells
_PREFERRED = ("significant_height", "vorticity", "temperature", "height")  # variables of pictures


class Series:
    """Variables at one place over time. `dataset` has them with the dimension time; `series["NAME"]` is
    one of them."""

    def __init__(self, name: str, dataset: xr.Dataset) -> None:
        """dataset: with the dimension station, of size 1"""
        self.name, self._with_station = name, dataset

    @property
    def dataset(self) -> xr.Dataset:
        """The variables (time)."""
        return self._with_station.isel(station=0)

    def __getitem__(self, name: str) -> xr.DataArray:
        """A variable (time). Raises ConfigError for an unknown name."""
        if name not in self.dataset:
            raise ConfigError(f"unknown variable '{name}'. {suggestion(name, map(str, self.dataset))}")
        return self.dataset[name]

    def plot(self) -> Picture:
        """A picture of the series: height, period, wind and direction of waves, or all variables; of an
        ensemble the quantiles of heights."""
        return _picture_of_series(self._with_station, self.name)

    def __repr__(self) -> str:
        return as_text(f"Series at {self.name}", self._rows())

    def _repr_html_(self) -> str:
        return as_html(f"Series at {self.name}", self._rows())

    def _rows(self) -> Rows:
        names = [str(name) for name, array in self.dataset.items() if array.dims == ("time",)]
        return [("time", _span(self.dataset)), ("variables", ", ".join(names))]


class Stations(Mapping[str, Series]):
    """The series at the stations of a run, by their names. `dataset` has them all."""

    def __init__(self, dataset: xr.Dataset) -> None:
        self._names = plot.station_names(dataset)
        self.dataset = dataset.assign(station_name=("station", self._names))

    def __getitem__(self, name: str) -> Series:
        if name not in self._names:
            raise ConfigError(f"there is no station '{name}'. {suggestion(str(name), self._names)}")
        return Series(name, self.dataset.isel(station=[self._names.index(name)]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def plot(self) -> Picture:
        """A picture of the series at all stations."""
        return _picture_of_series(self.dataset, "the stations")

    def __repr__(self) -> str:
        return as_text("Stations", self._rows())

    def _repr_html_(self) -> str:
        return as_html("Stations", self._rows())

    def _rows(self) -> Rows:
        places = zip(self.dataset["lon"].values, self.dataset["lat"].values, strict=True)
        return [(name, position_text(*place)) for name, place in zip(self._names, places, strict=True)]


class Results:
    """The results in the folder of a run or an ensemble. Values are read when they are used."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        """Raises InputError if the folder is not that of a run with complete files."""
        self.folder = Path(folder)
        self._entries, self._files, self._fields = plot.files_of(self.folder)

    @functools.cached_property
    def case(self) -> RunCase | None:
        """The validated case of the run; None if its file no longer exists."""
        return plot.case_of(self._entries)

    @functools.cached_property
    def fields(self) -> xr.Dataset:
        """The fields of all records; of an ensemble their statistics."""
        return open_segments(self._fields)

    @functools.cached_property
    def geometry(self) -> Geometry:
        """The cells or grid points of the fields."""
        return Geometry(self.fields, lambda: plot.land_of(self.case))

    @functools.cached_property
    def variables(self) -> dict[str, str]:
        """The fields: what they are, by their names."""
        return {
            str(name): f"{array.attrs.get('long_name', name)} [{array.attrs.get('units', '1')}]"
            for name, array in self.fields.items()
            if {*self.geometry.dims} <= {*array.dims}
        }

    def __getitem__(self, name: str) -> Field:
        """A field of all times, read when it is used. Raises ConfigError for an unknown name."""
        if name not in self.variables:
            raise ConfigError(f"unknown variable '{name}'. {suggestion(str(name), self.variables)}")
        return Field.of(self.fields[name], self.geometry)

    @functools.cached_property
    def stations(self) -> Stations:
        """The series at stations. Raises InputError if the run has none."""
        return Stations(open_decoded(self._file("stations.nc", "stations")))

    @functools.cached_property
    def spectra(self) -> xr.Dataset:
        """The wave spectra at stations, `efth` [m2 s rad-1]. Raises InputError if the run has none."""
        return open_decoded(self._file("spectra.nc", "spectra"))

    @functools.cached_property
    def integrals(self) -> xr.Dataset:
        """The global integrals of a run of the atmosphere. Raises InputError if the run has none."""
        return open_decoded(self._file("integrals.nc", "integrals"))

    @functools.cached_property
    def ensemble(self) -> dict[str, Results]:
        """The runs of the members of an ensemble, by their names. Raises InputError for a single run."""
        names = self.fields.attrs.get("members", "").split()
        if not names:
            raise InputError(f"{self.folder} is the folder of a run, not of an ensemble.")
        return {name: Results(member_folder(self.folder, name)) for name in names}

    def at(self, place: str | float, latitude: float | None = None) -> Series:
        """The series at a station, by its name, or in the cell of a place, by longitude and latitude
        [degrees]. Raises ConfigError for an unknown station, InputError for a place outside the mesh."""
        if isinstance(place, str):
            return self.stations[place]
        if latitude is None:
            raise ConfigError("at() needs a name, or longitude and latitude [degrees].")
        (cell,), (distance,) = self.geometry.nearest(np.array([place]), np.array([latitude]))
        name = position_text(place, latitude)
        width = self.geometry.width(int(cell))
        if distance > _FARTHEST * width:
            raise InputError(
                f"{name} is {distance / 1e3:.0f} km from the nearest cell, of {width / 1e3:.0f} km. Give a"
                " place in the mesh."
            )
        names = [each for each in self.variables if self.fields[each].dims[:1] == ("time",)]
        columns = self.fields[names].reset_coords(drop=True)
        if self.geometry.is_grid:
            row, column = np.unravel_index(cell, [self.fields.sizes[name] for name in self.geometry.dims])
            column_of_cell = columns.isel(lat=row, lon=column, drop=True)
        else:
            column_of_cell = columns.isel(face=cell)
        dataset = column_of_cell.load().expand_dims("station", axis=-1)
        return Series(name, dataset.assign(station_name=("station", [name])))

    def plot(self, variable: str | None = None, *, time: Any = None, at: float | None = None) -> Picture:
        """A map: without a variable of the highest waves of a run, or of the last record; with one of a time,
        by default the last.

        @param time of the record nearest to it, such as "2022-09-03T06:00"
        @param at level, a value of the vertical coordinate
        """
        if variable is None and time is None and "significant_height" in self.variables:
            return Picture.of(lambda file: plot.draw_maximum(file, self._fields, self.case))
        field = self[variable or self._preferred]
        if "time" in field.dims:
            field = field.isel(time=-1) if time is None else field.sel(time=time, method="nearest")
        return draw(field, at=at)

    def animate(
        self,
        path: str | PathLike[str],
        variable: str | None = None,
        *,
        every: int = 1,
        at: float | None = None,
        frames_per_s: float = FRAMES_PER_S,
    ) -> Path:
        """Writes an animation of maps of a variable, with one scale of colours, as .gif, or as .mp4 where the
        program ffmpeg is installed.

        @param every records from one frame to the next
        @param at level, a value of the vertical coordinate
        @raises ConfigError for another suffix or without ffmpeg
        """
        if isinstance(every, bool) or not isinstance(every, int) or every < 1 or not frames_per_s > 0:
            raise ConfigError(
                f"animate(every={every!r}, frames_per_s={frames_per_s!r}): give positive numbers."
            )
        field = self[variable or self._preferred]
        name = str(field.name)
        if "time" not in field.dims:
            raise ConfigError(f"animate: the variable '{name}' does not change in time. plot() draws it.")
        field = field.isel(time=slice(None, None, every))
        values = plot.on_level(field.to_dataset(name=name), name, at)[0]
        scale = plot.colour_scale([np.nan_to_num(values.values, nan=np.nanmean(values.values))], field.attrs)
        frames = (draw(field.isel(time=i), at=at, scale=scale) for i in range(field.sizes["time"]))
        return animate(path, frames, frames_per_s)

    def compare(self, other: Results | str | PathLike[str]) -> Comparison:
        """The differences of the fields and series of another run from this one, as those of `halcyon
        compare`. Raises InputError for runs without common files, or on other meshes."""
        second = other if isinstance(other, Results) else Results(other)
        return compare_folders(self._files, second._files)

    @property
    def _preferred(self) -> str:
        names = [name for name in _PREFERRED if name in self.variables]
        return names[0] if names else next(iter(self.variables))

    def _file(self, name: str, contents: str) -> Path:
        path = self.folder / name
        if path not in self._files:
            raise InputError(f"the run in {self.folder} has no {contents}: it wrote no {name}.")
        return path

    def __repr__(self) -> str:
        return as_text(f"Results in {self.folder}", self._rows())

    def _repr_html_(self) -> str:
        return as_html(f"Results in {self.folder}", self._rows())

    def _rows(self) -> Rows:
        status = str(self._entries.get("status") or "finished")
        rows = [("run", status), ("time", _span(self.fields)), *self.geometry.rows()]
        rows.append(("fields", ", ".join(self.variables)))
        others = [file.name for file in self._files if file not in self._fields]
        return [*rows, *([("files", ", ".join(others))] if others else [])]


def open_results(folder: str | PathLike[str]) -> Results:
    """Opens the folder of a run (`halcyon run`, `Simulation.save`) or of an ensemble (`halcyon ensemble`).

        run = halcyon.open("mine.out")
        run["significant_height"].isel(time=-1).plot()
        run.stations["Ieodo"].plot()
        run.at(126.6, 32.9)["peak_period"]

    Starts no model, and reads values when they are used. Raises InputError if the folder is not that of a run
    with complete files."""
    return Results(folder)


def _picture_of_series(dataset: xr.Dataset, place: str) -> Picture:
    if "significant_height_mean" in dataset:
        return Picture.of(
            lambda file: plot.plumes(file, dataset, title=f"Significant wave height at {place}")
        )
    return Picture.of(lambda file: plot.stations(file, dataset, title=f"Series at {place}"))


def _span(dataset: xr.Dataset) -> str:
    times = dataset["time"].values.astype("datetime64[m]")
    return f"{len(times)} records, {times[0]} to {times[-1]} UTC"

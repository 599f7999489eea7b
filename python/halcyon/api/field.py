"""Fields of a run: xarray's arrays that know their cells, and draw a map with the coast."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import xarray as xr
from xarray.plot.accessor import DataArrayPlotAccessor

from halcyon import plot
from halcyon.api.geometry import Geometry
from halcyon.api.picture import Picture
from halcyon.base import ConfigError, InputError
from halcyon.io.attributes import is_direction
from halcyon.mesh.cf_file import in_unit
from halcyon.plot.cells import on_level

MOST_MAPS = 12  # in a picture


class Field(xr.DataArray):
    """A field on cells or grid points: an `xarray.DataArray` whose `plot()` is a map.

    Results of its operations are Fields too. Without cells, as after `mean("face")`, `plot()` is xarray's."""

    __slots__ = ("_geometry",)

    @classmethod
    def of(cls, array: xr.DataArray, geometry: Geometry) -> Field:
        """The field of an array with the horizontal dimensions of a geometry."""
        field = cls(array.variable, array.coords, name=array.name)
        field._geometry = geometry
        return field

    @property
    def geometry(self) -> Geometry | None:
        """The cells of the field."""
        return getattr(self, "_geometry", None)

    def _replace(self, *arguments: Any, **options: Any) -> Field:
        result = super()._replace(*arguments, **options)
        result._geometry = self.geometry
        return result

    def __array_ufunc__(self, *arguments: Any, **options: Any) -> Any:
        plain: Any = super()
        return self._kept(plain.__array_ufunc__(*arguments, **options))

    def _kept(self, result: Any) -> Any:
        """A result of xarray as a Field, if it still has the cells."""
        geometry = self.geometry
        if geometry is None or not isinstance(result, xr.DataArray):
            return result
        return Field.of(result, geometry)

    @property
    def plot(self) -> Any:  # type: ignore[override]  # a FieldPlot, in place of that of xarray
        """`plot(at=None, title=None)` draws a map; `plot.hist()` and others are those of xarray."""
        return FieldPlot(self)


def _keep_cells(name: str) -> None:
    """Makes a method of xarray that returns plain arrays return Fields."""
    method = getattr(xr.DataArray, name)

    @functools.wraps(method)
    def kept(self: Field, *arguments: Any, **options: Any) -> Any:
        return self._kept(method(self, *arguments, **options))

    setattr(Field, name, kept)


for _name in ("astype", "where", "fillna", "clip", "isin", "notnull", "isnull"):
    _keep_cells(_name)


class FieldPlot(DataArrayPlotAccessor):
    """Draws a field."""

    __slots__ = ()

    def __call__(  # type: ignore[override]  # maps have options of their own
        self, *, at: float | None = None, title: str | None = None, **options: Any
    ) -> Any:
        """A map of the field with the coast, as a `Picture`; a field of several times gives a map of each. A
        field without cells is drawn by xarray, with its options.

        @param at level, a value of the vertical coordinate; by default 85,000 Pa or the middle level
        @raises InputError for an unknown level, ConfigError for too many times
        """
        field: Any = self._da
        if field.geometry is None or not {*field.geometry.dims} <= {*field.dims}:
            return super().__call__(**options)
        if options:
            raise ConfigError(f"maps have no option '{next(iter(options))}'. Their options are: at, title.")
        return draw(field, at=at, title=title)


def draw(field: Field, *, at: float | None = None, title: str | None = None, scale: Any = None) -> Picture:
    """A map of a field, or one of each of its times. scale: that of `halcyon.plot.colour_scale`, by default
    of the values of the field."""
    geometry = field.geometry
    assert geometry is not None
    level_field, level = on_level(field.to_dataset(name="field"), "field", at)
    maps = _maps(level_field, geometry)
    values = [each for each in maps.values() if np.isfinite(each).any()]
    if not values:
        raise InputError(f"{field.name or 'the field'} has no values to draw.")
    name = str(field.attrs.get("long_name", field.name or "field"))
    heading = title or name[:1].upper() + name[1:] + (f", {level}" if level else "")
    units = field.attrs.get("units", "1")
    label = "" if units == "1" else units
    low, high = min(np.nanmin(each) for each in values), max(np.nanmax(each) for each in values)
    subtitle = (
        "" if is_direction(field.attrs.get("standard_name", "")) else f"{low:.4g} to {high:.4g} {units}"
    )
    lon, lat = _centres(level_field, geometry)
    return Picture.of(
        lambda file: plot.several_maps(
            file,
            geometry.part(lon, lat),
            maps,
            scale or plot.colour_scale(values, field.attrs),
            title=heading,
            subtitle=subtitle,
            label=label,
            land=geometry.land,
            raster=geometry.raster,
        )
    )


def _centres(field: xr.DataArray, geometry: Geometry) -> tuple[np.ndarray, np.ndarray]:
    longitude, latitude = field["lon"].values, field["lat"].values
    if geometry.is_grid:
        latitude, longitude = (each.ravel() for each in np.meshgrid(latitude, longitude, indexing="ij"))
    return longitude, latitude


def _maps(field: xr.DataArray, geometry: Geometry) -> dict[str, np.ndarray]:
    """The values (cell) at each time, by the time as text."""
    others = [str(name) for name in field.dims if name not in geometry.dims]
    if others not in ([], ["time"]):
        raise ConfigError(
            f"the field has the dimensions {', '.join(map(str, field.dims))}. Choose one of"
            f" {', '.join(name for name in others if name != 'time')}, as by isel."
        )
    if not others:
        time = field.coords.get("time")
        text = "" if time is None or time.ndim else _time_text(time.values)
        return {text: field.transpose(*geometry.dims).values.ravel()}
    if field.sizes["time"] > MOST_MAPS:
        raise ConfigError(
            f"{field.sizes['time']} maps would be too many for a picture, of at most {MOST_MAPS}. Choose"
            " times, as by isel(time=-1) or sel(time='2022-09-03T00:00')."
        )
    values = field.transpose("time", *geometry.dims).values
    return {_time_text(time): each.ravel() for time, each in zip(field["time"].values, values, strict=True)}


def _time_text(time: Any) -> str:
    return f"{in_unit(time, 's').item():%-d %b %Y %H:%M} UTC"

"""A map in longitude and latitude with coloured cells, land, a storm track and a colour bar."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.path import Path as Outline
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, MultipleLocator
from numpy.typing import ArrayLike
from shapely.affinity import translate

from halcyon.mesh.sphere import wrapped
from halcyon.plot import style

if TYPE_CHECKING:
    import shapely
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

    from halcyon.wave.track import Track


_LEFT, _RIGHT, _TOP, _BOTTOM = 0.62, 1.05, 0.85, 0.42  # inches around the map
TEXT_OUTLINE = [withStroke(linewidth=2.6, foreground="white")]


class Chart:
    """A map of a bounding box: west, east, south, north [degrees]."""

    def __init__(self, box: tuple[float, float, float, float], title: str, subtitle: str) -> None:
        self.box = west, east, south, north = box
        stretch = 1 / np.cos(np.radians((south + north) / 2))
        width = style.WIDTH - _LEFT - _RIGHT
        height = width * (north - south) * stretch / (east - west)
        total = height + _TOP + _BOTTOM
        self.figure = style.new_figure(total)
        self.axes = self.figure.add_axes(
            (_LEFT / style.WIDTH, _BOTTOM / total, width / style.WIDTH, height / total)
        )
        self.axes.set(xlim=(west, east), ylim=(south, north), aspect=stretch, facecolor="#f7f7f5")
        style.heading(self.figure, title, subtitle, left=_LEFT / style.WIDTH)
        self._graticule()

    def _graticule(self) -> None:
        west, east, south, north = self.box
        step = next(s for s in (1, 2, 5, 10, 20, 30, 60) if max(east - west, north - south) / s <= 9)
        for axis, form in ((self.axes.xaxis, _east), (self.axes.yaxis, _north)):
            axis.set_major_locator(MultipleLocator(step))
            axis.set_major_formatter(FuncFormatter(lambda degrees, _, form=form: form(degrees)))
        self.axes.tick_params(length=3)
        self.axes.grid(color=style.MUTED, alpha=0.25, linewidth=0.5, zorder=2)

    def cells(
        self, polygons: Sequence[np.ndarray], values: ArrayLike, levels: np.ndarray, label: str, colours: str
    ) -> None:
        """Fills each polygon with the colour of its value, and draws the colour bar. levels: limits of the
        colours; colours: name of a colour map."""
        colour_map, norm = style.colours(levels, colours)
        filled = PolyCollection(
            polygons, array=np.asarray(values), cmap=colour_map, norm=norm, edgecolors="face", linewidths=0.25
        )
        filled.set_zorder(1)
        self.axes.add_collection(filled, autolim=False)
        self._colour_bar(filled, levels, label)

    def raster(self, values: np.ndarray, levels: np.ndarray, label: str, colours: str) -> None:
        """Fills the box with an image of values (row from the south, column), NaN where undefined, and draws
        the colour bar."""
        colour_map, norm = style.colours(levels, colours)
        west, east, south, north = self.box
        image = self.axes.imshow(
            values, extent=(west, east, south, north), origin="lower", cmap=colour_map, norm=norm, zorder=1
        )
        self.axes.set_aspect(1 / np.cos(np.radians((south + north) / 2)))
        self._colour_bar(image, levels, label)

    def axes_below(self, height: float) -> list[Axes]:
        """Adds two axes side by side below the map, and enlarges the figure by `height` [inches]."""
        old_height = self.figure.get_size_inches()[1]
        total = old_height + height
        self.figure.set_size_inches(style.WIDTH, total)
        for axes in self.figure.axes:
            box = axes.get_position(original=True)
            bottom = (box.y0 * old_height + height) / total
            axes.set_position((box.x0, bottom, box.width, box.height * old_height / total))
        for text in self.figure.texts:
            text.set_y(1 - (1 - text.get_position()[1]) * old_height / total)
        width = (style.WIDTH - _LEFT - _RIGHT - 1) / 2
        return [
            self.figure.add_axes(
                (left / style.WIDTH, 0.55 / total, width / style.WIDTH, (height - 0.9) / total)
            )
            for left in (_LEFT + 0.2, _LEFT + width + 1)
        ]

    def _colour_bar(self, filled: ScalarMappable, levels: np.ndarray, label: str) -> None:
        box = self.axes.get_position()
        bar_axes = self.figure.add_axes((box.x1 + 0.14 / style.WIDTH, box.y0, 0.17 / style.WIDTH, box.height))
        bar = self.figure.colorbar(filled, cax=bar_axes, ticks=levels[:: 1 + (len(levels) - 1) // 16])
        bar.set_label(label)
        bar.outline.set_linewidth(0.6)
        bar.ax.tick_params(length=0)

    def land(self, geometry: shapely.Geometry | None) -> None:
        """Draws land, a shapely geometry in degrees, or nothing for None."""
        if geometry is None:
            return
        self.axes.add_collection(land_patches(geometry, self.box), autolim=False)

    def track(self, track: Track, start: np.datetime64, end: np.datetime64) -> None:
        """Draws a storm track: dashed, but solid from `start` to `end`, with the date at 00 UTC of each
        day."""
        latitude, longitude = track.latitude, self._wrapped(np.unwrap(track.longitude, period=360))
        self.axes.plot(longitude, latitude, color=style.MUTED, linewidth=1, linestyle=(0, (3, 2)), zorder=4)
        times = np.append(np.arange(start, end, np.timedelta64(1800, "s")), end)
        latitude, longitude = track.positions(times)
        for colour, width in (("white", 3.2), (style.INK, 1.5)):
            self.axes.plot(self._wrapped(longitude), latitude, color=colour, linewidth=width, zorder=4)
        self._dates(track, start, end)

    def tracks(self, tracks: Iterable[Track], start: np.datetime64, end: np.datetime64) -> None:
        """Draws the storm tracks of several members from `start` to `end` as thin lines."""
        for track in tracks:
            times = np.arange(
                max(start, track.times[0]), min(end, track.times[-1]), np.timedelta64(1800, "s")
            )
            latitude, longitude = track.positions(times)
            for colour, width in (("white", 2.2), (style.INK, 0.9)):
                self.axes.plot(self._wrapped(longitude), latitude, color=colour, linewidth=width, zorder=4)

    def _dates(self, track: Track, start: np.datetime64, end: np.datetime64) -> None:
        midnights = np.arange(
            start.astype("datetime64[D]"), end + np.timedelta64(1, "s"), np.timedelta64(1, "D")
        )
        midnights = midnights[midnights >= start]
        latitude, longitude = track.positions(midnights)
        shown = [i for i, x in enumerate(self._wrapped(longitude)) if self.contains(x, latitude[i])]
        positions = np.column_stack([self._wrapped(longitude), latitude])[shown]
        self.axes.plot(*positions.T, "o", markersize=5.5, color=style.INK, markeredgecolor="white", zorder=5)
        names = [day.astype("datetime64[s]").item().strftime("%-d %b") for day in midnights[shown]]
        for position, name, (offset, side) in zip(
            positions, names, self._label_sides(positions), strict=True
        ):
            self.annotate(position[0], position[1], name, offset, fontsize=8.5, ha=side, va="center")

    def _label_sides(self, positions: np.ndarray) -> list[Any]:
        """Returns, per position, the offset [points] and alignment of its label: the first side where a short
        label overlaps no position and no earlier label, or else the side with the most space."""
        sides = [((8, 0), "left"), ((-8, 0), "right"), ((0, 12), "center"), ((0, -12), "center")]
        # Offset [points] from the position to the centre of its label, which is 36 by 11 points, per side.
        label_centres = np.array([(27, 0), (-27, 0), (0, 12), (0, -12)])
        points = self.axes.transData.transform(positions) * 72 / self.figure.dpi
        labels, chosen = np.empty((0, 2)), []
        for i, point in enumerate(points):
            occupied = np.concatenate([np.delete(points, i, axis=0), labels]) - point
            clearances = [
                min(
                    (max(abs(dx) / 36, abs(dy) / 11) for dx, dy in occupied - middle),
                    default=9,
                )
                for middle in label_centres
            ]
            side = next((k for k in range(4) if clearances[k] > 1), int(np.argmax(clearances)))
            labels = np.append(labels, [point + label_centres[side]], axis=0)
            chosen.append(sides[side])
        return chosen

    def annotate(self, x: float, y: float, text: str, offset: tuple[float, float], **font: Any) -> None:
        """Writes text next to a position; offset [points]."""
        self.axes.annotate(
            text,
            (x, y),
            xytext=offset,
            textcoords="offset points",
            path_effects=TEXT_OUTLINE,
            zorder=7,
            **font,
        )

    def contains(self, x: float, y: float) -> bool:
        west, east, south, north = self.box
        return west <= x <= east and south <= y <= north

    def save(self, path: str | os.PathLike[str] | IO[bytes]) -> None:
        style.save(self.figure, path)

    def _wrapped(self, longitude: ArrayLike) -> np.ndarray:
        """Longitudes shifted by multiples of 360 degrees to within 180 degrees of the centre of the map."""
        return wrapped(np.asarray(longitude), (self.box[0] + self.box[1]) / 2)


def land_patches(geometry: shapely.Geometry, box: tuple[float, float, float, float]) -> PathCollection:
    """The patches of land, a shapely geometry in degrees, drawn above the cells. They are repeated every 360
    degrees in the box: west, east, south, north [degrees]."""
    outlines = []
    for polygon in _polygons(geometry):
        west, _, east, _ = polygon.bounds
        turns = np.arange(np.ceil((box[0] - east) / 360), np.floor((box[1] - west) / 360) + 1)
        outlines += [_outline(translate(polygon, 360 * turn)) for turn in turns]
    patches = PathCollection(outlines, facecolors=style.LAND, edgecolors=style.COAST, linewidths=0.5)
    patches.set_zorder(3)
    return patches


def position_text(longitude: float, latitude: float) -> str:
    """A position as text: 31.5°N 126.2°E."""
    return f"{_north(latitude, 1)} {_east(longitude, 1)}"


def _east(degrees: float, digits: int = 0) -> str:
    degrees = (degrees + 180) % 360 - 180
    return f"{abs(degrees):.{digits}f}°{'W' if degrees < 0 else 'E'}"


def _north(degrees: float, digits: int = 0) -> str:
    return f"{abs(degrees):.{digits}f}°{'S' if degrees < 0 else 'N'}"


def _polygons(geometry: shapely.Geometry) -> list[shapely.Polygon]:
    parts = getattr(geometry, "geoms", None)
    if parts is None:
        return [geometry] if geometry.geom_type == "Polygon" and not geometry.is_empty else []
    return [polygon for part in parts for polygon in _polygons(part)]


def _outline(polygon: shapely.Polygon) -> Outline:
    rings = [polygon.exterior, *polygon.interiors]
    return Outline.make_compound_path(
        *(Outline(np.asarray(ring.coords)[:, :2], closed=True) for ring in rings)
    )

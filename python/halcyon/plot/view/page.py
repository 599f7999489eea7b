"""Writes the page: template, style, scripts, the library regl, and the packed data."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import to_hex

from halcyon.base import ConfigError
from halcyon.config import Case
from halcyon.plot.html_page import json_in_html, write_page
from halcyon.plot.run import case_of, files_of, land_of
from halcyon.plot.view.fields import (
    Field,
    description,
    fields_of,
    members_of,
    pack,
    scale,
    stride_for,
    times_of,
)
from halcyon.plot.view.packing import ALPHABET, PackedField
from halcyon.plot.view.points import measurements_of, spectra_of, stations_of
from halcyon.plot.view.shapes import box_of, land_or_note, packed_cells, track_of
from halcyon.run.ensemble.members import member_tracks
from halcyon.run.input.storms import tracks_of

_HERE = Path(__file__).parent
_SCRIPTS = ("data", "sphere", "drawing", "overlay", "charts", "app", "controls")
_COLOUR_MAPS = (
    *("magma_r", "viridis", "cividis", "turbo", "inferno", "YlGnBu", "YlOrRd", "RdBu_r", "PuOr_r"),
    *("twilight", "Greys"),
)
_N_COLOURS = 256
_SPECTRUM_BITS = 8
MOST_RUNS = 2
_FIXED = 0.3e6  # more than the bytes of scripts and style
SIZE = 10e6  # largest number of bytes of a page


class _Blocks:
    """Texts of packed data, which the page unpacks when they are needed, of at most `size` bytes."""

    def __init__(self, size: float) -> None:
        self._size = size
        self._texts: list[str] = []

    @property
    def left(self) -> float:
        """Number of bytes that are left."""
        return self._size - sum(map(len, self._texts))

    def add(self, text: str) -> int:
        """The index of a new block."""
        self._texts.append(text)
        return len(self._texts) - 1

    def add_all(self, packed: Mapping[str, Any]) -> dict[str, Any]:
        """Moves texts into blocks: a text becomes the index of its block."""
        return {name: self.add(value) if isinstance(value, str) else value for name, value in packed.items()}

    def html(self) -> str:
        return "\n".join(
            f'<script type="text/plain" id="block-{i}">{text}</script>' for i, text in enumerate(self._texts)
        )


class _Run:
    """A run or ensemble of the page."""

    def __init__(self, folder: Path, variables: Sequence[str] | None) -> None:
        self.folder, self.fields = folder, fields_of(folder, variables)
        self.entries = files_of(folder)[0]
        self.case, self.dataset = case_of(self.entries), self.fields[0].datasets[0]
        self.box, self.cells = box_of(self.dataset), packed_cells(self.dataset)
        self.title = self.case.heading if self.case else folder.name
        omitted = members_of(folder, self.dataset)[1]
        self.notes = [f"members omitted: {', '.join(omitted)}"] if omitted else []

    def description(self, size: float, buoys: Sequence[str], blocks: _Blocks) -> dict[str, Any]:
        """The description of the run for the page. size: largest number of bytes of its fields and spectra,
        which are added to `blocks`."""
        begin = blocks.left
        in_time = (each for each in self.fields if "time" in each.datasets[0][each.variable].dims)
        stride = stride_for(next(in_time, self.fields[0]), size)
        if stride > 1:
            self.notes.append(f"one of {stride} records is shown; a larger --size allows more")
        times = times_of(self.fields[0].datasets)[::stride]
        shown, omitted, spectra = [], [], None
        for i, each in enumerate(self.fields):
            packed = pack(each, stride, size - (begin - blocks.left))
            if packed is None:
                omitted.append(each.key)
            else:
                shown.append(_described(each, *packed, blocks))
            if i == 0:
                spectra = self._spectra(times, (size - (begin - blocks.left)) / 2, blocks)
        if omitted:
            more = f" and {len(omitted) - 8} others" if len(omitted) > 8 else ""
            self.notes.append(
                f"omitted for their size: {', '.join(omitted[:8])}{more}; --variables and --size choose"
            )
        return {
            "folder": self.folder.name,
            "title": self.title,
            "box": self.box,
            "times": times.tolist(),
            "fields": shown,
            "stations": self._stations(times, [text["variable"] for text in shown]),
            "spectra": spectra,
            "buoys": measurements_of(self.folder, buoys),
            "tracks": [track_of(track) for track in self._tracks()],
        }

    def _stations(self, times: np.ndarray, first: Sequence[str]) -> list[dict[str, Any]]:
        stations, omitted = stations_of(self.folder, times, first)
        if omitted:
            self.notes.append(f"series at stations omitted for their size: {', '.join(omitted)}")
        return stations

    def _spectra(self, times: np.ndarray, size: float, blocks: _Blocks) -> dict[str, Any] | None:
        found = spectra_of(self.folder, times, _SPECTRUM_BITS)
        if found is None:
            return None
        description, texts = found
        if sum(map(len, texts)) > size:
            self.notes.append("spectra are omitted for their size; a larger --size has room for them")
            return None
        for station, text in zip(description["stations"], texts, strict=True):
            station["block"] = blocks.add(text)
        return description

    def _tracks(self) -> list[Any]:
        if not isinstance(self.case, Case):
            return []
        members = str(self.dataset.attrs.get("members", "")).split()
        if members:
            return member_tracks(self.case.path, self.entries["overrides"], members)
        return tracks_of(self.case)


def _described(field: Field, packed: PackedField, values: np.ndarray, blocks: _Blocks) -> dict[str, Any]:
    text = description(field)
    text |= scale(values, text) | {"block": blocks.add(packed.text), "times": len(values)}
    return text | {name: getattr(packed, name) for name in ("lowest", "step", "bits", "error")}


def view_page(
    path: Path,
    folders: Sequence[Path],
    *,
    variables: Sequence[str] | None = None,
    buoys: Sequence[str] = (),
    size: float = SIZE,
    report: Callable[[str], None] = lambda text: None,
) -> None:
    """Writes the page of one run or ensemble, or of two to compare.

    variables: of the fields files, by default all that fit; buoys: measurements at the stations of the first
    run, as for `halcyon.score.collocate`; size: largest number of bytes, except of series at stations;
    report: gets the size of the page, and texts on what is omitted. Raises InputError if a folder has no
    fields or lacks a variable, ConfigError for more than `MOST_RUNS` folders or if not even the cells fit,
    RunError if the page cannot be written."""
    if len(folders) > MOST_RUNS:
        raise ConfigError(f"{len(folders)} runs are given, but a page compares {MOST_RUNS}. Give fewer.")
    runs = [_Run(folder, variables) for folder in folders]
    blocks = _Blocks(size - _FIXED)
    land, note = land_or_note(runs[0].box, next(filter(None, (land_of(run.case) for run in runs)), None))
    land = None if land is None else blocks.add_all(land)
    cells = [blocks.add_all(run.cells) for run in runs]
    if blocks.left <= 0:
        least = (size - blocks.left) / 1e6
        raise ConfigError(f"--size {size / 1e6:g}: the cells and the coast need {least:.1f} MB. Give more.")
    descriptions = [
        {"cells": cells[i]} | run.description(blocks.left / (len(runs) - i), buoys if i == 0 else (), blocks)
        for i, run in enumerate(runs)
    ]
    notes = [text for run in runs for text in run.notes] + [note] * bool(note)
    document: dict[str, Any] = {
        "title": " / ".join(dict.fromkeys(run.title for run in runs)),
        "alphabet": ALPHABET,
        "maps": {name: _colours(name) for name in _COLOUR_MAPS},
        "land": land,
        "runs": descriptions,
        "notes": notes,
    }
    parts = {
        "title": html.escape(document["title"]),
        "style": (_HERE / "page.css").read_text(encoding="utf-8"),
        "licence": html.escape((_HERE / "third_party" / "LICENSE.regl").read_text(encoding="utf-8")),
        "library": (_HERE / "third_party" / "regl.min.js").read_text(encoding="utf-8"),
        "script": "\n".join((_HERE / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS),
        "data": json_in_html(document),
        "blocks": blocks.html(),
    }
    for run in descriptions:
        counts = f"{run['cells']['n']:,} cells, {len(run['times'])} times, {len(run['fields'])} fields"
        report(f"{run['folder']}: {counts}")
    report(f"size of the page: {sum(map(len, parts.values())) / 1e6:.1f} MB")
    for text in notes:
        report(f"note: {text}")
    write_page(path, _HERE / "page.html", parts)


def _colours(name: str) -> str:
    """The colours of a colour map, six hexadecimal digits each."""
    colours = matplotlib.colormaps[name](np.linspace(0, 1, _N_COLOURS))
    return "".join(to_hex(colour)[1:] for colour in colours)

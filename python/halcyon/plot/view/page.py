"""Writes the page: template, style, scripts, the library regl, and the packed data."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import to_hex

from halcyon.base import ConfigError
from halcyon.config import Case
from halcyon.plot.html_page import json_in_html, write_page
from halcyon.plot.run import case_of, files_of, land_of
from halcyon.plot.view.fields import Packing, description, fields_of, scale, times_of
from halcyon.plot.view.packing import ALPHABET
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
SIZE = 10e6  # largest number of bytes of the fields


@dataclass
class _Blocks:
    """Texts of packed data, which the page unpacks when they are needed."""

    texts: list[str] = field(default_factory=list)

    def add(self, text: str) -> int:
        """The index of a new block."""
        self.texts.append(text)
        return len(self.texts) - 1

    def html(self) -> str:
        return "\n".join(
            f'<script type="text/plain" id="block-{i}">{text}</script>' for i, text in enumerate(self.texts)
        )


def view_page(
    path: Path,
    folders: Sequence[Path],
    *,
    variables: Sequence[str] | None = None,
    buoys: Sequence[str] = (),
    size: float = SIZE,
    report: Any = lambda text: None,
) -> None:
    """Writes the page of one run or ensemble, or of two to compare.

    variables: of the fields files, by default all that fit; buoys: measurements at the stations of the first
    run, as for `halcyon.score.collocate`; size: largest number of bytes of the fields, shared by the runs;
    report: gets the size of the page, and texts on what is omitted. Raises InputError if a folder has no
    fields or lacks a variable, ConfigError for more than `MOST_RUNS` folders, RunError if the page cannot be
    written."""
    if len(folders) > MOST_RUNS:
        raise ConfigError(f"{len(folders)} runs are given, but a page compares {MOST_RUNS}. Give fewer.")
    blocks = _Blocks()
    runs = [
        _run(folder, variables, buoys if i == 0 else (), size / len(folders), blocks)
        for i, folder in enumerate(folders)
    ]
    own_land = next((run.pop("land") for run in runs if run["land"] is not None), None)
    box = runs[0]["box"]
    land, note = land_or_note(box, own_land)
    notes = [text for run in runs for text in run.pop("notes")] + [note] * bool(note)
    document = {
        "title": " / ".join(dict.fromkeys(run["title"] for run in runs)),
        "alphabet": ALPHABET,
        "maps": {name: _colours(name) for name in _COLOUR_MAPS},
        "land": None
        if land is None
        else {k: blocks.add(v) if isinstance(v, str) else v for k, v in land.items()},
        "runs": [{name: value for name, value in run.items() if name != "land"} for run in runs],
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
    total = sum(map(len, parts.values()))
    for run in runs:
        counts = f"{run['cells']['n']:,} cells, {len(run['times'])} times, {len(run['fields'])} fields"
        report(f"{run['folder']}: {counts}")
    report(f"size of the page: {total / 1e6:.1f} MB")
    for text in notes:
        report(f"note: {text}")
    write_page(path, _HERE / "page.html", parts)


def _run(
    folder: Path, variables: Sequence[str] | None, buoys: Sequence[str], size: float, blocks: _Blocks
) -> dict[str, Any]:
    """The description of a run; its packed data are added to `blocks`."""
    found = fields_of(folder, variables)
    entries, _, _ = files_of(folder)
    case = case_of(entries)
    dataset, packing = found[0].datasets[0], Packing(size)
    packing.thin(found[0])
    times = times_of(found[0].datasets)[:: packing.stride]
    shown, omitted = [], []
    for each in found:
        packed = packing.pack(each)
        if packed is None:
            omitted.append(each.key)
            continue
        text = description(each)
        data, values = packed
        text |= scale(values, text) | {"block": blocks.add(data.text), "times": len(values)}
        text |= {"lowest": data.lowest, "step": data.step, "bits": data.bits, "error": data.error}
        shown.append(text)
    notes = list(packing.notes)
    if omitted:
        more = f" and {len(omitted) - 8} others" if len(omitted) > 8 else ""
        notes.append(f"omitted for their size: {', '.join(omitted[:8])}{more}; --variables and --size choose")
    spectra = spectra_of(folder, times, _SPECTRUM_BITS)
    if spectra is not None:
        for station, text in zip(spectra[0]["stations"], spectra[1], strict=True):
            station["block"] = blocks.add(text)
    cells = packed_cells(dataset)
    return {
        "folder": folder.name,
        "title": case.heading if case else folder.name,
        "cells": {name: blocks.add(v) if isinstance(v, str) else v for name, v in cells.items()},
        "box": box_of(dataset),
        "times": times.tolist(),
        "fields": shown,
        "stations": stations_of(folder, times, [text["variable"] for text in shown]),
        "spectra": spectra and spectra[0],
        "buoys": measurements_of(folder, buoys),
        "tracks": [track_of(track) for track in _tracks(case, entries, dataset)],
        "land": land_of(case),
        "notes": notes,
    }


def _tracks(case: Any, entries: Any, dataset: Any) -> list:
    if not isinstance(case, Case):
        return []
    members = str(dataset.attrs.get("members", "")).split()
    return member_tracks(case.path, entries["overrides"], members) if members else tracks_of(case)


def _colours(name: str) -> str:
    """The colours of a colour map, six hexadecimal digits each."""
    colours = matplotlib.colormaps[name](np.linspace(0, 1, _N_COLOURS))
    return "".join(to_hex(colour)[1:] for colour in colours)

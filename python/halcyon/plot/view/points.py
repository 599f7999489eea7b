"""Stations of the page: their series, spectra and measurements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.plot.cells import open_files, values_of
from halcyon.plot.series import station_names
from halcyon.plot.spectrum import spectrum_stations
from halcyon.plot.view.packing import packed_field
from halcyon.score import collocate

_DIGITS = 5  # significant digits of a series
_MOST_VALUES = 400_000  # of all series


def stations_of(
    folder: Path, times: np.ndarray, first: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Name, position [degrees] and series of each station of a run, empty without stations; and the variables
    that are omitted for their size.

    times: of the records of the page [s since 1970]; first: variables whose series are kept if all are too
    many. A series has one value per time, None where missing."""
    if not (folder / "stations.nc").exists():
        return [], []
    dataset = open_files(folder / "stations.nc")[0]
    own = values_of(dataset, "time").values.astype("datetime64[s]").astype(np.int64)
    record = {int(time): i for i, time in enumerate(own)}
    chosen = np.array([record.get(int(time), -1) for time in times])
    names = [str(name) for name in dataset.data_vars if {*dataset[name].dims} == {"station", "time"}]
    names.sort(key=lambda name: name not in first)
    texts = station_names(dataset)
    most = _MOST_VALUES // max(len(times) * len(texts), 1)
    names, omitted = names[:most], names[most:]
    lon, lat = (values_of(dataset, name).values for name in ("lon", "lat"))
    values = {name: dataset[name].transpose("station", "time").values for name in names}
    stations = [
        {
            "name": text,
            "lon": round(float(lon[i]), 4),
            "lat": round(float(lat[i]), 4),
            "series": {name: _rounded(values[name][i], chosen) for name in names},
        }
        for i, text in enumerate(texts)
    ]
    return stations, omitted


def _rounded(series: np.ndarray, chosen: np.ndarray) -> list[float | None]:
    values = [float(series[i]) if i >= 0 else np.nan for i in chosen]
    return [float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in values]


def spectra_of(folder: Path, times: np.ndarray, bits: int) -> tuple[dict[str, Any], list[str]] | None:
    """The spectra at the stations of a run at these times: frequencies [Hz], directions towards which waves
    travel [degrees], and per station a packed field (time, frequency * direction) of the square root of the
    variance density [m s^1/2 rad^-1/2], whose small values matter; None without spectra."""
    path = folder / "spectra.nc"
    if not path.exists():
        return None
    dataset = open_files(path)[0]
    own = values_of(dataset, "time").values.astype("datetime64[s]").astype(np.int64)
    record = {int(time): i for i, time in enumerate(own)}
    chosen = [record[int(time)] for time in times if int(time) in record]
    if not chosen:
        return None
    density = values_of(dataset, "efth").transpose("station", "time", "frequency", "direction")
    packed, texts = [], []
    for name, values in zip(spectrum_stations(dataset, path), density.values[:, chosen], strict=True):
        field = packed_field(np.sqrt(np.maximum(values, 0)).reshape(len(chosen), -1), bits)
        packed.append({"name": name, "lowest": field.lowest, "step": field.step, "bits": field.bits})
        texts.append(field.text)
    return {
        "times": own[chosen].tolist(),
        "frequencies": np.round(values_of(dataset, "frequency").values, 5).tolist(),
        "directions": values_of(dataset, "direction").values.tolist(),
        "stations": packed,
    }, texts


def measurements_of(folder: Path, buoys: Sequence[str]) -> list[dict[str, Any]]:
    """Measurements of buoys at the stations of a run, as `halcyon score` pairs them. buoys: as for
    `halcyon.score.collocate`, whose errors it raises."""
    return [
        {
            "station": pairs.station,
            "buoy": pairs.buoy,
            "variable": pairs.variable,
            "times": pairs.times.astype(np.int64).tolist(),
            "values": [float(f"{value:.{_DIGITS}g}") for value in pairs.measured],
        }
        for pairs in (collocate(folder, buoys) if buoys else ())
    ]

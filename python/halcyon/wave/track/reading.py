"""Reads tracks of storms; the format is detected from the content of the file."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import numpy as np

from halcyon.base import ConfigError, InputError
from halcyon.mesh.cf_file import in_unit, is_netcdf
from halcyon.wave.track.atcf import forecast_techniques, is_deck, read_deck
from halcyon.wave.track.hurdat import is_hurdat, read_hurdat
from halcyon.wave.track.ibtracs import is_ibtracs, read_ibtracs, read_ibtracs_netcdf
from halcyon.wave.track.jtwc import is_jtwc_table, read_jtwc_table
from halcyon.wave.track.named_columns import check_columns, read_named_columns
from halcyon.wave.track.rsmc import is_advisory, is_rsmc, read_advisory, read_rsmc
from halcyon.wave.track.table import make_table, numbered_lines, split_line
from halcyon.wave.track.track import Track


def read_track(
    path: str | os.PathLike[str],
    *,
    storm: str | None = None,
    agency: str = "usa",
    technique: str | None = None,
    cycle: np.datetime64 | datetime | None = None,
    best: str | os.PathLike[str] | None = None,
) -> Track:
    """Reads a track: CSV with Halcyon's columns (see `read_named_columns`), a deck of ATCF (JTWC, NHC),
    HURDAT2, IBTrACS CSV or netCDF, best tracks or advisories of RSMC Tokyo, or a JTWC table with separate
    columns for year, month, day and hour. Texts may be compressed by gzip.

    storm: id, name, or name and season (`IRENE 2011`), required if the file has several storms; agency: a key
    of `ibtracs.AGENCIES`, whose values are read from IBTrACS; technique: of a forecast in an a-deck; cycle
    (datetime64, UTC): the time of a forecast; best: file with the best track of the storm, in any of these
    formats, which a forecast continues. Blank lines and lines that start with # are skipped. Raises
    InputError, with the line if there is one, for invalid content, and for a missing or ambiguous storm,
    technique or cycle; ConfigError for options that do not apply to the file."""
    cycle = None if cycle is None else in_unit(cycle, "s")
    track = _read(Path(path), storm, agency, technique, cycle, with_analyses=best is None)
    if storm is not None and not track.storm:
        raise InputError(f"{path} holds one storm without a name: remove forcing.wind.storm.")
    return track if best is None else track.after(_read(Path(best), track.storm or None, agency))


def techniques_of(path: str | os.PathLike[str]) -> list[str]:
    """Returns the techniques of the forecasts in an a-deck of ATCF; none for another file. Raises InputError
    if the file cannot be read."""
    path = Path(path)
    if is_netcdf(path, "a track"):
        return []
    lines = numbered_lines(path)
    is_a_deck = is_deck(split_line(lines[0][1], f"{path}:{lines[0][0]}"))
    return forecast_techniques(path, lines) if is_a_deck else []


def _read(
    path: Path,
    storm: str | None,
    agency: str,
    technique: str | None = None,
    cycle: np.datetime64 | None = None,
    *,
    with_analyses: bool = True,
) -> Track:
    if is_netcdf(path, "a track"):
        _require_unused(path, technique=technique, cycle=cycle)
        return read_ibtracs_netcdf(path, storm, agency)
    lines = numbered_lines(path)
    header = split_line(lines[0][1], f"{path}:{lines[0][0]}")
    if is_deck(header):
        return read_deck(path, lines, storm, technique, cycle, with_analyses=with_analyses)
    if is_advisory(lines):
        _require_unused(path, technique=technique)
        return read_advisory(path, lines, storm, cycle)
    _require_unused(path, technique=technique, cycle=cycle)
    if is_rsmc(lines[0][1]):
        return read_rsmc(path, lines, storm)
    if is_hurdat(header):
        return read_hurdat(path, lines, storm)
    if is_ibtracs(header):
        return read_ibtracs(path, lines, storm, agency)
    if is_jtwc_table(header):
        return read_jtwc_table(make_table(path, lines), storm)
    check_columns(path, header)
    return read_named_columns(make_table(path, lines))


def _require_unused(path: Path, **options: object) -> None:
    """Raises ConfigError for an option of forecasts that is given for another file."""
    for name, value in options.items():
        if value is not None:
            raise ConfigError(
                f"{path} is not an a-deck of ATCF, which has forecasts of several techniques and times. "
                f"Remove the option {name}."
            )

"""Reads the measurements of a buoy from a file of any format."""

from __future__ import annotations

from pathlib import Path

from halcyon.score.named_columns import read_named_columns
from halcyon.score.ndbc_text import read_ndbc_spectra, read_ndbc_text
from halcyon.score.netcdf import read_netcdf
from halcyon.score.series import VARIABLES, Buoy
from halcyon.wave.spectra.ndbc import is_ndbc_text
from halcyon.wave.text_file import beginning

__all__ = ["VARIABLES", "Buoy", "read_buoy"]


def read_buoy(path: Path) -> Buoy:
    """Reads heights, periods, directions and wind speed of a buoy. Formats: NDBC standard meteorological data
    as text (one or two header lines, with or without minutes) and NDBC's five files of spectra, of which
    `path` is one; CSV with named columns; netCDF of NDBC, CDIP and Copernicus Marine (in situ). Texts may be
    gzipped.

    Raises InputError for other files, and for files without wave data."""
    path = Path(path)
    if path.suffix in (".nc", ".nc4"):
        return read_netcdf(path)
    header = beginning(path, 4000).decode("ascii", errors="replace").split("\n")[0]
    if is_ndbc_text(path) and "WVHT" not in header and _has_frequencies(header):
        return read_ndbc_spectra(path)
    return read_named_columns(path) if "," in header else read_ndbc_text(path)


def _has_frequencies(header: str) -> bool:
    """Returns whether the header line is one of spectra: numbers, or names such as (spec_1, freq_1)."""
    last = header.split()[-1]
    return last.endswith(">") or last.replace(".", "", 1).isdigit()

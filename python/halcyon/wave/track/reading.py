"""Reads best tracks; the format is detected from the content of the file."""

from pathlib import Path

from halcyon.base import InputError
from halcyon.wave.track.atcf import is_b_deck, is_jtwc_table, read_b_deck, read_jtwc_table
from halcyon.wave.track.ibtracs import is_ibtracs, read_ibtracs
from halcyon.wave.track.named_columns import check_columns, read_named_columns
from halcyon.wave.track.rsmc import is_rsmc, read_rsmc
from halcyon.wave.track.table import make_table, numbered_lines, split_line
from halcyon.wave.track.track import Track


def read_track(path, *, storm=None, agency="usa") -> Track:
    """Reads a best track: CSV with Halcyon's columns (see `read_named_columns`), a b-deck of JTWC or NHC, a
    JTWC table with separate columns for year, month, day and hour, IBTrACS CSV, or RSMC Tokyo text.

    storm: id or name, required if the file has several storms; agency: "usa" or "tokyo", the agency whose
    values are read from IBTrACS. Blank lines and lines that start with # are skipped. Raises InputError, with
    the line if there is one, for invalid content, and for a missing or ambiguous storm."""
    path = Path(path)
    lines = numbered_lines(path)
    if is_rsmc(lines[0][1]):
        return read_rsmc(path, lines, storm)
    header = split_line(lines[0][1], f"{path}:{lines[0][0]}")
    if is_b_deck(header):
        rows = [split_line(line, f"{path}:{number}") for number, line in lines]
        return read_b_deck(path, rows, [number for number, _ in lines], storm)
    if is_ibtracs(header):
        return read_ibtracs(make_table(path, lines), storm, agency)
    if is_jtwc_table(header):
        return read_jtwc_table(make_table(path, lines), storm)
    if storm is not None:
        raise InputError(f"{path} holds one storm without a name: remove forcing.wind.storm.")
    check_columns(path, header)
    return read_named_columns(make_table(path, lines))

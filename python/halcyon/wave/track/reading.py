"""Reads best tracks; which format a file has is told by what it holds."""

from pathlib import Path

from halcyon.base import InputError
from halcyon.wave.track.atcf import is_b_deck, is_jtwc_table, read_b_deck, read_jtwc_table
from halcyon.wave.track.ibtracs import is_ibtracs, read_ibtracs
from halcyon.wave.track.named_columns import check_columns, read_named_columns
from halcyon.wave.track.rsmc import is_rsmc, read_rsmc
from halcyon.wave.track.table import numbered_lines, table_of, words_of
from halcyon.wave.track.track import Track


def read_track(path, *, storm=None, agency="usa") -> Track:
    """Reads a best track: CSV with our columns (see `read_named_columns`), a b-deck of JTWC or NHC, a table
    of JTWC with a column for each part of the time, IBTrACS' CSV, or RSMC Tokyo's text.

    storm: its id or name, where the file holds several; agency: "usa" or "tokyo", whose values are taken from
    IBTrACS. Blank lines and those that start with # are left out.
    Raises InputError, with the line where there is one, for what cannot be read, and a storm that is not
    there or not plain."""
    path = Path(path)
    lines = numbered_lines(path)
    if is_rsmc(lines[0][1]):
        return read_rsmc(path, lines, storm)
    if is_b_deck(words_of(lines[0][1])):
        rows, numbers = [words_of(line) for _, line in lines], [number for number, _ in lines]
        return read_b_deck(path, rows, numbers, storm)
    header = words_of(lines[0][1])
    if is_ibtracs(header):
        return read_ibtracs(table_of(path, lines), storm, agency)
    if is_jtwc_table(header):
        return read_jtwc_table(table_of(path, lines), storm)
    if storm is not None:
        raise InputError(f"{path} holds one storm without a name: leave forcing.wind.storm out.")
    check_columns(path, header)
    return read_named_columns(table_of(path, lines))

"""Files that all ranks write together, by global id."""

from halcyon._core.io import Placement, Progress, Ranks, Reader, Schema, Type, Writer, verify
from halcyon.io.fields_file import FieldsFile
from halcyon.io.options import IoOptions, io_ranks
from halcyon.io.stations_file import StationsFile
from halcyon.io.writing import writing

__all__ = [
    "FieldsFile",
    "IoOptions",
    "Placement",
    "Progress",
    "Ranks",
    "Reader",
    "Schema",
    "StationsFile",
    "Type",
    "Writer",
    "io_ranks",
    "verify",
    "writing",
]

"""Files that all ranks write and read together, by global id."""

import atexit

from halcyon._core.io import (
    Placement,
    Progress,
    Ranks,
    Reader,
    Schema,
    Type,
    Writer,
    finish_background,
    has_records,
    verify,
)
from halcyon._core.mesh import write_checksums
from halcyon.deprecated import provide
from halcyon.io.fields_file import FieldsFile
from halcyon.io.series_file import StationsFile
from halcyon.io.writing import IoOptions, io_ranks, writing

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
    "has_records",
    "io_ranks",
    "verify",
    "write_checksums",
    "writing",
]

atexit.register(finish_background)  # before MPI ends

provide(__name__)

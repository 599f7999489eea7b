"""Files that all ranks write together, by global id."""

from halcyon._core.io import Placement, Type, Writer
from halcyon.io.fields_file import FieldsFile
from halcyon.io.stations_file import StationsFile
from halcyon.io.writing import writing

__all__ = ["FieldsFile", "Placement", "StationsFile", "Type", "Writer", "writing"]

"""Physics schemes: functions that compute tendencies of columns of air, or source terms of wave spectra."""

from halcyon._core.physics import Columns, ColumnScheme, SpectrumScheme
from halcyon.physics.include import include_dir
from halcyon.physics.python_scheme import CellFunction, Field, function_text
from halcyon.physics.schemes import ADDED, column_scheme, missing_function, source_files, spectrum_scheme

__all__ = [
    "ADDED",
    "CellFunction",
    "ColumnScheme",
    "Columns",
    "Field",
    "SpectrumScheme",
    "column_scheme",
    "function_text",
    "include_dir",
    "missing_function",
    "source_files",
    "spectrum_scheme",
]

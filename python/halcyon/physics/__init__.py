"""Physics schemes: functions that compute tendencies of columns of air, or source terms of wave spectra."""

from halcyon._core.physics import Columns, ColumnScheme, SpectrumScheme
from halcyon.physics.include import include_dir
from halcyon.physics.python_scheme import Field
from halcyon.physics.schemes import column_scheme, source_files, spectrum_scheme

__all__ = [
    "ColumnScheme",
    "Columns",
    "Field",
    "SpectrumScheme",
    "column_scheme",
    "include_dir",
    "source_files",
    "spectrum_scheme",
]

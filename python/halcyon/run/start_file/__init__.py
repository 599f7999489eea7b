"""Starts of atmosphere and spectral model from files: of other runs, or reanalyses."""

from halcyon.run.start_file.on_grid import set_on_grid
from halcyon.run.start_file.start import check_start, set_start

__all__ = ["check_start", "set_on_grid", "set_start"]

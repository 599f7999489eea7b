"""Starts of the atmosphere from files: restart files of other runs, fields files, reanalyses."""

from halcyon.run.start_file.start import check_start, set_start

__all__ = ["check_start", "set_start"]

"""The case file: its options, their checks and their reference documentation."""

from halcyon.config.case import Case
from halcyon.config.load import load_case

__all__ = ["Case", "load_case"]

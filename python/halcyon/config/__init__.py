"""The case file: options, their checks, their reference."""

from halcyon.config.case import Case
from halcyon.config.load import load_case

__all__ = ["Case", "load_case"]

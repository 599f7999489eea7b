"""Spectra of other models at points: reading them, and bringing them to the bins and the cells of a run."""

from halcyon.wave.spectra.points import Weights, between_points
from halcyon.wave.spectra.rebinning import Rebinning
from halcyon.wave.spectra.source import SpectraSource, open_spectra

__all__ = ["Rebinning", "SpectraSource", "Weights", "between_points", "open_spectra"]

"""Spectra of other models at points: reading, rebinning, and interpolation to the cells of a run."""

from halcyon.deprecated import provide
from halcyon.wave.spectra.points import Weights, point_weights
from halcyon.wave.spectra.rebinning import Rebinning
from halcyon.wave.spectra.source import SpectraSource, open_sources, open_spectra

__all__ = ["Rebinning", "SpectraSource", "Weights", "open_sources", "open_spectra", "point_weights"]

provide(__name__)

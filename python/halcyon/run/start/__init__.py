"""Initial states of the atmosphere and the spectral model: from files of other runs or reanalyses, or named
ones."""

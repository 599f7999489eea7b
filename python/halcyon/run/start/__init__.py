"""Initial states of the atmosphere and the spectral model: analytic states, and states from files of other
runs or reanalyses."""

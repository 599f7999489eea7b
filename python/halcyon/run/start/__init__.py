"""Initial states of the atmosphere and the spectral model: named analytic states, and
states from files of other runs or reanalyses."""

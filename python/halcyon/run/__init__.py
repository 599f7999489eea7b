"""Runs of a case: the launcher, the ranks, the time loop, output, restart files and the final report."""

"""A run, from the command to its report: the launcher, the ranks, errors that all ranks agree on."""

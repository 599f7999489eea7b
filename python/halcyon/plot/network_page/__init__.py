"""A page on which the links of a network are watched over time: one file that needs nothing else."""

"""A web page of a run for a look at its fields on a globe or a flat map, as one self-contained HTML file."""

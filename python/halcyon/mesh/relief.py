"""Reads heights or depths of any sign and naming from a netCDF file."""

from halcyon.base import InputError
from halcyon.mesh.grid_file import read_grid

DOWN_WORDS = ("depth", "below", "bathymetry", "deptho", "bottomdepth")
UP_WORDS = ("elevation", "height", "altitude", "topo", "relief", "above", "rose", "z")


def read_relief(path, box, variable=None):
    """Depth [m], positive down, within box (west, south, east, north) [degrees], as a `Grid`.

    Raises InputError if the file cannot be read, or it is unclear which variable is meant or where up is."""
    grid, attributes = read_grid(path, box, variable, "Say which holds the depth by mesh.depth.variable.")
    if not _is_down(path, grid.name, attributes):
        grid.values = -grid.values
    return grid


def _is_down(path, name, attributes):
    """Whether a field is positive down: by its attribute `positive`, else by its names."""
    positive = str(attributes.get("positive", "")).lower()
    if positive in ("up", "down"):
        return positive == "down"
    for text in (attributes.get("standard_name", ""), name, attributes.get("long_name", "")):
        words = str(text).lower().replace("_", " ").split()
        down, up = (any(word in words for word in known) for known in (DOWN_WORDS, UP_WORDS))
        if down != up:
            return down
    raise InputError(
        f"{path}: it is not clear whether {name} is positive up or down. Give it the attribute "
        "positive = 'up' or 'down' (ncatted -a positive,NAME,c,c,down FILE)."
    )

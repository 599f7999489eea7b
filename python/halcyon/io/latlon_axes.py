"""The horizontal axes of files on latitudes and longitudes: standard name, units, axis."""

AXES = {
    "lat": ("latitude", "degrees_north", "Y"),
    "lon": ("longitude", "degrees_east", "X"),
}

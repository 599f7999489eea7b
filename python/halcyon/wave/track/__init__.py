"""Tracks of tropical cyclones: reads them, and checks that they cover a run."""

from halcyon.deprecated import provide
from halcyon.wave.track.reading import read_track, techniques_of
from halcyon.wave.track.track import NAUTICAL_MILE, ONE_MINUTE_AT_SEA, Radii, Track, check_tracks

__all__ = [
    "NAUTICAL_MILE",
    "ONE_MINUTE_AT_SEA",
    "Radii",
    "Track",
    "check_tracks",
    "read_track",
    "techniques_of",
]

provide(__name__)

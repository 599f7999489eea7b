"""Verification of a run against measurements of buoys and altimeters."""

from halcyon.deprecated import provide
from halcyon.score.buoys import VARIABLES, Buoy, read_buoy
from halcyon.score.metrics import Peak, Score, above, high_hours, intervals, join, peak, score
from halcyon.score.pairs import Pairs, collocate

__all__ = [
    "VARIABLES",
    "Buoy",
    "Pairs",
    "Peak",
    "Score",
    "above",
    "collocate",
    "high_hours",
    "intervals",
    "join",
    "peak",
    "read_buoy",
    "score",
]

provide(__name__)

"""What the files of a run say of where they come from."""

from __future__ import annotations

from halcyon import __version__, wave
from halcyon.config.case import Case
from halcyon.io.attributes import Origin


def origin_of(case: Case, what: str) -> Origin:
    """Of a file of a run of the case; what: it holds."""
    return Origin(f"{what}: {case.heading}", __version__, wave.physics_references(case.physics.set))

"""What the files of a run say of where they come from."""

from __future__ import annotations

from halcyon import __version__, wave
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.io.attributes import Origin

_ATMOSPHERE = (
    "Ringler et al. 2010, doi:10.1016/j.jcp.2009.12.007; Thuburn et al. 2009, doi:10.1016/j.jcp.2009.08.006;"
    " Wicker and Skamarock 2002; Gassmann 2013, doi:10.1002/qj.1960"
)
_SPECTRAL = (
    "Hoskins and Simmons 1975, doi:10.1002/qj.49710142918; Simmons and Burridge 1981,"
    " doi:10.1175/1520-0493(1981)109<0758:AEAAMC>2.0.CO;2; Williams 2009, doi:10.1175/2009MWR2724.1"
)


def origin_of(case: RunCase, what: str) -> Origin:
    """Of a file of a run of the case; what: it holds."""
    title = f"{what}: {case.heading}"
    if isinstance(case, AtmosphereCase):
        named = case.equations.set.replace("_", " ")
        return Origin(title, __version__, _ATMOSPHERE, f"global atmosphere model, {named}")
    if isinstance(case, SpectralCase):
        named = f"T{case.mesh.truncation}, {case.equations.set.replace('_', ' ')}"
        return Origin(title, __version__, _SPECTRAL, f"spectral model, {named} equations")
    return Origin(title, __version__, wave.physics_references(case.physics.set))

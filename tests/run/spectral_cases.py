"""Cases of the spectral model for tests of its runs."""

from tests.run import case

CASES = {
    "barotropic": "{set: barotropic}\ninitial: {type: rossby_haurwitz}",
    "shallow_water": "{set: shallow_water, hyperdiffusion: {time_scale: 36000}}\ninitial: {type: mountain}",
    "primitive": "{set: primitive}\ninitial: {type: baroclinic_wave}\nphysics: held_suarez\n"
    "levels: {count: 6, top: 5000}",
}
CASE = """\
model: spectral
mesh: {{truncation: 21}}
time: {{start: 2000-01-01T00:00, end: 2000-01-01T12:00, step: 900}}
output:
  interval: 10800
  segment: 21600
  pictures: false
equations: {equations}
"""
SEGMENTS = ["fields_20000101T0000.nc", "fields_20000101T0600.nc"]
SERIES = ["integrals.nc", "integrals.csv"]


def differing(ours, theirs):
    """The files and variables that differ between two output folders."""
    found = [
        (name, each) for name in (*SEGMENTS, SERIES[0]) for each in case.differing(ours / name, theirs / name)
    ]
    if (ours / SERIES[1]).read_bytes() != (theirs / SERIES[1]).read_bytes():
        found.append(SERIES[1])
    return found

"""Cases of the spectral model for tests of its runs."""

CASES = {
    "barotropic": "{set: barotropic}\ninitial: {type: rossby_haurwitz}",
    "shallow_water": "{set: shallow_water, hyperdiffusion: {time_scale: 36000}}\ninitial: {type: mountain}",
    "primitive": "{set: primitive}\ninitial: {type: baroclinic_wave}\nphysics: held_suarez\n"
    "levels: {count: 6, top: 5000}",
    "semi_lagrangian": "{set: primitive, advection: semi_lagrangian, monotone: true}\n"
    "exchange: {level_groups: 2}\ninitial: {type: baroclinic_wave}\ntracers: [passive_tracer]\n"
    "levels: {count: 6, top: 5000}",
    "moist": "{set: primitive, advection: semi_lagrangian, moist: true}\n"
    "initial: {type: moist_baroclinic_wave}\ntracers: [constant_tracer]\n"
    "physics: [kessler, {scheme: reed_jablonowski, condensation: false, step: 1800}]\n"
    "levels: {count: 6, top: 5000}",
    "in_32_bits": "{set: primitive, advection: semi_lagrangian, precision: 32}\n"
    "initial: {type: baroclinic_wave}\ntracers: [passive_tracer]\nphysics: held_suarez\n"
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

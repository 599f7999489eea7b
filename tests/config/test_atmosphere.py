"""Cases of the atmosphere: options, levels, initial states, and errors for invalid ones."""

import numpy as np
import pytest

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError
from halcyon.config import load_case
from halcyon.config.air_checks import starts_for

HEAD = """\
model: atmosphere
mesh: {level: 3}
time: {start: 2000-01-01T00:00, end: 2000-01-02T00:00}
"""
AIR = "equations: {set: hydrostatic}\ninitial: {type: held_suarez}\n"
NONHYDROSTATIC = AIR.replace("hydrostatic", "nonhydrostatic")
FROM_FILE = "equations: {set: hydrostatic}\ninitial: air.nc\n"
WATER = "initial: {type: mountain}\n"


@pytest.fixture
def load(tmp_path):
    """A function that loads a case of the atmosphere: HEAD and the given text."""

    def _load(text):
        (tmp_path / "case.yaml").write_text(HEAD + text)
        return load_case(tmp_path / "case.yaml")

    return _load


def test_defaults_of_the_air(load):
    """Defaults of a hydrostatic case, whose levels are those of `interfaces()`."""
    case = load(AIR)
    assert (case.physics, case.tracers, case.equations.transport_order) == ([], [], 3)
    assert case.equations.sponge is None and case.equations.off_centring == 0.55
    assert case.output.vertical.pressure == [85000, 50000, 25000]
    assert case.variables == [
        "surface_pressure",
        "temperature",
        "eastward_wind",
        "northward_wind",
        "vorticity",
    ]
    assert all(np.array_equal(*pair) for pair in zip(case.levels.interfaces(), interfaces(), strict=True))
    assert len(case.levels.interfaces()[0]) == 27


def test_defaults_of_shallow_water_stay(load):
    """Defaults of a case without `equations`, which has shallow water and no levels."""
    case = load(WATER)
    assert case.equations.set == "shallow_water" and not case.equations.has_levels
    assert case.variables == ["height", "eastward_wind", "northward_wind", "vorticity"]


def test_options_that_follow_the_equations(load):
    air, off = (
        {"sharp_vorticity": True, "hyperdiffusion": 0.025, "frictional_heating": True},
        {"sharp_vorticity": False, "hyperdiffusion": 0, "frictional_heating": False},
    )
    assert load(AIR).equations.automatic == air
    assert load(AIR.replace("hydrostatic}", "hydrostatic, keep_energy: true}")).equations.automatic == off
    assert load("initial: {type: mountain}\n").equations.automatic == off
    given = ", ".join(f"{name}: {str(value).lower()}" for name, value in off.items())
    assert load(AIR.replace("hydrostatic}", f"hydrostatic, {given}}}")).equations.automatic == off


def test_a_word_for_the_equations(load):
    """`equations: nonhydrostatic` is short for `equations: {set: nonhydrostatic}`."""
    assert load(AIR.replace("{set: hydrostatic}", "nonhydrostatic")).equations.set == "nonhydrostatic"


def test_levels_that_are_made_and_given(load):
    """Generated levels are those of `interfaces` with the same options; given lists are used as they are."""
    case = load(AIR + "levels: {count: 10, top: 1000, spacing: height, coordinate: sigma}\n")
    expected = interfaces(10, 1000, spacing="height", kind="sigma")
    assert all(np.array_equal(*pair) for pair in zip(case.levels.interfaces(), expected, strict=True))
    case = load(AIR + "levels: {a: [100, 5000, 0], b: [0, 0.5, 1]}\n")
    a, b = case.levels.interfaces()
    assert a.tolist() == [100, 5000, 0] and b.tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("spacing", ["stretched", "pressure", "height"])
@pytest.mark.parametrize("top", [1.0, 27391.9])
def test_made_levels_pass_the_checks_of_given_ones(load, spacing, top):
    """Levels that `interfaces` generates are valid as the lists levels.a and levels.b."""
    a, b = interfaces(30, top, spacing=spacing)
    load(AIR + f"levels: {{a: {a.tolist()}, b: {b.tolist()}}}\n")


def test_model_levels_come_with_the_pressure_that_places_them(load):
    """Output on model levels adds the surface pressure to the variables; output on heights does not."""
    case = load(AIR + "output: {vertical: model, variables: [temperature]}\n")
    assert case.variables == ["surface_pressure", "temperature"]
    case = load(AIR + "output: {vertical: {height: [10, 500]}, variables: [temperature, pressure]}\n")
    assert case.variables == ["temperature", "pressure"]
    assert case.output.vertical.height == [10, 500]


@pytest.mark.parametrize("name", starts_for("hydrostatic"))
def test_starts_of_the_air(load, name):
    """Each start of the hydrostatic set has numbers as options, and is refused with shallow water."""
    rotation = atmosphere.air_start_planet(name).rotation
    equations = f"hydrostatic, rotation: {rotation}}}"
    case = load(AIR.replace("held_suarez", name).replace("hydrostatic}", equations))
    assert all(isinstance(value, float) for value in case.initial.options().values())
    with pytest.raises(ConfigError, match=f"initial.type = '{name}' does not go together with equations.set"):
        load(f"initial: {{type: {name}}}\n")


@pytest.mark.parametrize("name", starts_for("shallow_water"))
def test_starts_of_shallow_water(load, name):
    """Each start of shallow water is accepted, and is refused with the hydrostatic set."""
    load(f"initial: {{type: {name}}}\n")
    with pytest.raises(ConfigError) as caught:
        load(AIR.replace("held_suarez", name))
    assert str(caught.value).endswith(
        f"case.yaml:5: initial.type = '{name}' does not go together with equations.set = 'hydrostatic', which"
        " starts from 'baroclinic_wave', 'resting_mountain', 'mountain_waves', 'gravity_wave', 'held_suarez',"
        " 'moist_baroclinic_wave', 'tropical_cyclone' or 'supercell'. Change one of them."
    )


def test_every_variable_of_the_air_may_be_written(load):
    from halcyon.config.air_checks import TRACERS

    table = [row.name for row in atmosphere.air_variables() if row.output and row.name != "topography"]
    text = f"tracers: [{', '.join(TRACERS)}]\noutput: {{vertical: model, variables: [{', '.join(table)}]}}\n"
    case = AIR.replace("held_suarez", "baroclinic_wave").replace("hydrostatic}", "hydrostatic, moist: true}")
    assert load(case + text).variables == table


def test_tracers_of_files_may_be_written(load):
    """Tracers with any name in a start file may be output variables."""
    case = load(FROM_FILE + "tracers: [q, passive_tracer]\noutput: {variables: [q, passive_tracer]}\n")
    assert case.variables == ["q", "passive_tracer"]


LEVELS = "levels: {a: [100, 5000, 0], b: [0, 0.5, 1]}"
MISTAKES = [
    (AIR + "levels: {a: [100, 0]}", "levels.a goes with levels.b, which is missing. Give both."),
    (AIR + "levels: {b: [0, 1]}", "levels.b goes with levels.a, which is missing."),
    (AIR + LEVELS.replace("0.5, ", ""), "levels.a has 3 numbers, levels.b 2."),
    (AIR + "levels: {a: [100, 0], b: [0, 1]}", "levels.a has 2 numbers. Give 3 or more"),
    (
        AIR + LEVELS.replace("[100", "[0"),
        "levels.a begins with 0, but the pressure at the top must be above 0",
    ),
    (AIR + LEVELS.replace("[0, 0.5", "[0.1, 0.5"), "levels.b begins with 0.1, but the top is a surface of"),
    (AIR + LEVELS.replace(", 0]", ", 7]"), "levels.a ends with 7, but the last interface is the ground"),
    (AIR + LEVELS.replace("1]", "0.9]"), "levels.b ends with 0.9, but the last interface is the ground"),
    (
        AIR + LEVELS.replace("5000", "20000"),
        "levels.a and levels.b give 35000 Pa at interface 1 and 30000 Pa at the one below where the pressure"
        " at the ground is 30000 Pa. Pressure must rise",
    ),
    (
        AIR + "levels: {a: [100, 100, 1e4, 0], b: [0, 0.5, 0.3, 1]}",
        "levels.a and levels.b give 55100 Pa at interface 1 and 43000 Pa at the one below where the pressure"
        " at the ground is 110000 Pa.",
    ),
    (AIR + LEVELS.replace("{a", "{count: 2, a"), "levels.count does not go together with the lists levels.a"),
    (AIR + "levels: {count: 1}", "levels.count = 1 must be an integer from 2 to 1000."),
    (AIR + "levels: {top: 0}", "levels.top = 0 must be a number above 0 and at most 50000 [Pa]."),
    (AIR + "levels: {spacing: even}", "levels.spacing = 'even' must be 'stretched', 'pressure' or 'height'."),
    (
        AIR.replace("hydrostatic}", "hydrostatic, sponge: {pressure: 100, rate: 0.1}}"),
        "equations.sponge.pressure = 100 Pa is not below the model's top, 219.4 Pa",
    ),
    (
        AIR.replace("hydrostatic}", "hydrostatic, transport_order: 4}"),
        "equations.transport_order = 4 must be 2 or 3.",
    ),
    (
        AIR.replace("hydrostatic}", "hydrostatic, off_centring: 0.6}"),
        "equations.off_centring does nothing with equations.set = 'hydrostatic'. Leave it out, or take set:"
        " nonhydrostatic.",
    ),
    (
        AIR.replace("hydrostatic}", "hydrostatic, keep_energy: true, vertex_energy: 0.3}"),
        "equations.vertex_energy = 0.3 changes energy, which equations.keep_energy does not allow. Leave out",
    ),
    (
        AIR.replace("hydrostatic}", "hydrostatic, keep_energy: true, sponge: {pressure: 500, rate: 1e-4}}"),
        "equations.sponge changes energy, which equations.keep_energy does not allow. Leave out one of them.",
    ),
    (
        AIR.replace("hydrostatic}", "nonhydrostatic, keep_energy: true, off_centring: 0.6}"),
        "equations.off_centring = 0.6 changes energy, which equations.keep_energy does not allow.",
    ),
    (
        AIR.replace("hydrostatic}", "hydrostatic, keep_energy: true}") + "physics: held_suarez",
        "physics = 'held_suarez' changes energy, which equations.keep_energy does not allow.",
    ),
    (
        AIR.replace("hydrostatic}", "hydrostatic, keep_energy: true, moist: true}"),
        "equations.moist changes energy, which equations.keep_energy does not allow. Leave out one of them.",
    ),
    (
        AIR + "output: {variables: [water_vapour]}",
        "only moist air has the variable 'water_vapour'. Set equations.moist: true, or leave it out.",
    ),
    (
        AIR + "tracers: [cloud_water]",
        "'cloud_water' is a tracer of equations.moist: true. Leave it out of tracers, and set that option.",
    ),
    (
        AIR + "tracers: [water_vapor]",
        "'water_vapour' is a tracer of equations.moist: true. Leave 'water_vapor' out of tracers, and set",
    ),
    (
        AIR.replace("hydrostatic}", "hydrostatic, moist: true}") + "tracers: [rain_water]",
        "'rain_water' is a tracer of equations.moist: true. Leave it out of tracers.",
    ),
    (
        WATER + "equations: {keep_energy: true}",
        "equations.keep_energy does nothing with equations.set = 'shallow_water'. This set conserves",
    ),
    (WATER + "levels: {count: 10}", "levels does nothing with equations.set = 'shallow_water'."),
    (WATER + "physics: held_suarez", "physics does nothing with equations.set = 'shallow_water'."),
    (WATER + "tracers: [passive_tracer]", "tracers does nothing with equations.set = 'shallow_water'."),
    (
        WATER + "output: {vertical: model}",
        "output.vertical does nothing with equations.set = 'shallow_water'",
    ),
    (WATER + "output: {variables: [temperature]}", "unknown variable 'temperature'. There are: height,"),
    (AIR + "output: {variables: [temprature]}", "unknown variable 'temprature'. Did you mean 'temperature'?"),
    (
        AIR + "output: {variables: [precipitation]}",
        "'precipitation' is a field of the physics scheme kessler,",
    ),
    (WATER + "output: {variables: [precipitation]}", "unknown variable 'precipitation'."),
    (AIR + "output: {variables: [topography]}", "unknown variable 'topography'."),
    (
        AIR + "tracers: [humidity]",
        "unknown tracer 'humidity'. There are: passive_tracer, constant_tracer. An initial file",
    ),
    (FROM_FILE + "tracers: [q, q]", "the tracer 'q' is named twice."),
    (
        FROM_FILE + "tracers: [temperature]",
        "the tracer 'temperature' has the name of another variable of output",
    ),
    (
        FROM_FILE + "tracers: [time]",
        "the tracer 'time' has the name of another variable of output files. Name it by",
    ),
    (
        FROM_FILE + "tracers: [o-3]",
        "the tracer's name 'o-3' must consist of letters, digits and _, a letter first.",
    ),
    (FROM_FILE + "tracers: [q]\noutput: {variables: [o3]}", "unknown variable 'o3'."),
    (AIR + "tracers: [passive_tracer, passive_tracer]", "the tracer 'passive_tracer' is named twice."),
    (
        AIR + "tracers: [constant_tracer, passive_tracer]",
        "initial.type = 'held_suarez' has no 'passive_tracer'. Take 'constant_tracer', or another",
    ),
    (
        AIR + "output: {variables: [passive_tracer]}",
        "the tracer 'passive_tracer' is not in the list 'tracers' of this case. Add it there, or leave",
    ),
    (
        AIR + "output: {variables: [pressure]}",
        "the variable 'pressure' is the vertical axis of the output already (option output.vertical).",
    ),
    (
        AIR + "output: {vertical: levels}",
        "output.vertical = 'levels' must be a group with 'pressure' or with",
    ),
    (AIR + "output: {vertical: {pressure: []}}", "output.vertical.pressure is empty."),
    (
        AIR + "output: {vertical: {pressure: [5e4, 7e4, 6e4]}}",
        "output.vertical.pressure has 60000 after 70000. Give increasing or decreasing values.",
    ),
    (AIR + "output: {vertical: {height: [10, 10]}}", "output.vertical.height has 10 after 10."),
    (
        AIR + "output: {vertical: {height: [x]}}",
        "output.vertical.height[0] = 'x' must be a number from -10000",
    ),
    (
        AIR + "output: {vertical: {height: [10], pressure: [10]}}",
        "output.vertical.height does not go together with output.vertical.pressure. Remove one of them.",
    ),
    (AIR.replace("held_suarez", "held"), "initial.type = 'held' must be 'cosine_bell', 'solid_rotation',"),
]


IDS = {  # ids of mistakes whose text has changed, by the beginning of the text
    "the tracer 'time' has the name of anothe": "the tracer 'time' has the name of someth",
    "the tracer's name 'o-3' must consist of ": "the tracer 'o-3' must be named by letter",
    "the tracer 'passive_tracer' is not in th": "the air of this case does not carry 'pas",
    "the variable 'pressure' is the vertical ": "the variable 'pressure' is what output.v",
}


@pytest.mark.parametrize(
    ("text", "message"), MISTAKES, ids=[IDS.get(message[:40], message[:40]) for _, message in MISTAKES]
)
def test_mistakes(load, text, message):
    """An invalid case raises an error with the file, the line and the expected message."""
    with pytest.raises(ConfigError) as caught:
        load(text + "\n")
    assert message in str(caught.value)
    assert "case.yaml:" in str(caught.value)


MOIST = AIR.replace("hydrostatic}", "hydrostatic, moist: true}")
SEA = """\
physics:
  - kessler
  - scheme: reed_jablonowski
    condensation: false
    sea_surface_temperature: 300
"""
PHYSICS_MISTAKES = [
    (
        MOIST + "physics: [kessler, reed_jablonowski]",
        6,
        "'kessler' and 'reed_jablonowski' both condense the vapour above saturation, which would heat and dry"
        " the air twice. Set condensation: false",
    ),
    (
        AIR + "physics:\n  - held_suarez\n  - kessler",
        8,
        "the physics scheme 'kessler' needs the tracer 'water_vapour', which the model does not have. Set"
        " equations.moist: true, or leave it out.",
    ),
    (
        MOIST + SEA + "    surface_fluxes: false",
        10,
        "physics.1.sea_surface_temperature does nothing with surface_fluxes: false.",
    ),
    (
        MOIST + SEA + "    sea_surface: baroclinic_wave",
        10,
        "physics.1.sea_surface_temperature does nothing with sea_surface: baroclinic_wave.",
    ),
    (
        NONHYDROSTATIC.replace("held_suarez", "supercell"),
        4,
        "'supercell' is balanced only on a planet without rotation, but the rotation is 7.292e-05 s-1. Set"
        " equations.rotation: 0, and for the test case equations.radius: 53093.5.",
    ),
]


@pytest.mark.parametrize(("text", "line", "message"), PHYSICS_MISTAKES)
def test_mistakes_of_physics_and_planets(load, text, line, message):
    with pytest.raises(ConfigError) as caught:
        load(text + "\n")
    assert f"case.yaml:{line}: " in str(caught.value) and message in str(caught.value)
    assert " mistakes:" not in str(caught.value)


def test_the_spectral_model_has_no_water(tmp_path):
    """The Eulerian one; moist air needs semi-Lagrangian advection."""
    text = HEAD.replace("atmosphere", "spectral").replace("level: 3", "truncation: 21")
    text += "equations: primitive\ninitial: {type: baroclinic_wave}\nphysics: kessler\n"
    (tmp_path / "case.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"yaml:6: .*does not have\. Set .*moist: true with .*semi_lagr"):
        load_case(tmp_path / "case.yaml")


def test_two_schemes_of_which_one_condenses(load):
    case = load(MOIST + SEA)
    assert [scheme.scheme for scheme in case.physics] == ["kessler", "reed_jablonowski"]
    load(
        NONHYDROSTATIC.replace("nonhydrostatic}", "nonhydrostatic, rotation: 0}").replace(
            "held_suarez", "supercell"
        )
    )


def test_what_is_as_it_would_be_anyway_is_no_mistake(load):
    """Options that do nothing are accepted if they have the value that holds without them."""
    load(WATER + "physics: none\ntracers: []\n")


SEMI_IMPLICIT = "time.scheme=semi_implicit"
SCHEMES = [
    (AIR, [SEMI_IMPLICIT], "does nothing for equations.set = 'hydrostatic'. Leave it out, or take set:"),
    ("initial: {type: cosine_bell}\n", [SEMI_IMPLICIT], "does nothing for initial.type = 'cosine_bell'"),
    (WATER, ["time.tolerance=1e-6"], "time.tolerance does nothing with the scheme runge_kutta."),
    (WATER, [SEMI_IMPLICIT, "time.tolerance=0.1"], "time.tolerance = 0.1 must be a number from 1e-12 to"),
    (WATER, ["time.scheme=leapfrog"], "time.scheme = 'leapfrog' must be 'runge_kutta' or 'semi_implicit'."),
]


@pytest.mark.parametrize(
    ("text", "changes", "message"), SCHEMES, ids=[message[:40] for *_, message in SCHEMES]
)
def test_mistakes_of_the_scheme_in_time(tmp_path, text, changes, message):
    """Invalid options of the time scheme raise the expected message."""
    (tmp_path / "case.yaml").write_text(HEAD + text)
    with pytest.raises(ConfigError) as caught:
        load_case(tmp_path / "case.yaml", changes)
    assert message in str(caught.value)


def test_semi_implicit_steps_of_shallow_water(tmp_path):
    """Shallow water is semi-implicit only on request, with the given tolerance."""
    (tmp_path / "case.yaml").write_text(HEAD + WATER)
    assert not load_case(tmp_path / "case.yaml").is_semi_implicit
    case = load_case(tmp_path / "case.yaml", [SEMI_IMPLICIT, "time.tolerance=1e-6"])
    assert case.is_semi_implicit and case.time.tolerance == 1e-6

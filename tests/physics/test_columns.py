"""Schemes of column physics in the air of both models: languages, options, steps, time schemes, errors."""

import time

import numpy as np
import pytest

from halcyon import atmosphere, spectral
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError, RunError
from halcyon.physics import ColumnScheme, Field, SpectrumScheme, column_scheme
from halcyon.physics.python_scheme import make_scheme
from halcyon.transform import Grid
from tests.atmosphere import atmosphere_states
from tests.physics import schemes
from tests.support import meshes

LEVELS = interfaces(8, 5000.0)
HERE = "tests.physics.schemes"
STEP_S, DAY_S = 450.0, schemes.DAY_S
MODELS = ("hydrostatic", "nonhydrostatic", "runge_kutta", "semi_implicit", "semi_lagrangian")
each_model = pytest.mark.parametrize("model", MODELS)


class Air:
    """Isothermal air at rest in one of MODELS, with schemes."""

    def __init__(self, model, *physics, single=False, start=None):
        self.is_spectral = model in MODELS[2:]
        if self.is_spectral:
            grid = Grid.full(16, 32)
            zero = np.zeros((8, grid.n_points))
            self.core = spectral.Model("primitive", 10, grid, levels=LEVELS, scheme=model, physics=physics)
            self.core.set(
                east=zero, north=zero, temperature=zero + 280, ground=zero[0], surface=zero[0] + 1e5
            )
        else:
            where = {"start": start} if start else atmosphere_states.AT_REST
            self.core = atmosphere_states.core(
                meshes.globe(2), model, **where, physics=list(physics), single=single
            )

    def temperature(self):
        """Temperature of the air: theta Pi in the grid-point models, whose pressure does not change."""
        if self.is_spectral:
            return self.core.products(["temperature"])["temperature"]
        theta = self.core.prognostic("potential_temperature")
        return theta * atmosphere_states.columns(self.core, *LEVELS)[2]

    def field(self, name):
        return self.core.prognostic(name)

    def advance(self, n_steps):
        for _ in range(n_steps):
            self.core.step(STEP_S)


@each_model
def test_a_uniform_heating_heats_by_its_rate(model):
    """A heating of Q K/day warms the air by Q dt in each step, in every time scheme."""
    air = Air(model, column_scheme(f"{HERE}:uniform", rate=3.0))
    before = air.temperature()
    for n in range(1, 8):
        air.advance(1)
        assert air.temperature() - before == pytest.approx(3.0 * n * STEP_S / DAY_S, rel=1e-5)


@each_model
def test_a_scheme_has_its_own_step(model):
    """With a step of three model steps, calls are in steps 1, 4, 7, and the tendency is kept between them."""
    air = Air(model, column_scheme(f"{HERE}:counting", step=3 * STEP_S))
    before, expected = air.temperature(), 0.0
    for n in range(8):
        air.advance(1)
        assert (air.field("calls") == n // 3 + 1).all()
        expected += (n // 3 + 1) * STEP_S / DAY_S
        if model != "semi_implicit" or n % 3 == 0:  # the leapfrog scheme has two time levels
            assert air.temperature() - before == pytest.approx(expected, rel=0.3)
    if model != "semi_implicit":
        assert air.temperature() - before == pytest.approx(expected, rel=1e-4)
    assert air.field("heat") == pytest.approx(6 * 3 * STEP_S / DAY_S)


@each_model
def test_schemes_in_c_and_python_give_the_same_bits(model, tmp_path):
    library = schemes.compiled(tmp_path, "counting", schemes.COUNTING_C)
    ours = Air(model, column_scheme(f"{library}:counting", rate=2.0))
    other = Air(model, column_scheme(f"{HERE}:counting", rate=2.0))
    ours.advance(5), other.advance(5)
    assert (ours.temperature() == other.temperature()).all()
    assert (ours.field("heat") == other.field("heat")).all()
    assert (ours.field("calls") == 5).all()


@each_model
def test_tendencies_add(model):
    """Several schemes heat by the sum of their rates."""
    both = [column_scheme(f"{HERE}:uniform", rate=3.0), column_scheme(f"{HERE}:counting", rate=1.0)]
    air = Air(model, *both)
    before = air.temperature()
    air.advance(1)
    assert air.temperature() - before == pytest.approx(4.0 * STEP_S / DAY_S, rel=1e-5)


@atmosphere_states.each_equation_set
def test_a_uniform_wind_tendency_accelerates_the_wind(equations):
    """A tendency of solid rotation, in cells, gives the normal winds of solid rotation at edges, and a drag
    damps the wind at its rate."""

    def spinning(block):
        block.eastward_wind_tendency[:] = 1e-3 * np.cos(block.latitude)

    def dragging(block):
        block.drag = 1e-4

    mesh = meshes.globe(3)
    rotation = meshes.core(mesh, start="solid_rotation", options={"speed": 1.0}).prognostic("normal_wind")
    rotation = rotation.reshape(-1, 1)
    core = atmosphere_states.core(
        mesh, equations, **atmosphere_states.AT_REST, physics=[_scheme_of(spinning)]
    )
    core.step(1.0)
    wind = core.prognostic("normal_wind")
    assert abs(wind - 1e-3 * rotation).max() < 2e-2 * abs(1e-3 * rotation).max()

    winds = []
    for physics in ([], [_scheme_of(dragging)]):
        core = atmosphere_states.core(mesh, equations, start="baroclinic_wave", physics=physics)
        before = core.prognostic("normal_wind").copy()
        core.step(1.0)
        winds.append(core.prognostic("normal_wind").copy())
    assert abs(winds[1] - winds[0] + 1e-4 * before).max() < 1e-3 * abs(1e-4 * before).max()


def _scheme_of(function):
    scheme = make_scheme(ColumnScheme, function)
    scheme.set({}, 0.0)
    return scheme


@atmosphere_states.each_equation_set
def test_the_state_of_a_scheme_is_that_of_the_model(equations):
    """A scheme sees the winds, pressures and heights that the model outputs."""
    seen = []

    def looking(block):
        names = (
            *("eastward_wind", "northward_wind", "pressure", "temperature", "exner"),
            *("geopotential", "latitude"),
        )
        seen.append({name: getattr(block, name).copy() for name in names})

    core = atmosphere_states.core(
        meshes.globe(2), equations, start="baroclinic_wave", physics=[_scheme_of(looking)]
    )
    names = ["eastward_wind", "northward_wind", "pressure", "potential_temperature", "geopotential_height"]
    products = core.products(names)
    core.step(100.0)
    n = core.n_owned
    blocks = {name: np.concatenate([block[name] for block in seen], axis=-1)[..., :n].T for name in seen[0]}
    assert seen[-1]["latitude"].shape == (64,)  # all blocks have the same width
    np.testing.assert_allclose(blocks["eastward_wind"], products["eastward_wind"], rtol=1e-13, atol=1e-12)
    np.testing.assert_allclose(blocks["northward_wind"], products["northward_wind"], rtol=1e-13, atol=1e-12)
    np.testing.assert_allclose(blocks["pressure"], products["pressure"], rtol=1e-10)
    theta = blocks["temperature"] / blocks["exner"]
    np.testing.assert_allclose(theta, products["potential_temperature"], rtol=1e-12)
    height = blocks["geopotential"] / atmosphere_states.PLANET.gravity
    np.testing.assert_allclose(height, products["geopotential_height"], rtol=1e-9)


def test_tracers_change_by_their_tendencies():
    def decaying(block):
        block.tracer_tendencies = -1e-4 * block.tracers

    core = atmosphere_states.core(
        meshes.globe(2),
        "hydrostatic",
        **atmosphere_states.AT_REST,
        tracers=["constant_tracer"],
        layers=3,
        physics=[_scheme_of(decaying)],
    )
    core.step(100.0)
    assert core.prognostic("constant_tracer") == pytest.approx(1 - 1e-2, rel=1e-12)


@pytest.mark.parametrize("is_spectral", [False, True])
def test_steps_flush_subnormal_numbers_and_schemes_in_python_do_not(is_spectral):
    """Decaying cloud and rain would make steps slow; numpy warns of a processor that flushes."""
    halves = []

    def halving(block):
        halves.append(np.float64(1e-310) / 2)

    if is_spectral:
        Air("semi_lagrangian", _scheme_of(halving)).advance(1)
    else:
        core = _air_with_tracers("constant_tracer", scheme=_scheme_of(halving))
        core.prognostic("constant_tracer")[:] = 1e-310
        core.step(100.0)
        assert not core.prognostic("constant_tracer").any()
    assert halves
    assert min(halves) > 0


@pytest.mark.parametrize(
    "source", [schemes.DECAYING_C, schemes.DECAYING_F90, None], ids=["c", "fortran", "python"]
)
def test_tracers_are_found_by_name(tmp_path, source):
    where = schemes.compiled(tmp_path, "decaying", source) if source else HERE
    core = _air_with_tracers("passive_tracer", "constant_tracer", scheme=column_scheme(f"{where}:decaying"))
    before = core.prognostic("passive_tracer").max()
    core.step(100.0)
    assert core.prognostic("constant_tracer") == pytest.approx(1 - 1e-2, rel=1e-9)
    assert core.prognostic("passive_tracer").max() > before * (1 - 5e-3)
    with pytest.raises(RunError, match=r"'decaying' failed.* no tracer 'constant_tracer'"):
        _air_with_tracers("passive_tracer", scheme=column_scheme(f"{where}:decaying")).step(100.0)


def _air_with_tracers(*tracers, scheme):
    return atmosphere_states.core(
        meshes.globe(2),
        "hydrostatic",
        start="baroclinic_wave",
        layers=3,
        tracers=list(tracers),
        physics=[scheme],
    )


ERRORS = [
    ("failing", r"'failing' failed.*ZeroDivisionError: division by zero \(schemes.py, line \d+\)"),
    ("wrong_shape", r"temperature_tendency has the shape \(level, column\) = \(8, 64\), not \(3, 64\)"),
    ("too_few_columns", r"drag has the shape \(level, column\) = \(8, 64\), not \(64,\)"),
    ("state", r"temperature is part of the state, which schemes cannot change. Assign temperature_tendency"),
    ("empty_state", r"tracers is part of the state, which schemes cannot change. Assign tracer_tendencies"),
    ("misspelt_result", r"heating is not a result or field. There are: temperature_tendency, eastward"),
    ("misspelt_state", r"temprature is not in the block. It has: longitude"),
    ("stopping", r"'stopping' failed.*SystemExit: 3 \(schemes.py, line \d+\)"),
    ("foreign", r"'foreign' failed.*ValueError: é{121}\.?( |$)"),
    ("surrogate", r"'surrogate' failed.*ValueError: caf\? \(schemes.py, line"),
    ("returning", r"'returning' failed.*it returned a value"),
    ("not_finite", r"'not_finite' comput\w+ .*temperature_tendency.*nan.*level 4"),
]


@pytest.mark.parametrize("model", ["hydrostatic", "semi_implicit"])
@pytest.mark.parametrize(("name", "text"), ERRORS)
def test_a_mistake_of_a_scheme_is_an_error(model, name, text):
    air = Air(model, column_scheme(f"{HERE}:{name}"))
    with pytest.raises(RunError, match=text):
        air.advance(1)


def test_a_status_is_an_error(tmp_path):
    library = schemes.compiled(tmp_path, "counting", schemes.COUNTING_C)
    with pytest.raises(RunError, match=r"'failing' failed.*it returned the status 8"):
        Air("hydrostatic", column_scheme(f"{library}:failing")).advance(1)
    with pytest.raises(RunError, match=r"'latin' failed.*no caf\ufffd, été"):
        Air("hydrostatic", column_scheme(f"{library}:latin")).advance(1)


def test_an_interrupt_of_a_scheme_is_an_interrupt():
    def interrupted(block):
        raise KeyboardInterrupt

    air = Air("hydrostatic", _scheme_of(interrupted))
    with pytest.raises(KeyboardInterrupt):
        try:
            air.advance(1)
        except RunError:
            time.sleep(0)  # lets Python handle the signal


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("held", {}, r"no physics scheme 'held'. Use held_suarez"),
        ("held_suarez", {"frictions": 1.0}, r"no option 'frictions'. It has: slow_cooling"),
        ("held_suarez", {"friction": -1.0}, r"'friction'.* is -1, outside its range"),
        ("held_suarez", {"friction": "fast"}, r"'friction'.* must be a number"),
        ("/nowhere/libx.so:x", {}, r"'x' cannot be loaded: /nowhere/libx.so: cannot open"),
        ("/nowhere/x.py:x", {}, r"no file /nowhere/x.py"),
        ("nowhere_at_all:x", {}, r"cannot be imported: ModuleNotFoundError"),
        (f"{HERE}:nothing", {}, r"has no function 'nothing'"),
        (f"{HERE}:uniform", {"speed": 1.0}, r"no option 'speed'. It has: rate"),
        (f"{HERE}:uniform", {"name": 1.0}, r"no option 'name'. It has: rate"),
        (f"{HERE}:uniform", {"rate": [1, 2]}, r"'rate' is \[1, 2\], not one value. Give a number"),
        (f"{HERE}:uniform", {"rate": None}, r"'rate' is None, not one value. Give a number"),
        (f"{HERE}:everything", {"rate": 1.0}, r"no option 'rate'. It has no options\."),
        ("bad.py", {}, r"'bad.py' is a file without a function. Name one: bad.py:FUNCTION"),
        (
            "a/radiation.f90:radiation",
            {},
            r"Compile it to a shared library \(.so\).*: a/radiation.so:radiation",
        ),
    ],
)
def test_a_scheme_that_cannot_be_made_is_an_error(name, options, text):
    with pytest.raises(ConfigError, match=text):
        column_scheme(name, **options)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("int x(void) { return 0; }", "without halcyon_physics.h"),
        (
            "const int halcyon_physics_version = 9; int x(void) { return 0; }",
            "for version 9 of the interface",
        ),
    ],
    ids=["none", "another"],
)
def test_a_library_without_this_version_of_the_interface_is_an_error(tmp_path, source, text):
    library = schemes.compiled(tmp_path, "x", f"/* no #include */ {source}")
    with pytest.raises(ConfigError, match=rf"libx.so was compiled {text}. Compile .* 'x'"):
        column_scheme(f"{library}:x")


def test_a_library_without_the_function_is_an_error(tmp_path):
    library = schemes.compiled(tmp_path, "counting", schemes.COUNTING_C)
    with pytest.raises(ConfigError, match="has no function 'count'"):
        column_scheme(f"{library}:count")
    with pytest.raises(ConfigError, match=r"'rate' .* is 11, outside its range"):
        column_scheme(f"{library}:counting", rate=11.0)
    with pytest.raises(ConfigError, match="declares the option 'step', which is an option of all schemes"):
        column_scheme(f"{library}:taking_step")


def _with_fields(*fields):
    def scheme(block):
        pass

    scheme.fields = fields
    return scheme


@pytest.mark.parametrize(
    ("kind", "function", "text"),
    [
        (ColumnScheme, lambda block, *, step=1: None, "option 'step', which is an option of all schemes"),
        (SpectrumScheme, lambda block, *, scheme=1: None, "option 'scheme', which is an option of all"),
        (ColumnScheme, lambda block, rate=1: None, r"'rate' .* not keyword-only.*Put `\*,` before rate"),
        (ColumnScheme, _with_fields(("heat", "K", "x")), r"contain \('heat', 'K', 'x'\). Give a list of"),
        (ColumnScheme, _with_fields(Field("heat", 1, "x")), "Give a list of halcyon.physics.Field"),
        (
            ColumnScheme,
            _with_fields(Field("drag", "K", "x")),
            "field 'drag', but there is already a variable",
        ),
        (
            ColumnScheme,
            _with_fields(Field("time", "K", "x")),
            "field 'time', but there is already a variable",
        ),
        (SpectrumScheme, _with_fields(Field("source", "K", "x")), "field 'source', but there is already"),
    ],
)
def test_a_wrong_declaration_is_an_error(kind, function, text):
    with pytest.raises(ConfigError, match=text):
        make_scheme(kind, function)


def test_names_must_differ():
    for physics in (["counting", "counting"], ["held_suarez", "held_suarez"]):
        listed = [column_scheme(name if name == "held_suarez" else f"{HERE}:{name}") for name in physics]
        with pytest.raises(ConfigError, match="is listed twice"):
            Air("hydrostatic", *listed)

    def hiding(block):
        pass

    hiding.fields = [Field("temperature", "K", "another temperature")]
    with pytest.raises(ConfigError, match="already a variable of this name"):
        Air("hydrostatic", _scheme_of(hiding))


def test_32_bits():
    air = Air("hydrostatic", column_scheme(f"{HERE}:uniform", rate=300.0), single=True)
    before = air.temperature()
    air.advance(2)
    assert air.temperature() - before == pytest.approx(600 * STEP_S / DAY_S, rel=1e-3)


def test_a_list_of_schemes_is_part_of_the_options():
    scheme = column_scheme("held_suarez", friction=2.0, step=900.0)
    assert (scheme.name, scheme.step, scheme.options["friction"]) == ("held_suarez", 900.0, 2.0)
    assert atmosphere.AirOptions(a=LEVELS[0], b=LEVELS[1], physics=[scheme]) is not None

"""A spectral model on a Gaussian grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import spectral as core
from halcyon._core.physics import ColumnScheme
from halcyon.base import ConfigError, InputError
from halcyon.mesh.sphere import position_text
from halcyon.options import flag, instance, integer, number, one_of, sequence, text
from halcyon.spectral.fitness import require_complete_step, require_stable_step
from halcyon.spectral.tables import EQUATIONS
from halcyon.transform import Grid
from halcyon.transform.arrays import as_array
from halcyon.transform.exchanges import Exchanges, checked_sets, core_arguments, core_property
from halcyon.transform.transform import MEMORY
from halcyon.transform.tuning import ExchangeSettings, collective_errors

if TYPE_CHECKING:
    from halcyon._core.transform import Times
    from halcyon.transform import Hiding

__all__ = ["Model"]

SCHEMES = tuple(core.time_schemes())
_CORES = {64: core.Model, 32: core.SingleModel}  # by precision in bits
_LAGRANGIAN_DEFAULTS = {  # options that only semi_lagrangian has
    "interpolation": "cubic",
    "monotone": False,
    "monotone_tracers": True,
    "decentring": 0.0,
    "mass_fixer": True,
    "solver": "direct",
    "tolerance": 1e-8,
    "halo": "wide",
    "level_groups": 1,
}
INITIAL_FIELDS = ("east", "north", "ground", "surface", "temperature", "tracers")


class Model(Exchanges):
    """Barotropic, shallow-water or primitive equations in spherical harmonics with triangular truncation T.

    The grid is a `halcyon.transform.Grid`; quadratic products are free of aliasing with 3 T + 1 longitudes.
    Points are ordered by rows. `scheme` is runge_kutta, semi_implicit or semi_lagrangian; `filter` and
    `filter_share` are the parameters of the time filter of semi_implicit (Williams 2009). semi_lagrangian
    (shallow water and primitive equations; Hortal 2002) has `interpolation` at departure points (linear,
    quasi_cubic, cubic), limited to the values around them if `monotone` (tracers:
    `monotone_tracers`); `decentring` of the linear terms in time; `mass_fixer`; the `solver` of the implicit
    equations: direct, or gcr, on the grid, to the relative residual `tolerance`; and, without effect on
    results, its `halo` (wide, on_demand) and `level_groups`. With it, primitive equations may have `tracers`,
    names of grid-point fields that are advected, and `moist` air, whose water is the first three tracers.
    `precision` is that of states, fields and messages in bits, 64 or 32; arrays of `prognostic` have it, too.
    `diffusion` is None, or the order of hyperdiffusion and the e-folding time [s] of the shortest waves.
    The primitive equations need `levels`, the coefficients a [Pa] and b of the interfaces from the top, as
    returned by `halcyon.atmosphere.levels.interfaces`; `physics` are the schemes of their column physics, of
    `halcyon.physics`, and `held_suarez` adds that of this name. `memory` limits the
    precomputed Legendre functions of single-field transforms [bytes], as in `halcyon.transform.Transform`; it
    does not affect results.

    With an MPI communicator `comm` the model is distributed over V x W ranks, `sets` = (V, W), by default (1,
    ranks). Each rank owns some coefficients and grid points with all levels; within transforms, fields and
    levels are distributed over V sets, wavenumbers and rows over the W ranks of a set. Functions that compute
    are then collective, and arrays are local to the rank; `points` and `coefficients` are the
    global indices of this rank's points and coefficients. Results do not depend on the distribution, nor on
    the communication (`set_exchange`, `tune`).

    Raises ConfigError, on all ranks, for invalid options and options that differ between ranks.

    >>> model = Model("barotropic", 5, Grid.full(8, 16))
    >>> sines = np.repeat(model.grid.sines, 16)
    >>> model.set(east=10 * np.sqrt(1 - sines**2), north=0 * sines)
    >>> bool(np.abs(model.products(["vorticity"])["vorticity"] - 20 / 6371220.0 * sines).max() < 1e-18)
    True
    """

    def __init__(
        self,
        equations: str,
        truncation: int,
        grid: Grid,
        *,
        planet: core.Planet | None = None,
        scheme: str = "runge_kutta",
        precision: int = 64,
        filter: float = 0.1,
        filter_share: float = 0.53,
        diffusion: tuple[int, float] | None = None,
        levels: tuple[ArrayLike, ArrayLike] | None = None,
        physics: Sequence[ColumnScheme] = (),
        held_suarez: bool = False,
        interpolation: str = "cubic",
        monotone: bool = False,
        monotone_tracers: bool = True,
        tracers: Sequence[str] = (),
        moist: bool = False,
        decentring: float = 0.0,
        mass_fixer: bool = True,
        solver: str = "direct",
        tolerance: float = 1e-8,
        halo: str = "wide",
        level_groups: int = 1,
        memory: int = MEMORY,
        comm: Any = None,
        sets: tuple[int, int] | None = None,
    ) -> None:
        settings: dict[str, Any] = {
            "scheme": scheme,
            "filter": filter,
            "filter_share": filter_share,
            "diffusion": diffusion,
        }
        settings |= {"interpolation": interpolation, "monotone": monotone, "decentring": decentring}
        settings["monotone_tracers"] = monotone_tracers
        settings |= {"solver": solver, "tolerance": tolerance}
        settings |= {"mass_fixer": mass_fixer, "halo": halo, "level_groups": level_groups}
        if solver == "gcr" and comm is None:
            from halcyon.comm import MPI

            comm = MPI.COMM_SELF  # for the global sums of the solver
        with collective_errors(comm) as require_same:
            check_equations(equations, levels)
            if equations == "barotropic" and scheme == "semi_implicit":  # semi_lagrangian: the core's error
                raise ConfigError(f"scheme {scheme} has no effect on the barotropic equations. Leave it out.")
            options = model_options(**settings, memory=memory)
            tracers = sequence("tracers", tracers, text, fewest=0)
            air = air_options(levels, physics, held_suarez, tracers, moist)
            require_same("tracers", list(tracers))
            require_same("moist", moist)
            require_same("equations", equations)
            require_same("precision", integer("precision", precision))
            if precision not in _CORES:
                raise ConfigError(f"precision is {precision} bits. Give 64 or 32.")
            require_same("truncation", integer("truncation", truncation))
            require_same("grid", instance("grid", grid, Grid))
            require_same("sets", checked_sets(comm, sets))
            require_same("planet", planet_options(planet))
            require_same("levels", None if air is None else (air.a, air.b))
            require_same("physics", [(scheme.name, scheme.step, scheme.options) for scheme in physics])
            require_same("held_suarez", held_suarez)
            for name, value in settings.items():
                require_same(name, value)
        self.equations, self.grid, self.truncation = equations, grid, truncation
        self.planet, self.levels, self.moist = planet or core.Planet(), levels, moist
        sets = checked_sets(comm, sets)
        core_comm, *_ = core_arguments(comm, sets) or (None,)
        make = _CORES[precision]
        core_model = make(core_comm, sets, equations, grid.core, truncation, self.planet, options, air)
        self._set_ranks(comm, sets, core_model)
        self.points, self.coefficients = self.core.points, self.core.coefficients
        self.tracers = tuple(self.core.tracers)

    def tune(self, **lists: Any) -> dict[ExchangeSettings, float]:
        """Collective. Selects the fastest communication for the transforms of a tendency evaluation. Each
        candidate is measured `repetitions` times (by default 2); for the lists of candidates see
        `halcyon.transform.Transform.tune`. Does not change the state."""
        return self._tune(self.time_transforms, {"repetitions": 2} | lists)

    def hiding(self) -> Hiding:
        """Collective. Measures how much of the communication is overlapped with computation in the transforms
        of a tendency evaluation, from five blocking and five overlapped evaluations; see
        `halcyon.transform.Transform.hiding`. Does not change the state.

        Raises ConfigError for a single rank."""
        return self._hiding(self.time_transforms)

    def time_transforms(self) -> tuple[Times, Times]:
        """Collective. Runs the transforms of a tendency evaluation and returns their times, to the grid and
        back. Changes neither the state nor the counters of `transforms`."""
        return self.core.time_transforms()

    def set(self, *, axis: Sequence[float] = (0.0, 0.0, 1.0), **given: np.ndarray) -> None:
        """Collective. Sets the initial state from values at the points, which are spectrally truncated.

        All equations need east and north: wind [m s-1], float64 (level, point), or (point) for one layer. All
        equations but the barotropic need ground: height of the orography [m] (point), and surface: height of
        the free surface [m] or, for primitive equations, surface pressure [Pa] (point). Primitive equations
        need temperature [K] (level, point), and, if the model has tracers, tracers: mixing
        ratios [1] (tracer, level, point), in the order of `tracers`. axis: axis of the planet's rotation, a
        unit vector.

        Raises, on all ranks, ConfigError for unknown names, and InputError if a field is missing, has the
        wrong size or is not finite."""
        levels = self.core.n_levels
        winds = {"east": levels, "north": levels}
        heights = {} if self.equations == "barotropic" else {"ground": 1, "surface": 1}
        temperature = {"temperature": levels} if self.levels is not None else {}
        tracers = {"tracers": levels * len(self.tracers)} if self.tracers else {}
        needed = {**winds, **heights, **temperature, **tracers}
        with collective_errors(self._comm) as require_same:
            require_same("axis", axis)
            for name in given:
                one_of("The name of a field", name, INITIAL_FIELDS)
            if np.shape(axis) != (3,) or not abs(np.linalg.norm(axis) - 1) < 1e-6:
                raise ConfigError(f"axis is {axis!r}. Give three numbers of length 1, such as (0, 0, 1).")
            arrays = {name: self._validated(name, given.get(name, ()), n) for name, n in needed.items()}
        self.core.set(**arrays, axis=tuple(axis))

    def _validated(self, name: str, given: Any, n_levels: int) -> np.ndarray:
        """Returns the flattened values. Raises InputError for a wrong size or values that are not finite."""
        values = as_array(given, np.float64, name).ravel()
        size = n_levels * len(self.points)
        if values.size != size:
            raise InputError(
                f"{name} has {values.size} values. Give {size} finite values: {_shape(n_levels)}."
            )
        (invalid,) = np.nonzero(~np.isfinite(values))
        if len(invalid):
            level, point = divmod(int(invalid[0]), len(self.points))
            longitude, latitude = self.grid.location(self.points[point])
            location = f"{f'level {level}, ' if n_levels > 1 else ''}{position_text(longitude, latitude)}"
            raise InputError(f"{name} is {values[invalid[0]]} at {location}. Give finite values.")
        return values

    def resume(self, *, is_start: bool = False) -> None:
        """Collective. Resumes a run whose prognostic variables were restored through `prognostic`. is_start:
        they are those of an initial state, before the first step."""
        self.core.resume(flag("is_start", is_start))

    def step(self, dt: float, *, check: bool = True) -> None:
        """Collective. Takes one step [s]. Raises ConfigError for a step that is not positive and finite. A
        step that is too long for the present state, and an invalid state, are recorded in `failure`; with
        `check`, they raise ConfigError and RunError on all ranks, before the step. After a step whose solver
        did not converge, `failure` is that too, and with `check` raises RunError. `check` forgets earlier
        failures, and so does `set`."""
        with collective_errors(self._comm) as require_same:
            require_same("dt", float(number("dt", dt)))
            if not 0 < dt < np.inf:
                raise ConfigError(f"dt is {dt} s. Give more than 0 s.")
        if check:
            require_stable_step(self, self._comm, self.core.check_step(dt), dt)
        self.core.step(dt, check)
        if check:
            with collective_errors(self._comm):
                require_complete_step(self.core.failure)

    def set_clock(self, n_steps: int, start_date: float) -> None:
        """Sets the clock of the column physics: the number of steps so far, and the time of the start since
        1970-01-01 00:00 UTC [s]."""
        self.core.set_clock(n_steps, start_date)

    def prognostic(self, name: str) -> np.ndarray:
        """A view of the coefficients of one of the `restart_variables`, of its precision (coefficient,
        part); part: real, imaginary. Raises ConfigError for another name."""
        return self.core.prognostic(text("name", name))

    def products(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Collective. Output variables by name, float64 (point) or (point, level) as in the table of
        variables. Raises ConfigError for unknown names."""
        with collective_errors(self._comm) as require_same:
            require_same("names", names := list(sequence("names", names, text, fewest=0)))
        products = self.core.products(names)
        return {name: np.ascontiguousarray(values) for name, values in products.items()}

    def integrals(self) -> np.ndarray:
        """Collective. Global integrals in the order of `integral_variables`."""
        return self.core.integrals()

    def longest_step(self, least_speed: float = 0.0) -> float:
        """Collective. The longest stable step [s] of the present state at this rank's points, assuming a
        maximum wind of at least `least_speed` [m s-1]. Raises ConfigError for a speed that is negative or not
        finite."""
        with collective_errors(self._comm) as require_same:
            require_same("least_speed", float(number("least_speed", least_speed)))
            if not 0 <= least_speed < np.inf:
                raise ConfigError(f"least_speed is {least_speed} m s-1. Give 0 m s-1 or more.")
        return self.core.longest_step(least_speed)

    @property
    def n_levels(self) -> int:
        return self.core.n_levels

    variables = core_property("variables", "The table of variables.")
    integral_variables = core_property("integral_variables", "The table of the `integrals`.")
    restart_variables = core_property("restart_variables", "The variables that a restart file needs.")
    failure = core_property(
        "failure",
        "The first invalid state or unstable step on this rank: point (-1: none), step, variable, level,"
        " value.",
    )
    ground = core_property("ground", "Height of the truncated orography [m] (point).")
    compute_s = core_property("compute_s", "Time of steps and products so far, without communication [s].")
    transforms = core_property(
        "transforms",
        "Times of the transforms on this rank so far: `fourier_s`, `legendre_s`, `exchange_s` [s]; and their "
        "communication: `n_sent` messages, `sent_bytes` in total.",
    )
    advection_costs = core_property(
        "advection_costs",
        "Times of semi-Lagrangian advection on this rank so far, `halcyon.semi_lagrangian.Costs`: departure"
        " points, halos, interpolation.",
    )
    solver_costs = core_property(
        "solver_costs",
        "Costs of the implicit equations of semi-Lagrangian steps so far: `solve_s` [s], with the"
        " exchanges between V sets or the waits for allreduces of gcr, `exchange_s`, and its transforms,"
        " `transform_s`; of gcr also `n_iterations`, `n_allreduces`, and `residual` of the last solution.",
    )
    halo_bytes = core_property(
        "halo_bytes", "Bytes that this rank receives for the halos of a semi-Lagrangian step."
    )
    kept_bytes = core_property(
        "kept_bytes", "Memory of the precomputed Legendre functions on this rank [bytes]."
    )
    memory_bytes = core_property("memory_bytes", "Approximate memory of states and fields [bytes].")


def check_equations(equations: str, levels: tuple[ArrayLike, ArrayLike] | None) -> None:
    if equations not in EQUATIONS:
        raise ConfigError(f"There are no equations {equations!r}. Give one of {', '.join(EQUATIONS)}.")
    if (levels is None) == (equations == "primitive"):
        raise ConfigError(
            "Only the primitive equations have levels, and they need levels. Give both, or neither."
        )


def model_options(
    scheme: str,
    filter: float,
    filter_share: float,
    diffusion: Any,
    interpolation: str,
    monotone: bool,
    decentring: float,
    mass_fixer: bool,
    solver: str,
    tolerance: float,
    halo: str,
    level_groups: int,
    monotone_tracers: bool,
    memory: int,
) -> core.ModelOptions:
    """Returns the core's options of time scheme and hyperdiffusion."""
    if scheme not in SCHEMES:
        raise ConfigError(f"There is no scheme {scheme!r}. Give {' or '.join(SCHEMES)}.")
    given: list[Any] = [interpolation, monotone, monotone_tracers, decentring, mass_fixer, solver, tolerance]
    given += [halo, level_groups]
    if scheme != "semi_lagrangian":
        for (name, default), value in zip(_LAGRANGIAN_DEFAULTS.items(), given, strict=True):
            if value != default:
                raise ConfigError(f"{name} does nothing with the scheme {scheme}. Leave it out.")
    elif solver == "direct" and tolerance != _LAGRANGIAN_DEFAULTS["tolerance"]:
        raise ConfigError("tolerance does nothing with the solver direct. Leave it out, or give gcr.")
    if diffusion is not None and not (isinstance(diffusion, (tuple, list)) and len(diffusion) == 2):
        raise ConfigError(f"diffusion is {diffusion!r}. Give order and time [s], such as (4, 3600), or None.")
    if integer("memory", memory, bits=63) < 0:
        raise ConfigError(f"memory of {memory} bytes was given. Give 0 or more.")
    if diffusion is not None and diffusion[1] == 0:
        raise ConfigError("The time of diffusion is 0 s. Give more than 0 s, or None.")
    order, time_scale = diffusion or (4, 0.0)
    semi_lagrangian = core.LagrangianOptions(
        interpolation=text("interpolation", interpolation),
        monotone=flag("monotone", monotone),
        monotone_tracers=flag("monotone_tracers", monotone_tracers),
        decentring=number("decentring", decentring),
        mass_fixer=flag("mass_fixer", mass_fixer),
        solver=text("solver", solver),
        tolerance=number("tolerance", tolerance),
        halo=text("halo", halo),
        level_groups=integer("level_groups", level_groups),
    )
    return core.ModelOptions(
        semi_implicit=scheme == "semi_implicit",
        filter=number("filter", filter),
        filter_share=number("filter_share", filter_share),
        diffusion_order=integer("the order of diffusion", order),
        diffusion_time=number("the time of diffusion", time_scale),
        memory=memory,
        semi_lagrangian=semi_lagrangian if scheme == "semi_lagrangian" else None,
    )


def planet_options(planet: core.Planet | None) -> tuple[float, float, float] | None:
    """Returns radius, rotation and gravity; None for the Earth."""
    instance("planet", planet, (core.Planet, type(None)))
    if planet is None:
        return None
    radius, rotation, gravity = planet.radius, planet.rotation, planet.gravity
    if not (0 < radius < np.inf and 0 < gravity < np.inf and np.isfinite(rotation)):
        raise ConfigError(
            f"planet has a radius of {radius} m, a rotation of {rotation} rad s-1 and a gravity of {gravity}"
            " m s-2. Give a radius and a gravity above 0, and a finite rotation."
        )
    return radius, rotation, gravity


def air_options(
    levels: tuple[ArrayLike, ArrayLike] | None,
    physics: Sequence[Any],
    held_suarez: bool,
    tracers: Sequence[str] = (),
    moist: bool = False,
) -> core.AirOptions | None:
    """Returns the core's options of the primitive equations; None for other equations."""
    held_suarez = flag("held_suarez", held_suarez)
    if levels is None and (held_suarez or physics):
        name = "held_suarez" if held_suarez else "physics"
        raise ConfigError(f"{name} needs the primitive equations and levels. Give these, or leave it out.")
    if levels is None and tracers:
        raise ConfigError("tracers need the primitive equations and levels. Give these, or leave them out.")
    if flag("moist", moist) and levels is None:
        raise ConfigError("moist needs the primitive equations and levels. Give these, or leave it out.")
    if levels is None:
        return None
    if not (isinstance(levels, (tuple, list)) and len(levels) == 2):
        raise ConfigError(f"levels is {levels!r}. Give (a, b), the coefficients of the interfaces.")
    a, b = (sequence("levels", coefficients, number) for coefficients in levels)
    schemes = [*physics, *([ColumnScheme.built_in("held_suarez")] if held_suarez else [])]
    return core.AirOptions(a=list(a), b=list(b), physics=schemes, tracers=list(tracers), is_moist=moist)


def _shape(n_levels: int) -> str:
    return "(point)" if n_levels == 1 else "(level, point)"

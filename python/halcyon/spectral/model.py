"""A spectral model on a Gaussian grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core import spectral as core
from halcyon.base import ConfigError, InputError
from halcyon.options import flag, instance, integer, number, one_of, sequence, text
from halcyon.spectral.fitness import require_fit
from halcyon.spectral.tables import EQUATIONS
from halcyon.transform import Grid
from halcyon.transform.arrays import as_array
from halcyon.transform.exchanges import Exchanges, checked_sets, core_arguments, core_property
from halcyon.transform.transform import MEMORY
from halcyon.transform.tuning import ExchangeSettings, together

if TYPE_CHECKING:
    from halcyon._core.transform import Times
    from halcyon.transform import Hiding

__all__ = ["Model"]

SCHEMES = tuple(core.time_schemes())
STARTS = ("east", "north", "ground", "surface", "temperature")


class Model(Exchanges):
    """Barotropic, shallow-water or primitive equations in spherical harmonics of the triangle T.

    The grid is a `halcyon.transform.Grid`; products are free of aliasing where it has 3 T + 1 longitudes.
    Points lie row after row, as the grid has them. `scheme` is runge_kutta or semi_implicit; `filter` and
    `filter_share` are those of semi_implicit (Williams 2009); `diffusion` is None, or the order of
    hyperdiffusion and the time [s] in which it takes the shortest waves down by e. The primitive equations
    need `levels`, the coefficients a [Pa] and b of their interfaces from the top, as
    `halcyon.atmosphere.levels.interfaces` makes them; `held_suarez` adds that forcing. `memory` is that of
    `halcyon.transform.Transform`: bytes of functions of Legendre to keep for transforms of one field. Those
    that are not kept are computed anew, and no bit differs.

    With an MPI communicator `comm` its ranks share the model in `sets` = (V, W), whose product is their
    number; by default (1, ranks). Each has some coefficients and some points of the grid, with all levels;
    within transforms V sets share fields, levels among them, and the W ranks of each wavenumbers and rows.
    All that computes is then collective, and arrays are those of the rank's `points` and `coefficients`, the
    places of which among all these are. Bits do not depend on who shares, nor on how ranks exchange
    (`set_exchange`, `tune`).

    Raises ConfigError for what cannot be, and on all ranks where they are given different options.

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
        filter: float = 0.1,
        filter_share: float = 0.53,
        diffusion: tuple[int, float] | None = None,
        levels: tuple[Sequence[float], Sequence[float]] | None = None,
        held_suarez: bool = False,
        memory: int = MEMORY,
        comm: Any = None,
        sets: tuple[int, int] | None = None,
    ) -> None:
        given = {"scheme": scheme, "filter": filter, "filter_share": filter_share, "diffusion": diffusion}
        with together(comm) as same:
            check_equations(equations, levels)
            if equations == "barotropic" and scheme == "semi_implicit":
                raise ConfigError(f"scheme {scheme} does nothing for barotropic equations. Leave it out.")
            options, air = model_options(**given, memory=memory), air_options(levels, held_suarez)
            same("equations", equations)
            same("truncation", integer("truncation", truncation))
            same("grid", instance("grid", grid, Grid))
            same("sets", checked_sets(comm, sets))
            same("planet", planet_options(planet))
            same("levels", None if air is None else (air.a, air.b, air.held_suarez))
            for name, value in given.items():
                same(name, value)
        self.equations, self.grid, self.truncation = equations, grid, truncation
        self.planet, self.levels = planet or core.Planet(), levels
        sets = checked_sets(comm, sets)
        shared, *_ = core_arguments(comm, sets) or (None,)
        made = core.Model(shared, sets, equations, grid.core, truncation, self.planet, options, air)
        self._share(comm, sets, made)
        self.points, self.coefficients = self.core.points, self.core.coefficients

    def tune(self, **lists: Any) -> dict[ExchangeSettings, float]:
        """Collective. From now on ranks exchange as is fastest for the transforms of a tendency, of which so
        many are tried of each (`repetitions`, 2); as `halcyon.transform.Transform.tune`, which has the lists.
        The state stays as it is."""
        return self._tune(self.rehearse, {"repetitions": 2} | lists)

    def hiding(self) -> Hiding:
        """Collective. How much of the exchange hides behind the transforms of a tendency as ranks exchange
        now, by five of them where ranks block and five as they exchange: as
        `halcyon.transform.Transform.hiding`. The state stays as it is.

        Raises ConfigError for one rank, which exchanges nothing."""
        return self._hiding(self.rehearse)

    def rehearse(self) -> tuple[Times, Times]:
        """Collective. Does the transforms of a tendency, and tells what they took: to the grid, and back. The
        state stays as it is, and `transforms` leaves them out."""
        return self.core.rehearse()

    def set(self, *, axis: Sequence[float] = (0.0, 0.0, 1.0), **given: np.ndarray) -> None:
        """Collective. Sets a start by its values at the points, which are truncated.

        east, north: wind [m s-1], float64 (level, point), of one layer (point). But for the barotropic
        equations ground: its height [m] (point), and surface: height of the fluid [m], of air the pressure
        at the ground [Pa] (point). Of air temperature [K] (level, point).
        axis: of length 1, around which the planet turns.
        What the equations do not need is left out. Raises ConfigError for other names, and InputError where
        something is missing, has another size or is not finite: on all ranks, where on any of them.
        """
        levels = self.core.n_levels
        of_winds = {"east": levels, "north": levels}
        of_ground = {} if self.equations == "barotropic" else {"ground": 1, "surface": 1}
        of_air = {"temperature": levels} if self.levels is not None else {}
        needed = {**of_winds, **of_ground, **of_air}
        with together(self._comm) as same:
            same("axis", axis)
            for name in given:
                one_of("The name of a field", name, STARTS)
            if np.shape(axis) != (3,) or not abs(np.linalg.norm(axis) - 1) < 1e-6:
                raise ConfigError(f"axis is {axis!r}. Give three numbers of length 1, such as (0, 0, 1).")
            arrays = {name: self._fitting(name, given.get(name, ()), n) for name, n in needed.items()}
        self.core.set(**arrays, axis=tuple(axis))

    def _fitting(self, name: str, given: Any, n_levels: int) -> np.ndarray:
        """The values of a start, flat. Raises InputError for other numbers of them and any not finite."""
        values = as_array(given, np.float64, name).ravel()
        size = n_levels * len(self.points)
        if values.size != size:
            raise InputError(f"{name} has {values.size} values. Give {size} finite ones: {_shape(n_levels)}.")
        (bad,) = np.nonzero(~np.isfinite(values))
        if len(bad):
            level, point = divmod(int(bad[0]), len(self.points))
            longitude, latitude = self.grid.location(self.points[point])
            place = f"{f'level {level}, ' if n_levels > 1 else ''}{longitude:.2f} E {latitude:.2f} N"
            raise InputError(f"{name} is {values[bad[0]]} at {place}. Give finite values.")
        return values

    def go_on(self) -> None:
        """Says that the states of `prognostic` were set to those that a run had after some steps."""
        self.core.go_on()

    def step(self, dt: float, *, check: bool = True) -> None:
        """Collective. One step [s]. Raises ConfigError for a step that is not above 0 s or not finite, and
        before it is taken, on all ranks alike, for one that is too long for the present state (ConfigError)
        and for a state that is not fit to be gone on from (RunError); without `check` such a step is taken,
        and shows as `trouble`."""
        with together(self._comm) as same:
            same("dt", float(number("dt", dt)))
            if not 0 < dt < np.inf:
                raise ConfigError(f"dt is {dt} s. Give more than 0 s.")
        if check:
            require_fit(self, self._comm, self.core.look_ahead(dt), dt)
        self.core.step(dt)

    def prognostic(self, name: str) -> np.ndarray:
        """A view on coefficients, float64 (coefficient, part), by the name of a row of `held`.
        Raises ConfigError for another."""
        return self.core.prognostic(text("name", name))

    def products(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Collective. Products by name, float64 (point) or (point, level) as their rows in the table of
        variables say. Raises ConfigError for names that are none."""
        with together(self._comm) as same:
            same("names", names := list(sequence("names", names, text, fewest=0)))
        found = self.core.products(names)
        return {name: np.ascontiguousarray(values) for name, values in found.items()}

    def integrals(self) -> np.ndarray:
        """Collective. Over the globe, in the order of `integral_variables`."""
        return self.core.integrals()

    def longest_step(self, least_speed: float = 0.0) -> float:
        """Collective. The longest stable step [s] of the present state at this rank's points, as if some wind
        were at least so fast [m s-1]. Raises ConfigError for a speed below 0, or not finite."""
        with together(self._comm) as same:
            same("least_speed", float(number("least_speed", least_speed)))
            if not 0 <= least_speed < np.inf:
                raise ConfigError(f"least_speed is {least_speed} m s-1. Give 0 m s-1 or more.")
        return self.core.longest_step(least_speed)

    @property
    def n_levels(self) -> int:
        return self.core.n_levels

    variables = core_property("variables", "The table of variables.")
    integral_variables = core_property("integral_variables", "The rows of `integrals`.")
    held = core_property("held", "The rows of the table that a restart needs.")
    trouble = core_property(
        "trouble",
        "The first point (-1: none), with step, variable, level and value, where a state was not fit "
        "to be gone on from.",
    )
    ground = core_property("ground", "Its height [m] (point), truncated.")
    compute_s = core_property("compute_s", "What steps and products took so far, without exchanges [s].")
    transforms = core_property(
        "transforms",
        "What transforms took so far on this rank: `fourier_s`, `legendre_s`, `exchange_s` [s], and "
        "what they sent: `n_sent` messages of `sent_bytes` together.",
    )
    kept_bytes = core_property("kept_bytes", "Bytes of the functions of Legendre that this rank keeps.")
    memory_bytes = core_property("memory_bytes", "What states and fields take, about.")


def check_equations(equations, levels):
    if equations not in EQUATIONS:
        raise ConfigError(f"There are no equations {equations!r}. Give one of {', '.join(EQUATIONS)}.")
    if (levels is None) == (equations == "primitive"):
        raise ConfigError("levels and the primitive equations go together. Give both, or neither.")


def model_options(scheme, filter, filter_share, diffusion, memory):
    """What the core is told of the scheme and hyperdiffusion."""
    if scheme not in SCHEMES:
        raise ConfigError(f"There is no scheme {scheme!r}. Give {' or '.join(SCHEMES)}.")
    if diffusion is not None and not (isinstance(diffusion, (tuple, list)) and len(diffusion) == 2):
        raise ConfigError(f"diffusion is {diffusion!r}. Give order and time [s], such as (4, 3600), or None.")
    if integer("memory", memory, bits=63) < 0:
        raise ConfigError(f"memory of {memory} bytes was given. Give 0 or more.")
    if diffusion is not None and diffusion[1] == 0:
        raise ConfigError("The time of diffusion is 0 s. Give more than 0 s, or None.")
    order, time_scale = diffusion or (4, 0.0)
    return core.ModelOptions(
        semi_implicit=scheme == "semi_implicit",
        filter=number("filter", filter),
        filter_share=number("filter_share", filter_share),
        diffusion_order=integer("the order of diffusion", order),
        diffusion_time=number("the time of diffusion", time_scale),
        memory=memory,
    )


def planet_options(planet):
    """Its numbers; None where it is the Earth."""
    if instance("planet", planet, (core.Planet, type(None))) is None:
        return None
    radius, rotation, gravity = planet.radius, planet.rotation, planet.gravity
    if not (0 < radius < np.inf and 0 < gravity < np.inf and np.isfinite(rotation)):
        raise ConfigError(
            f"planet has a radius of {radius} m, a rotation of {rotation} rad s-1 and a gravity of {gravity}"
            " m s-2. Give a radius and a gravity above 0, and a finite rotation."
        )
    return radius, rotation, gravity


def air_options(levels, held_suarez):
    """What the core is told of air; None of other fluids."""
    held_suarez = flag("held_suarez", held_suarez)
    if levels is None and held_suarez:
        raise ConfigError("held_suarez forces air. Leave it out, or give the primitive equations and levels.")
    if levels is None:
        return None
    if not (isinstance(levels, (tuple, list)) and len(levels) == 2):
        raise ConfigError(f"levels is {levels!r}. Give (a, b) of their interfaces.")
    a, b = (sequence("levels", each, number) for each in levels)
    return core.AirOptions(a=list(a), b=list(b), held_suarez=held_suarez)


def _shape(n_levels: int) -> str:
    return "(point)" if n_levels == 1 else "(level, point)"

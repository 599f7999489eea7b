"""Options of case files with `model: spectral`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from halcyon.choices import choice, choices, names
from halcyon.config.atmosphere import AirCase, Levels, Output, SpanWithStep
from halcyon.config.initial import Initial
from halcyon.config.option import Group, group, option, optional
from halcyon.config.physics import SCHEMES, ColumnPhysicsScheme
from halcyon.config.registry import fields_of, quoted_list
from halcyon.config.run_case import Io, Restart
from halcyon.config.workload import ALGORITHMS, GaussianGrid

if TYPE_CHECKING:
    from halcyon.transform import Grid


_MAX_TRUNCATION = 10000


class Gaussian(Group):
    """Spectral truncation and Gaussian grid."""

    truncation: int = option("Triangular truncation T.", ge=1, le=_MAX_TRUNCATION)
    grid: GaussianGrid = option(
        "Type of the Gaussian grid: full (rows of equal length), reduced (shortest rows without aliasing of"
        " quadratic products) or octahedral (20, 24, 28, .. points per row from the poles).",
        default="full",
    )
    points_per_wave: Literal[2, 3] = option(
        "Points per shortest wave in the rows of full and reduced grids: 3 (quadratic: products of two fields"
        " are free of aliasing) or 2 (linear, for semi-Lagrangian advection).",
        default=3,
        allowed="2 or 3",
    )
    longitudes: Annotated[int, Field(ge=4, le=4 * _MAX_TRUNCATION)] | Literal["auto"] = option(
        "Number of longitudes of a full grid; auto: 3 T + 1 (2 T + 1 for linear grids), rounded up to an even"
        " number without prime factors above 5.",
        default="auto",
    )
    latitudes: Annotated[int, Field(ge=2, le=2 * _MAX_TRUNCATION)] | Literal["auto"] = option(
        "Number of latitudes; auto: half the number of longitudes, rounded up to an even number, or 2 T + 2"
        " for octahedral grids (cubic).",
        default="auto",
    )
    memory: int = option(
        "Memory per rank for precomputed Legendre functions of single-field transforms; functions that do not"
        " fit are recomputed, with bitwise equal results.",
        default=2**19,
        unit="bytes",
        ge=0,
        le=2**40,
    )

    @property
    def n_longitudes(self) -> int:
        """Number of points in each row of a full grid."""
        if self.longitudes != "auto":
            return self.longitudes
        return _fast_row_length(self.points_per_wave * self.truncation + 1)

    @property
    def n_latitudes(self) -> int:
        """Number of rows of the grid."""
        if self.latitudes != "auto":
            return self.latitudes
        return 2 * self.truncation + 2 if self.grid == "octahedral" else (self.n_longitudes + 3) // 4 * 2

    @property
    def gaussian_grid(self) -> Grid:
        """Makes the grid."""
        from halcyon.transform import Grid

        if self.grid == "full":
            return Grid.full(self.n_latitudes, self.n_longitudes)
        if self.grid == "octahedral":
            return Grid.octahedral(self.n_latitudes // 2)
        return Grid.reduced(self.n_latitudes, self.truncation, points_per_wave=self.points_per_wave)

    def row_length(self, row: int) -> int:
        """Number of points of a row, counted from the north."""
        return self.n_longitudes if self.grid == "full" else int(self.gaussian_grid.row_lengths[row])

    @property
    def grid_identity(self) -> list[int | str]:
        """Values that differ between grids of equal truncation, for restart files."""
        if self.grid == "full":
            return [self.n_latitudes, self.n_longitudes]
        linear = ["linear"] if self.grid == "reduced" and self.points_per_wave == 2 else []
        return [self.grid, self.n_latitudes, *linear]

    @property
    def description(self) -> str:
        """`32 x 64 points`, or `44 rows of 20 to 104 points`"""
        if self.grid == "full":
            return f"{self.n_latitudes} x {self.n_longitudes} points"
        lengths = self.gaussian_grid.row_lengths
        return f"{self.n_latitudes} rows of {lengths.min()} to {lengths.max()} points"


def _fast_row_length(minimum: int) -> int:
    """The smallest even number >= `minimum` without prime factors above 5, for fast Fourier transforms."""
    number = minimum + minimum % 2
    while (30 ** number.bit_length()) % number:  # divides a power of 30 if its prime factors are 2, 3 and 5
        number += 2
    return number


Sets = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=2, max_length=2)]
_CORE_PATTERN = r"^(auto|shared|[0-9]+(,[0-9]+)*)$"
# Transforms support every method; case files offer them those without the trait halos_only.
METHODS = tuple(method.name for method in choices("exchange methods") if "halos_only" not in method.traits)
if TYPE_CHECKING:
    _Method = str
    _Progress = str
else:
    _Method = Literal[METHODS]
    _Progress = Literal[*names("progress"), "auto"]
# Options whose value 'auto' is replaced by the fastest in measurements.
TUNED_OPTIONS = ("groups", "ahead", "method", "algorithm", "progress")


class TransformExchange(Group):
    """Distribution and communication of the transforms; results do not depend on them. Options with 'auto'
    among groups, ahead, method, algorithm and progress are measured before the first step; the fastest
    combination is used."""

    sets: Sets | Literal["auto"] = option(
        "Numbers [V, W], whose product is the number of ranks: fields and levels are distributed over V sets"
        " of ranks, wavenumbers and rows over the W ranks of each set; auto: the smallest possible V.",
        default="auto",
        allowed="a list of two integers such as [2, 4], or 'auto'",
    )
    groups: Annotated[int, Field(ge=1, le=1000)] | Literal["auto"] = option(
        "Number of groups into which the fields of a transform are split, so that the exchange of one group"
        " overlaps with the computation of another.",
        default="auto",
    )
    ahead: Annotated[int, Field(ge=0, le=100)] | Literal["auto"] = option(
        "Number of groups whose exchange is in flight while another group is transformed; 0: blocking"
        " exchange.",
        default=1,
    )
    method: _Method = option("MPI calls of the exchange.", default="isend_irecv")
    algorithm: str = option(
        "Algorithm of each all-to-all.",
        default="burst",
        allowed=f"{ALGORITHMS}, or 'auto'",
        pattern=rf"^({'|'.join(names('all-to-alls'))}(-[1-9][0-9]{{0,8}})?|auto)$",
    )
    progress: _Progress = option(
        "MPI progress during computation: none, polls by the transforms, or a progress thread.",
        default="poll",
    )
    core: Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=_CORE_PATTERN)] = option(
        "CPU core of the progress thread. auto: a core of the node without a rank, if there is one; shared:"
        " the core of its rank; numbers: one core for each rank of a node.",
        default="auto",
        allowed="'auto', 'shared', a number such as 3, or numbers such as '2,3'",
    )
    halo: Literal["wide", "on_demand"] = option(
        "Halo of semi-Lagrangian advection: wide (all points that the strongest wind may need), or on_demand"
        " (the points that the departure points of a step need).",
        default="wide",
    )
    level_groups: int = option(
        "Number of groups of levels whose halos are exchanged separately, while others are interpolated.",
        default=1,
        ge=1,
        le=1000,
    )
    retune: int = option(
        "Number of steps after which options with 'auto' are measured again; 0: never.",
        default=0,
        ge=0,
        le=10**9,
    )

    @property
    def needs_tuning(self) -> bool:
        """True if at least one option is chosen by measurements."""
        return "auto" in [getattr(self, name) for name in TUNED_OPTIONS]


# The types of initial states of each equation set.
STARTS = {equations.name: equations.only_with for equations in choices("spectral equation sets")}
_ALL_STARTS = list(dict.fromkeys(name for starts in reversed(STARTS.values()) for name in starts))
# The planet and the precision; these options are the same for all equation sets of the atmosphere.
_PLANET = fields_of("equation sets", "shallow_water")
SEMI_LAGRANGIAN = "semi_lagrangian"  # the time scheme of this advection
_SEMI_IMPLICIT = fields_of("spectral time schemes", "semi_implicit")
_SEMI_LAGRANGIAN = fields_of("spectral time schemes", SEMI_LAGRANGIAN)
_NAMES = {row.name: row.names for row in choice("spectral time schemes", SEMI_LAGRANGIAN).options}
_EULERIAN_SCHEMES = [name for name in names("spectral time schemes") if name != SEMI_LAGRANGIAN]
if TYPE_CHECKING:
    _EquationSet = str
    _Advection = str
    _Interpolation = str
    _Scheme = str
    _Solver = str
else:
    _EquationSet = Literal[tuple(STARTS)]
    _Advection = Literal["eulerian", SEMI_LAGRANGIAN]
    _Interpolation = Literal[_NAMES["interpolation"]]
    _Scheme = Literal[*_EULERIAN_SCHEMES, "auto"]
    _Solver = Literal[_NAMES["solver"]]
# Number of rows in a stripe, the unit in which rows are distributed; half of the rows are in each hemisphere.
_STRIPE = 8


class Hyperdiffusion(Group):
    """Damping of the shortest waves; means and solid-body rotation are unaffected."""

    order: Literal[2, 4, 6, 8] = option(
        "Order of the derivative; 4 is del^4.", default=4, allowed="2, 4, 6 or 8"
    )
    time_scale: float = option("E-folding time of the shortest waves.", unit="s", gt=0, le=1e9)


class Equations(Group):
    """Equations. `equations: barotropic` is short for `equations: {set: barotropic}`."""

    set: _EquationSet = option("Equation set.", default="shallow_water")
    advection: _Advection = option(
        "Advection: eulerian (spectral, as time.scheme), or semi_lagrangian with two-time-level semi-implicit"
        " steps (shallow_water, primitive).",
        default="eulerian",
    )
    precision: Literal[64, 32] = _PLANET["precision"]
    moist: bool = fields_of("equation sets", "hydrostatic")["moist"]
    interpolation: _Interpolation = _SEMI_LAGRANGIAN["interpolation"]
    monotone: bool = _SEMI_LAGRANGIAN["monotone"]
    monotone_tracers: bool = _SEMI_LAGRANGIAN["monotone_tracers"]
    mass_fixer: bool = _SEMI_LAGRANGIAN["mass_fixer"]
    hyperdiffusion: Hyperdiffusion | None = optional(
        "Hyperdiffusion of vorticity, divergence and temperature; by default none.",
        allowed="a group with 'time_scale', and 'order'",
    )
    radius: float = _PLANET["radius"]
    rotation: float = _PLANET["rotation"]
    gravity: float = _PLANET["gravity"]

    @property
    def has_levels(self) -> bool:
        """True if the equation set has vertical levels."""
        return self.set == "primitive"

    @property
    def is_semi_lagrangian(self) -> bool:
        """True for semi-Lagrangian advection."""
        return self.advection == SEMI_LAGRANGIAN


class Time(SpanWithStep):
    """Start, end and time stepping of the run."""

    scheme: _Scheme = option(
        "Time scheme of Eulerian advection: fourth-order Runge-Kutta, or semi-implicit leapfrog; auto:"
        " semi_implicit for primitive, else runge_kutta.",
        default="auto",
    )
    filter: float = _SEMI_IMPLICIT["filter"]
    filter_share: float = _SEMI_IMPLICIT["filter_share"]
    decentring: float = _SEMI_LAGRANGIAN["decentring"]
    solver: _Solver = _SEMI_LAGRANGIAN["solver"]
    tolerance: float = _SEMI_LAGRANGIAN["tolerance"]


class SpectralOutput(Output):
    """Output of a run."""

    variables: list[str] | None = optional(
        "Variables of the fields files; by default eastward_wind, northward_wind, vorticity and height"
        " (shallow_water) or surface_pressure and temperature (primitive).",
        allowed="a list of names that `halcyon describe spectral` shows",
    )


class SpectralCase(AirCase):
    """A case file with `model: spectral`."""

    equation_sets_for: ClassVar = {
        "initial": {
            name: [equations for equations in STARTS if name in STARTS[equations]] for name in _ALL_STARTS
        }
    }
    model: Literal["spectral"] = option("Model.")
    title: str | None = optional("Title of the run in files and plots.")
    mesh: Gaussian = option("Truncation and grid.", allowed="a group with 'truncation'")
    equations: Equations = group(Equations, "Equations.")
    levels: Levels = group(Levels, "Vertical levels.")
    physics: list[ColumnPhysicsScheme] = SCHEMES
    tracers: list[str] = option(
        "Names of the tracers of semi-Lagrangian advection (primitive).",
        default=[],
        allowed="a list of 'passive_tracer' (of the initial state) and 'constant_tracer'",
    )
    time: Time = option("Start, end and time stepping.")
    initial: Initial = option(
        "Initial state.",
        allowed=f"the name of a file, or a group with 'file' or with type: {quoted_list(_ALL_STARTS)}",
    )
    exchange: TransformExchange = group(
        TransformExchange, "Distribution and communication of the transforms."
    )
    io: Io = group(Io, "Parallel I/O.")
    output: SpectralOutput = group(SpectralOutput, "Output.")
    restart: Restart = group(Restart, "Restart files.")

    @property
    def scheme(self) -> str:
        """Name of the time scheme."""
        if self.equations.is_semi_lagrangian:
            return SEMI_LAGRANGIAN
        if self.time.scheme != "auto":
            return self.time.scheme
        return "semi_implicit" if self.equations.has_levels else "runge_kutta"

    @property
    def is_semi_implicit(self) -> bool:
        """True if the time scheme is the semi-implicit leapfrog scheme."""
        return self.scheme == "semi_implicit"

    @property
    def max_v_and_w(self) -> tuple[int, int]:
        """Largest possible V and W of exchange.sets = [V, W]. Each of the W ranks of a set needs a stripe of
        rows and a wavenumber. The points of a stripe are distributed over V ranks, so the longest row of the
        polar stripe, which has the fewest points, limits V."""
        rows = self.mesh.n_latitudes
        row_pairs, stripes = (rows + 1) // 2, -(-rows // _STRIPE)
        longest_polar_row = self.mesh.row_length(row_pairs - 1 - (stripes - 1) * _STRIPE // 2)
        return longest_polar_row, min(stripes, self.mesh.truncation + 1)

    def sets_for(self, ranks: int) -> tuple[int, int] | None:
        """V and W of `exchange.sets` for a number of ranks: as the case gives them, or with the smallest
        possible V. None if no V and W fit the ranks."""
        max_v, max_w = self.max_v_and_w
        if self.exchange.sets != "auto":
            v, w = self.exchange.sets
            return (v, w) if v * w == ranks else None
        min_v = -(-ranks // max_w)  # ranks / max_w, rounded up
        smallest = next((v for v in range(min_v, max_v + 1) if ranks % v == 0), None)
        return None if smallest is None else (smallest, ranks // smallest)

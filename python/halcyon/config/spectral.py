"""The case of the spectral model: every option that a case file with `model: spectral` may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from halcyon.choices import choices, names
from halcyon.config.atmosphere import PHYSICS, AirCase, Levels, Output, Physics, Steps
from halcyon.config.initial import Initial
from halcyon.config.option import Group, group, option, optional
from halcyon.config.registry import fields_of, quoted_list
from halcyon.config.run_case import Io, Restart
from halcyon.config.workload import ALGORITHMS

if TYPE_CHECKING:
    from halcyon.transform import Grid


_LARGEST = 10000
_PER_WAVE = 3  # points: products of two fields are then free of aliasing


class Gaussian(Group):
    """Spherical harmonics, and the Gaussian grid on which products are made."""

    truncation: int = option("T of the triangle of spherical harmonics.", ge=1, le=_LARGEST)
    grid: Literal[names("gaussian grids")] = option(
        "Rows: all alike; as short as products allow (quadratic); of 20, 24, 28 .. values from the poles on.",
        default="full",
    )
    longitudes: Annotated[int, Field(ge=4, le=4 * _LARGEST)] | Literal["auto"] = option(
        "Of each row of a full grid; auto: 3 T + 1, rounded up to an even number without primes above 5"
        " (quadratic).",
        default="auto",
    )
    latitudes: Annotated[int, Field(ge=2, le=2 * _LARGEST)] | Literal["auto"] = option(
        "Rows; auto: half as many as longitudes, rounded up to an even number, of octahedral grids 2 T + 2"
        " (cubic).",
        default="auto",
    )
    memory: int = option(
        "Of a rank, for functions of Legendre that are kept for transforms of one field; the rest are"
        " computed anew, with the same bits.",
        default=4 * 2**20,
        unit="bytes",
        ge=0,
        le=2**40,
    )

    @property
    def n_longitudes(self) -> int:
        """Of each row of a full grid."""
        return _smooth(_PER_WAVE * self.truncation + 1) if self.longitudes == "auto" else self.longitudes

    @property
    def n_latitudes(self) -> int:
        if self.latitudes != "auto":
            return self.latitudes
        return 2 * self.truncation + 2 if self.grid == "octahedral" else (self.n_longitudes + 3) // 4 * 2

    @property
    def made(self) -> Grid:
        """The grid, anew with each call."""
        from halcyon.transform import Grid

        if self.grid == "full":
            return Grid.full(self.n_latitudes, self.n_longitudes)
        if self.grid == "octahedral":
            return Grid.octahedral(self.n_latitudes // 2)
        return Grid.reduced(self.n_latitudes, self.truncation, points_per_wave=_PER_WAVE)

    def row_length(self, row: int) -> int:
        """Values of a row, counted from the north."""
        return self.n_longitudes if self.grid == "full" else int(self.made.row_lengths[row])

    @property
    def named(self) -> list[int | str]:
        """What tells grids apart that hold the same truncation."""
        is_full = self.grid == "full"
        return [self.n_latitudes, self.n_longitudes] if is_full else [self.grid, self.n_latitudes]

    @property
    def words(self) -> str:
        """`32 x 64 points`, or `44 rows of 20 to 104 points`"""
        if self.grid == "full":
            return f"{self.n_latitudes} x {self.n_longitudes} points"
        lengths = self.made.row_lengths
        return f"{self.n_latitudes} rows of {lengths.min()} to {lengths.max()} points"


def _smooth(least: int) -> int:
    """The first even number from `least` on without primes above 5."""
    number = least + least % 2
    while (30 ** number.bit_length()) % number:  # its primes are 2, 3 and 5 where it divides such a power
        number += 2
    return number


Sets = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=2, max_length=2)]
CORES = r"^(auto|shared|[0-9]+(,[0-9]+)*)$"
METHODS = tuple(each.name for each in choices("exchange methods") if not each.goes_with)
MEASURED = ("groups", "ahead", "method", "algorithm", "progress")  # whose `auto` is settled by measurements


class TransformExchange(Group):
    """How ranks share the transforms and exchange; no result depends on it. What is 'auto' of groups, ahead,
    method, algorithm and progress is tried before the first step, and the fastest is kept."""

    sets: Sets | Literal["auto"] = option(
        "V and W: V x W ranks, of which V sets share fields, levels among them, and the ranks of each share"
        " wavenumbers and rows; auto: as few V sets as can be.",
        default="auto",
        allowed="a list of two integers such as [2, 4], or 'auto'",
    )
    groups: Annotated[int, Field(ge=1, le=1000)] | Literal["auto"] = option(
        "That the fields of a call travel in: while one is transformed, others travel.", default="auto"
    )
    ahead: Annotated[int, Field(ge=0, le=100)] | Literal["auto"] = option(
        "Groups that travel to a stage while one is worked on; 0: none, ranks block.", default=1
    )
    method: Literal[METHODS] = option("MPI calls used.", default="isend_irecv")
    algorithm: str = option(
        "Of each all-to-all.",
        default="burst",
        allowed=f"{ALGORITHMS}, or 'auto'",
        pattern=rf"^({'|'.join(names('all-to-alls'))}(-[1-9][0-9]{{0,8}})?|auto)$",
    )
    progress: Literal[*names("progress"), "auto"] = option(
        "Who moves what travels meanwhile: nobody, the transforms by polls, a thread.", default="poll"
    )
    core: Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=CORES)] = option(
        "Of the thread: auto: one of the node's that has no rank, if there is one; shared: its rank's;"
        " numbers: of a node's ranks one after another.",
        default="auto",
        allowed="'auto', 'shared', a number such as 3, or numbers such as '2,3'",
    )
    retune: int = option(
        "Steps after which what is 'auto' is tried again, and so on; 0: never.", default=0, ge=0, le=10**9
    )

    @property
    def is_measured(self) -> bool:
        """Whether something is left to measurements."""
        return "auto" in [getattr(self, name) for name in MEASURED]


STARTS = {each.name: each.goes_with for each in choices("spectral equation sets")}
_ALL_STARTS = list(dict.fromkeys(name for starts in reversed(STARTS.values()) for name in starts))
_PLANET = fields_of("equation sets", "shallow_water")  # the air's, too
_SEMI_IMPLICIT = fields_of("spectral time schemes", "semi_implicit")
_STRIPE = 8  # rows that stay together, half of them on either side of the equator


class Hyperdiffusion(Group):
    """Damps the shortest waves; neither means nor solid rotation."""

    order: Literal[2, 4, 6, 8] = option("Of the derivative: 4 del^4.", default=4, allowed="2, 4, 6 or 8")
    time_scale: float = option("In which the shortest waves fall by e.", unit="s", gt=0, le=1e9)


class Equations(Group):
    """What is solved. `equations: barotropic` stands for `equations: {set: barotropic}`."""

    set: Literal[tuple(STARTS)] = option("The set of equations.", default="shallow_water")
    hyperdiffusion: Hyperdiffusion | None = optional(
        "Of vorticity, divergence and temperature; by default there is none.",
        allowed="a group with 'time_scale', and 'order'",
    )
    radius: float = _PLANET["radius"]
    rotation: float = _PLANET["rotation"]
    gravity: float = _PLANET["gravity"]

    @property
    def has_levels(self) -> bool:
        """Whether its fields have levels."""
        return self.set == "primitive"


class Time(Steps):
    """The span of the run and its steps."""

    scheme: Literal[*names("spectral time schemes"), "auto"] = option(
        "Runge and Kutta's of fourth order, or leapfrog with implicit gravity waves; auto: semi_implicit for"
        " primitive, else runge_kutta.",
        default="auto",
    )
    filter: float = _SEMI_IMPLICIT["filter"]
    filter_share: float = _SEMI_IMPLICIT["filter_share"]


class SpectralOutput(Output):
    """What a run writes, and where."""

    variables: list[str] | None = optional(
        "Variables of the fields files; by default eastward_wind, northward_wind, vorticity and, of"
        " shallow_water, height, of primitive surface_pressure and temperature.",
        allowed="a list of names that `halcyon describe spectral` shows",
    )


class SpectralCase(AirCase):
    """A run of the spectral model: the whole of a case file."""

    goes_with: ClassVar = {
        "initial": {name: [each for each in STARTS if name in STARTS[each]] for name in _ALL_STARTS}
    }
    model: Literal["spectral"] = option("The model.")
    title: str | None = optional("What files and pictures call the run.")
    mesh: Gaussian = option("Truncation and grid.", allowed="a group with 'truncation'")
    equations: Equations = group(Equations, "The equations.")
    levels: Levels = group(Levels, "Of the air.")
    physics: Physics = PHYSICS
    time: Time = option("Span and steps.")
    initial: Initial = option(
        "The state at the start.",
        allowed=f"the name of a file, or a group with 'file' or with type: {quoted_list(_ALL_STARTS)}",
    )
    exchange: TransformExchange = group(TransformExchange, "Shared transforms.")
    io: Io = group(Io, "Parallel files.")
    output: SpectralOutput = group(SpectralOutput, "Results.")
    restart: Restart = group(Restart, "Restart files.")

    @property
    def is_semi_implicit(self) -> bool:
        """Whether gravity waves are taken implicitly."""
        scheme = self.time.scheme
        return self.equations.has_levels if scheme == "auto" else scheme == "semi_implicit"

    @property
    def most_sets(self) -> tuple[int, int]:
        """V and W at most: W sets share stripes of rows and wavenumbers, V sets the points of a row, the
        longest of the stripes at the poles."""
        rows = self.mesh.n_latitudes
        pairs, stripes = (rows + 1) // 2, -(-rows // _STRIPE)
        longest = self.mesh.row_length(pairs - 1 - (stripes - 1) * _STRIPE // 2)
        return longest, min(stripes, self.mesh.truncation + 1)

    def sets(self, ranks: int) -> tuple[int, int] | None:
        """V and W for so many ranks: those of the case, or as few V sets as can be. None: there are none."""
        most_v, most_w = self.most_sets
        if self.exchange.sets != "auto":
            v, w = self.exchange.sets
            return (v, w) if v * w == ranks else None
        fitting = (v for v in range(-(-ranks // most_w), most_v + 1) if ranks % v == 0)
        v = next(fitting, None)
        return None if v is None else (v, ranks // v)

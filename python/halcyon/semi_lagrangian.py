"""Semi-Lagrangian advection on Gaussian grids over all ranks, by a wide halo or by columns on demand.

    carried = Advection(comm, grid, levels=30, fields=4, halo="on_demand", groups=3)
    carried.follow(u, v, 1800)  # winds (point, level) of the points that this rank owns
    carried.advance(temperature, humidity, ozone, dust)

After Ritchie (1987) and Zheng and Marguinaud (2018), 3.2 and 4.3: see docs/semi_lagrangian.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import semi_lagrangian as _core
from halcyon._core.semi_lagrangian import Costs
from halcyon.base import ConfigError
from halcyon.decomposition import Volumes
from halcyon.options import flag, instance, number, pair, sequence, text, whole
from halcyon.transform import Choice, Grid
from halcyon.transform.arrays import apart, numbers
from halcyon.transform.tuning import GROUPS, PROGRESS, Cut, at_least_one, fastest

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress

__all__ = [
    "HALOS",
    "INTERPOLATIONS",
    "RADIUS",
    "TRIED",
    "Advection",
    "Costs",
    "halo_volumes",
    "width_for",
]

HALOS = tuple(_core.halos())
INTERPOLATIONS = tuple(_core.interpolations())
TRIED = ("isend_irecv", "persistent", "ineighbor", "shared")  # methods that `tune` tries
RADIUS = 6371220.0  # of the Earth [m]
_KINDS = {"halo": text, "interpolation": text, "monotone": flag, "method": text, "radius": number}


class Advection:
    """What air carries along its way during a step, for the points of a grid that this rank owns.

    @param comm of mpi4py; grid: `halcyon.transform.Grid`, divided among `ranks` = (px, py): py bands of rows
        with about as many points each, cut into px parts; by default (1, size). Rank x + px y has part x of
        band y
    @param levels, fields that are carried together; groups of levels, of which one is interpolated while the
        next one travels
    @param halo "wide", planned once: `width` grid points, which serve winds of (width - 2) points a step
        (`width_for`); "on_demand": each step every rank asks the others for the columns that its air comes
        from
    @param interpolation "linear" (4 points), "quasi_cubic" (12) or "cubic" (16); `monotone` leaves no value
        beyond the four around the departure point
    @param method of the exchange, one of `halcyon.halo.METHODS`; progress while values are interpolated:
        none, poll or thread, or a `halcyon.comm.Progress`
    @param radius of the sphere [m]

    No bit of the result depends on ranks, their division, halo, groups or method. `tune` finds those of the
    last three that are fastest.

    Collective. Raises ConfigError, on all ranks, for options that make no sense or differ between them.
    """

    def __init__(
        self,
        comm: MPI.Comm,
        grid: Grid,
        *,
        levels: int = 1,
        fields: int = 1,
        ranks: tuple[int, int] | None = None,
        halo: str = "wide",
        width: int = 3,
        groups: int = 1,
        interpolation: str = "quasi_cubic",
        monotone: bool = False,
        method: str = "isend_irecv",
        progress: Progress | str | None = None,
        radius: float = RADIUS,
    ) -> None:
        from halcyon.comm import Progress, communicator, together

        options = {
            "n_fields": fields, "n_levels": levels, "n_groups": groups, "halo": halo, "width": width,
            "interpolation": interpolation, "monotone": monotone, "method": method, "radius": radius,
        }  # fmt: skip
        with together(comm) as same:
            px, py = (1, comm.size) if ranks is None else pair("ranks", ranks, "(px, py)")
            same("grid", instance("grid", grid, Grid))
            same("ranks", (px, py))
            for name, value in options.items():
                shown = name.removeprefix("n_")
                same(shown, _KINDS.get(name, whole)(shown, value))
            instance("progress", progress, (Progress, str, type(None)))
        if isinstance(progress, str):
            progress = Progress(comm, progress)
        by = None if progress is None else progress._core
        self._core = _core.Advection(communicator(comm), grid.core, px, py, progress=by, **options)
        self._comm, self._n_fields = comm, fields
        self._how = Choice(groups, 1, method, "burst", "none" if progress is None else progress.by)
        places = np.degrees(self._core.arrivals)
        self.longitude = places[:, 0]  # [degrees east] (point)
        self.latitude = 90 - places[:, 1]  # [degrees north] (point)
        self.shape = (len(places), levels)

    def follow(self, u: ArrayLike, v: ArrayLike, step: float, *, iterations: int = 3) -> None:
        """Finds where the air of each point comes from: back by `step` seconds along the great circle whose
        middle has the trajectory's wind, found by iteration.

        @param u, v eastward and northward winds [m s-1] (point, level), half a step before the end
        @param step [s]; one below 0 goes back in time: air comes from where the wind would take it

        Collective. Raises, on all ranks, InputError for a wind that is not finite, and ConfigError, which
        names wind, place and width, where the halo is too narrow for it."""
        with self._together() as same:
            winds = self._values("u", u), self._values("v", v)
            same("step", number("step", step))
            same("iterations", whole("iterations", iterations))
        self._core.follow(*winds, step, iterations)

    def depart(self, latitude: ArrayLike, longitude: ArrayLike) -> None:
        """The same where the departure points are known: [degrees north], [degrees east] (point, level).

        Collective. Raises, on all ranks, InputError for points that are none and ConfigError where the halo
        is too narrow."""
        with self._together():
            colatitude = np.radians(90 - self._values("latitude", latitude))
            angle = np.radians(self._values("longitude", longitude))
        self._core.depart(angle, colatitude)

    def advance(self, *fields: np.ndarray) -> None:
        """Carries fields one step: float64 (point, level), or (point) of one level, changed in place.

        Collective. Raises ConfigError, on all ranks, for arrays that do not fit."""
        with self._together() as same:
            carried = self._fields(fields)
            same("fields", len(fields))
        self._core.advance(carried)

    def step(self, u: ArrayLike, v: ArrayLike, step: float, *fields: np.ndarray, iterations: int = 3) -> None:
        """`follow` and `advance` in one: the fields of a wide halo set out first, and travel while their
        departure points are found.

        Collective. Raises what both raise, and leaves the fields as they were then."""
        with self._together() as same:
            winds = self._values("u", u), self._values("v", v)
            carried = self._fields(fields)
            same("step", number("step", step))
            same("iterations", whole("iterations", iterations))
            same("fields", len(fields))
        self._core.step(*winds, step, iterations, carried)

    @property
    def how(self) -> Choice:
        """How levels travel now, as it was given or `tune` chose."""
        return self._how

    def tune(
        self,
        *,
        groups: Sequence[int] = GROUPS,
        methods: Sequence[str] = TRIED,
        progress: Sequence[str] | Mapping[str, Progress] = PROGRESS,
        repetitions: int = 5,
    ) -> dict[Choice, float]:
        """Collective. From now on levels travel as is fastest here, by so many advances of as many fields of
        zeros from the last departure points; as `halcyon.transform.Transform.tune`. More groups than there
        are levels are not tried. No bit depends on it.

        Raises ConfigError, on all ranks, where there are no departure points yet, and for what cannot be."""
        with self._together() as same:
            same("groups", counts := sequence("groups", groups, at_least_one))
            if min(counts) > self.shape[1]:
                raise ConfigError(f"groups are {counts}, but there are {self.shape[1]} levels. Give fewer.")
        counts = [n for n in counts if n <= self.shape[1]]
        fields = [np.zeros(self.shape) for _ in range(self._n_fields)]
        self._core.advance(fields)  # also where one rank exchanges nothing: says that there are no departures
        lists = {"groups": counts, "ahead": (1,), "methods": methods, "algorithms": ("burst",)}
        given = lists | {"progress": progress, "repetitions": repetitions}
        sets, cut = (1, self._comm.size), Cut(self.shape[1])
        return fastest(self._comm, sets, lambda: self._core.advance(fields), self._take, cut, **given)

    def _take(self, choice: Choice, progress: Progress) -> None:
        self._core.communicate(choice.groups, choice.method, progress._core)
        self._how = choice

    @property
    def departures(self) -> tuple[np.ndarray, np.ndarray]:
        """Latitude [degrees north] and longitude [degrees east] (point, level) of the last departure
        points."""
        places = np.degrees(self._core.departures).reshape(-1, self.shape[1], 2)
        return 90 - places[..., 1], places[..., 0] % 360

    @property
    def costs(self) -> Costs:
        """Seconds on this rank so far: `plan_s` (departure points, and whom to ask), `start_s`, `wait_s`,
        `interpolate_s`."""
        return self._core.costs

    @property
    def received_bytes(self) -> int:
        """That an `advance` brings to this rank, by the last plan."""
        return self._core.received_bytes

    @property
    def halo_points(self) -> int:
        """Columns of other ranks that this rank has, by the last plan."""
        return self._core.n_halo

    @property
    def neighbours(self) -> int:
        """Ranks that this rank exchanges with, by the last plan."""
        return self._core.n_neighbours

    def _together(self):
        from halcyon.comm import together

        return together(self._comm)

    def _fits(self, shape: tuple[int, ...]) -> bool:
        return shape == self.shape or (shape == self.shape[:1] and self.shape[1] == 1)

    def _values(self, name: str, values: ArrayLike) -> np.ndarray:
        array = numbers(values, np.float64, name)
        if not self._fits(array.shape):
            raise ConfigError(f"{name} is {array.shape}, but this rank's points and levels are {self.shape}.")
        return array

    def _fields(self, fields: Sequence[np.ndarray]) -> list[np.ndarray]:
        for place, field in enumerate(fields):
            instance(f"Field {place}", field, np.ndarray)
            fits = self._fits(field.shape) and field.dtype == np.float64
            if not (fits and field.flags.c_contiguous and field.flags.writeable):
                raise ConfigError(
                    f"Field {place} is {field.dtype} {field.shape}, but must be float64 {self.shape},"
                    " contiguous and writable."
                )
        apart(fields, ())
        return list(fields)


def width_for(grid: Grid, wind: float, step: float, *, radius: float = RADIUS) -> int:
    """The halo that serves winds up to `wind` [m s-1] at steps of `step` seconds: as many grid points (the
    shortest distance of rows, or of columns at the equator) as they carry air, rounded up, and 2.

    Raises ConfigError for a wind below 0, steps of 0 s and less, what is not finite, and a wind that carries
    air around the planet in a step."""
    instance("grid", grid, Grid)
    wind, step, radius = number("wind", wind), number("step", step), number("radius", radius)
    if not (0 <= wind < np.inf and 0 < step < np.inf and 0 < radius < np.inf):
        raise ConfigError(
            f"A wind of {wind:g} m s-1, steps of {step:g} s and a radius of {radius:g} m. Give 0 m s-1 or"
            " more, and more than 0 s and 0 m."
        )
    if wind * step >= 2 * np.pi * radius:
        raise ConfigError(
            f"A wind of {wind:g} m s-1 carries air around a planet of radius {radius:g} m in a step of"
            f" {step:g} s. Give shorter steps."
        )
    return _core.width_for(grid.core, wind * step / radius)


def halo_volumes(
    grid: Grid, ranks: tuple[int, int], *, width: int, column_bytes: int, threads: int = 1
) -> Volumes:
    """Who receives how much from whom in an exchange of wide halos among px x py ranks, without any of them:
    `halcyon.schedule.messages` makes a schedule of it, to be simulated.

    Raises ConfigError for a width below 3 or above the number of rows, divisions that cannot be, columns of
    less than a byte and fewer than 1 thread."""
    instance("grid", grid, Grid)
    for name, value, bits in (("column_bytes", column_bytes, 40), ("threads", threads, 31)):
        if whole(name, value, bits) < 1:
            raise ConfigError(f"{name} is {value}. Give 1 or more.")
    whole("width", width)
    px, py = pair("ranks", ranks, "(px, py)")
    return Volumes(*_core.wide_volumes(grid.core, px, py, width, column_bytes, threads))

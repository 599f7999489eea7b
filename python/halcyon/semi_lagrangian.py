"""Semi-Lagrangian advection on Gaussian grids over all ranks, with a wide halo or an on-demand halo.

    advection = Advection(comm, grid, levels=30, fields=4, halo="on_demand", groups=3)
    advection.find_departures(u, v, 1800)  # winds (point, level) at the points that this rank owns
    advection.advance(temperature, humidity, ozone, dust)

After Ritchie (1987) and Zheng and Marguinaud (2018), 3.2 and 4.3: see docs/semi_lagrangian.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import semi_lagrangian as _core
from halcyon._core.semi_lagrangian import Costs
from halcyon.base import ConfigError
from halcyon.decomposition import Volumes
from halcyon.deprecated import provide
from halcyon.options import flag, instance, integer, number, pair, sequence, text
from halcyon.transform import ExchangeSettings, Grid
from halcyon.transform.arrays import as_array, require_separate_memory
from halcyon.transform.tuning import GROUPS, PROGRESS, GroupLimits, at_least_one, fastest

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress

__all__ = [
    "HALOS",
    "INTERPOLATIONS",
    "RADIUS",
    "TUNED_METHODS",
    "Advection",
    "Costs",
    "halo_volumes",
    "width_for",
]

HALOS = tuple(_core.halos())
INTERPOLATIONS = tuple(_core.interpolations())
TUNED_METHODS = ("isend_irecv", "persistent", "ineighbor", "shared")  # exchange methods that `tune` tries
RADIUS = 6371220.0  # of the Earth [m]
_READERS = {"halo": text, "interpolation": text, "monotone": flag, "method": text, "radius": number}


class Advection:
    """Semi-Lagrangian advection of fields at the grid points that this rank owns. A column is a grid point
    with all its levels.

    @param comm mpi4py communicator
    @param grid `halcyon.transform.Grid`, divided among `ranks` = (px, py): py bands of rows with balanced
        numbers of points, each cut into px parts; by default (1, comm.size). Rank x + px y: part x of band y
    @param levels number of levels
    @param fields number of fields that are advected together
    @param groups number of groups of levels; while one group is interpolated, the next group is exchanged
    @param halo "wide": planned once, `width` grid points, sufficient for winds of (width - 2) grid points per
        step (`width_for`); "on_demand": in each step every rank requests the columns that its departure
        points need
    @param interpolation "linear" (4 points), "quasi_cubic" (12) or "cubic" (16)
    @param monotone limits results to the range of the four values around the departure point
    @param method exchange method, one of `halcyon.halo.METHODS`
    @param progress message progress during interpolation: none, poll or thread, or a `halcyon.comm.Progress`
    @param radius radius of the sphere [m]

    Results are bitwise independent of ranks, their division, halo, groups, method and progress. `tune` finds
    the fastest groups, method and progress.

    Collective. Raises ConfigError, on all ranks, for invalid options and options that differ between ranks.
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
        from halcyon.comm import Progress, collective_errors, communicator

        options: dict[str, Any] = {
            "n_fields": fields, "n_levels": levels, "n_groups": groups, "halo": halo, "width": width,
            "interpolation": interpolation, "monotone": monotone, "method": method, "radius": radius,
        }  # fmt: skip
        with collective_errors(comm) as require_same:
            px, py = (1, comm.size) if ranks is None else pair("ranks", ranks, "(px, py)")
            require_same("grid", instance("grid", grid, Grid))
            require_same("ranks", (px, py))
            for name, value in options.items():
                label = name.removeprefix("n_")
                require_same(label, _READERS.get(name, integer)(label, value))
            instance("progress", progress, (Progress, str, type(None)))
        if isinstance(progress, str):
            progress = Progress(comm, progress)
        core_progress = None if progress is None else progress._core
        self._core = _core.Advection(communicator(comm), grid.core, px, py, progress=core_progress, **options)
        self._comm, self._n_fields = comm, fields
        self._settings = ExchangeSettings(
            groups=groups, ahead=1, method=method, progress="none" if progress is None else progress.by
        )
        locations = np.degrees(self._core.arrivals)
        self.longitude = locations[:, 0]  # [degrees east] (point)
        self.latitude = 90 - locations[:, 1]  # [degrees north] (point)
        self.shape = (len(locations), levels)

    def find_departures(self, u: ArrayLike, v: ArrayLike, step: float, *, iterations: int = 3) -> None:
        """Computes the departure points of the air that arrives at the grid points. The trajectory of `step`
        seconds is a great circle with the wind at its midpoint, which is found by iteration.

        @param u, v eastward and northward winds [m s-1] (point, level) at the middle of the step
        @param step [s]; if negative, departure points are the points to which the wind carries the air

        Collective. Raises, on all ranks, InputError for a wind that is not finite, and ConfigError, which
        names the wind, its location and the width that it needs, if the halo is too narrow."""
        with self._collective_errors() as require_same:
            winds = self._values("u", u), self._values("v", v)
            require_same("step", number("step", step))
            require_same("iterations", integer("iterations", iterations))
        self._core.find_departures(*winds, step, iterations)

    def set_departures(self, latitude: ArrayLike, longitude: ArrayLike) -> None:
        """Sets known departure points: [degrees north], [degrees east] (point, level).

        Collective. Raises, on all ranks, InputError for invalid points and ConfigError if the halo is too
        narrow."""
        with self._collective_errors():
            colatitude = np.radians(90 - self._values("latitude", latitude))
            longitude_rad = np.radians(self._values("longitude", longitude))
        self._core.set_departures(longitude_rad, colatitude)

    def advance(self, *fields: np.ndarray) -> None:
        """Advects fields by one step, in place: float64 (point, level), or (point) for one level.

        Collective. Raises ConfigError, on all ranks, for arrays of other shapes or types."""
        with self._collective_errors() as require_same:
            arrays = self._fields(fields)
            require_same("fields", len(fields))
        self._core.advance(arrays)

    def step(self, u: ArrayLike, v: ArrayLike, step: float, *fields: np.ndarray, iterations: int = 3) -> None:
        """`find_departures` and `advance` in one call: with a wide halo, the exchange of the fields
        overlaps with the computation of the departure points.

        Collective. Raises the errors of `find_departures` and `advance`; the fields are then unchanged."""
        with self._collective_errors() as require_same:
            winds = self._values("u", u), self._values("v", v)
            arrays = self._fields(fields)
            require_same("step", number("step", step))
            require_same("iterations", integer("iterations", iterations))
            require_same("fields", len(fields))
        self._core.step(*winds, step, iterations, arrays)

    @property
    def exchange_settings(self) -> ExchangeSettings:
        """The current exchange settings, as given or selected by `tune`."""
        return self._settings

    def tune(
        self,
        *,
        groups: Sequence[int] = GROUPS,
        methods: Sequence[str] = TUNED_METHODS,
        progress: Sequence[str] | Mapping[str, Progress] = PROGRESS,
        repetitions: int = 5,
    ) -> dict[ExchangeSettings, float]:
        """Collective. Finds and applies the exchange settings that make `advance` fastest with the last
        departure points, measured with fields of zeros; like `halcyon.transform.Transform.tune`. More groups
        than levels are not tried. The settings do not change results.

        Raises ConfigError, on all ranks, if there are no departure points yet, and for invalid values."""
        with self._collective_errors() as require_same:
            require_same("groups", counts := sequence("groups", groups, at_least_one))
            if min(counts) > self.shape[1]:
                raise ConfigError(f"groups are {counts}, but there are {self.shape[1]} levels. Give fewer.")
        counts = tuple(n for n in counts if n <= self.shape[1])
        fields = [np.zeros(self.shape) for _ in range(self._n_fields)]
        self._core.advance(fields)  # also on a single rank: raises an error if there are no departure points
        choices: dict[str, Any] = {
            "groups": counts,
            "ahead": (1,),
            "methods": methods,
            "algorithms": ("burst",),
        }
        choices |= {"progress": progress, "repetitions": repetitions}
        ranks, limits = (1, self._comm.size), GroupLimits(self.shape[1])  # all ranks share one exchange
        return fastest(
            self._comm, ranks, lambda: self._core.advance(fields), self._apply_settings, limits, **choices
        )

    def _apply_settings(self, choice: ExchangeSettings, progress: Progress) -> None:
        self._core.set_exchange(choice.groups, choice.method, progress._core)
        self._settings = choice

    @property
    def departures(self) -> tuple[np.ndarray, np.ndarray]:
        """Latitude [degrees north] and longitude [degrees east] (point, level) of the last departure
        points."""
        locations = np.degrees(self._core.departures).reshape(-1, self.shape[1], 2)
        return 90 - locations[..., 1], locations[..., 0] % 360

    @property
    def costs(self) -> Costs:
        """Accumulated wall times on this rank [s]: `plan_s` (departure points and exchange plan),
        `start_s`, `wait_s`, `interpolate_s`."""
        return self._core.costs

    @property
    def received_bytes(self) -> int:
        """Bytes that this rank receives per `advance`, with the current plan."""
        return self._core.received_bytes

    @property
    def halo_points(self) -> int:
        """Number of columns in the halo of this rank, with the current plan."""
        return self._core.n_halo

    @property
    def neighbours(self) -> int:
        """Number of ranks that this rank exchanges with, with the current plan."""
        return self._core.n_neighbours

    def _collective_errors(self) -> AbstractContextManager[Callable[[str, Any], None]]:
        from halcyon.comm import collective_errors

        return collective_errors(self._comm)

    def _fits(self, shape: tuple[int, ...]) -> bool:
        return shape == self.shape or (shape == self.shape[:1] and self.shape[1] == 1)

    def _values(self, name: str, values: ArrayLike) -> np.ndarray:
        array = as_array(values, np.float64, name)
        if not self._fits(array.shape):
            raise ConfigError(f"{name} is {array.shape}, but this rank's points and levels are {self.shape}.")
        return array

    def _fields(self, fields: Sequence[np.ndarray]) -> list[np.ndarray]:
        for i, field in enumerate(fields):
            instance(f"Field {i}", field, np.ndarray)
            fits = self._fits(field.shape) and field.dtype == np.float64
            if not (fits and field.flags.c_contiguous and field.flags.writeable):
                raise ConfigError(
                    f"Field {i} is {field.dtype} {field.shape}, but must be float64 {self.shape},"
                    " contiguous and writable."
                )
        require_separate_memory(fields, ())
        return list(fields)


def width_for(grid: Grid, wind: float, step: float, *, radius: float = RADIUS) -> int:
    """Halo width for winds up to `wind` [m s-1] at steps of `step` seconds: the distance in grid points
    (the smallest distance between rows, or between columns at the equator), rounded up, plus 2.

    Raises ConfigError for a negative wind, steps of 0 s and less, values that are not finite, and a wind that
    carries air around the planet in a step."""
    instance("grid", grid, Grid)
    wind, step, radius = number("wind", wind), number("step", step), number("radius", radius)
    if not (0 <= wind < np.inf and 0 < step < np.inf and 0 < radius < np.inf):
        raise ConfigError(
            f"The wind is {wind:g} m s-1, the step {step:g} s and the radius {radius:g} m. Give a wind of 0"
            " m s-1 or more, and a step and a radius above 0."
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
    """Numbers of bytes that px x py ranks send to each other in an exchange of wide halos, computed without
    running these ranks: `halcyon.schedule.messages` makes a schedule from the result, for simulation.

    Raises ConfigError for a width below 3 or above the number of rows, invalid divisions, columns of less
    than a byte and fewer than 1 thread."""
    instance("grid", grid, Grid)
    for name, value, bits in (("column_bytes", column_bytes, 40), ("threads", threads, 31)):
        if integer(name, value, bits) < 1:
            raise ConfigError(f"{name} is {value}. Give 1 or more.")
    integer("width", width)
    px, py = pair("ranks", ranks, "(px, py)")
    return Volumes(*_core.wide_volumes(grid.core, px, py, width, column_bytes, threads))


provide(__name__)

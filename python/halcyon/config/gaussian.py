"""`mesh:` of the spectral model: its truncation, and the Gaussian grid on which products are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from halcyon.choices import names
from halcyon.config.option import Group, option

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
        allowed=f"an integer from 4 to {4 * _LARGEST} or 'auto'",
    )
    latitudes: Annotated[int, Field(ge=2, le=2 * _LARGEST)] | Literal["auto"] = option(
        "Rows; auto: half as many as longitudes, rounded up to an even number, of octahedral grids 2 T + 2"
        " (cubic).",
        default="auto",
        allowed=f"an integer from 2 to {2 * _LARGEST} or 'auto'",
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
    while _rest(number) > 1:
        number += 2
    return number


def _rest(number: int) -> int:
    for prime in (2, 3, 5):
        while number % prime == 0:
            number //= prime
    return number

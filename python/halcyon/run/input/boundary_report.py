"""What a run reports of its open sides: which point serves which cells, and the energy that enters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.mesh.sphere import position_text
from halcyon.run.input.open_cells import SIDES, distance_text

if TYPE_CHECKING:
    from mpi4py import MPI

MOST_ROWS = 12  # of the table that is printed; run.json has all


@dataclass(frozen=True)
class Part:
    """The open cells of a side that are nearest to the same point of the spectra."""

    side: str
    cells: int
    point: int  # from 1, in the order of the files
    longitude: float
    latitude: float
    distance_m: float  # of the farthest of the cells

    def text(self) -> str:
        place = f"point {self.point} ({position_text(self.longitude, self.latitude)})"
        return f"{self.side:<5} {self.cells:>5} cells  {place}, up to {distance_text(self.distance_m)}"


class BoundaryReport:
    """The parts of the open sides, and sums over records of the energy in the spectra of the files ("given")
    and in the open cells ("taken")."""

    def __init__(
        self,
        comm: MPI.Comm,
        cells: np.ndarray,
        sides: np.ndarray,
        points: np.ndarray,
        distance_m: np.ndarray,
        positions: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """Collective.

        @param cells global ids of this rank's open cells
        @param sides indices in SIDES
        @param points the nearest point of each cell, with its distance distance_m
        @param positions longitudes and latitudes [degrees] of all points"""
        columns = [np.concatenate(comm.allgather(each)) for each in (cells, sides, points, distance_m)]
        order = np.argsort(columns[0], kind="stable")
        self._order, (self._sides, nearest, distance_m) = order, (each[order] for each in columns[1:])
        longitude, latitude = positions
        self.parts = []
        for side, point in sorted({*zip(self._sides.tolist(), nearest.tolist(), strict=True)}):
            of_part = (self._sides == side) & (nearest == point)
            farthest = float(distance_m[of_part].max())
            place = float(longitude[point]), float(latitude[point])
            self.parts.append(Part(SIDES[side], int(of_part.sum()), point + 1, *place, farthest))
        self._n_records = 0
        # Sums over cells and records (side, given or taken, variance [m2] or flux [W]).
        self._sums = np.zeros((len(SIDES), 2, 2))

    def table(self) -> list[str]:
        """The rows of the table of parts, at most MOST_ROWS."""
        rows = [part.text() for part in self.parts[:MOST_ROWS]]
        left = len(self.parts) - len(rows)
        return [*rows, f"and {left} more, listed in run.json at the end"] if left else rows

    def add(self, comm: MPI.Comm, given: np.ndarray, taken: np.ndarray) -> None:
        """Collective. Adds a record: variance [m2] and energy flux inwards [W] (cell of this rank, 2)."""
        values = np.concatenate(comm.allgather(np.stack([given, taken], axis=1)))[self._order]
        np.add.at(self._sums, self._sides, values)  # in the order of global ids, on any number of ranks
        self._n_records += 1

    def state(self) -> list[Any]:
        """The sums, for JSON."""
        return [self._n_records, self._sums.tolist()]

    def resume(self, state: Sequence[Any] | None) -> None:
        if state is not None:
            self._n_records, self._sums = state[0], np.array(state[1])

    def figures(self) -> dict[str, Any]:
        """The entry `boundary` of the figures in run.json; means over the records."""
        n = max(self._n_records, 1)
        entries: dict[str, Any] = {
            "parts": [asdict(part) for part in self.parts],
            "records": self._n_records,
            "sides": [],
        }
        for side, name in enumerate(SIDES):
            n_cells = int((self._sides == side).sum())
            if n_cells:
                variance, flux = self._sums[side].T / n
                heights = [4 * math.sqrt(value / n_cells) for value in variance]
                entries["sides"].append(
                    {
                        "side": name,
                        "cells": n_cells,
                        "significant_height_m": round(heights[1], 4),
                        "significant_height_of_spectra_m": round(heights[0], 4),
                        "energy_flux_inwards_W": float(f"{flux[1]:.6g}"),
                        "energy_flux_of_spectra_W": float(f"{flux[0]:.6g}"),
                    }
                )
        return entries

    def summary(self) -> list[str]:
        """The lines at the end of a run."""
        lines = []
        for row in self.figures()["sides"]:
            flux, of_spectra = (row[f"energy_flux_{name}_W"] for name in ("inwards", "of_spectra"))
            lines.append(
                f"open side {row['side']:<5} Hs {row['significant_height_m']:.2f} m (spectra "
                f"{row['significant_height_of_spectra_m']:.2f} m), energy flux inwards {flux:.4g} W (spectra "
                f"{of_spectra:.4g} W)"
            )
        return lines

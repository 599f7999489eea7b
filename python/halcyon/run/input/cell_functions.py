"""Functions of a Python program that change the wind or the ice of the waves (`Simulation.add_forcing`)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

import numpy as np

from halcyon.base import ConfigError, printable
from halcyon.config.case import Case
from halcyon.config.physics import PhysicsScheme
from halcyon.decomposition import LocalMesh
from halcyon.physics import ADDED, CellFunction, missing_function

KINDS = ("wind", "ice")


def is_source_term(scheme: PhysicsScheme) -> bool:
    """Whether a scheme of a wave case is a source term, and not a function of wind or ice."""
    return not scheme.scheme.startswith(tuple(f"{ADDED}.{kind}:" for kind in KINDS))


def has_ice_functions(case: Case) -> bool:
    """Whether functions change the ice of a case."""
    return any(scheme.scheme.startswith(f"{ADDED}.ice:") for scheme in case.physics.schemes)


class CellFunctions:
    """The functions of wind and ice of a case, in order, on the cells of this rank."""

    def __init__(self, case: Case, local: LocalMesh) -> None:
        """Raises ConfigError for a function that the program has not added, or for its options."""
        self._start_s = case.time.start.replace(tzinfo=UTC).timestamp()
        mesh = local.mesh
        self._position = {"longitude": mesh.cell_longitude, "latitude": mesh.cell_latitude}
        self._position["depth"] = mesh.bottom_depth
        self._functions: dict[str, list[CellFunction]] = {kind: [] for kind in KINDS}
        for i, scheme in enumerate(case.physics.schemes):
            if not is_source_term(scheme):
                where = case.location("physics", "schemes", i)
                if scheme.scheme not in case.functions:
                    raise ConfigError(f"{where}: {missing_function(scheme.label)}")
                kind = scheme.scheme.partition(":")[0].removeprefix(f"{ADDED}.")
                function = case.functions[scheme.scheme]
                self._functions[kind].append(CellFunction(function, scheme.options))

    def has(self, kind: str) -> bool:
        """Whether there is a function of wind or ice."""
        return bool(self._functions[kind])

    def change(self, kind: str, fields: Mapping[str, np.ndarray], time_s: float, step_s: float) -> str:
        """Calls the functions of wind or ice, which change `fields` (cell) in place. Returns the text of the
        first error; empty: none.

        @param time_s of the fields, since the start of the run [s]
        @param step_s time for which they are used [s]
        """
        n_cells = len(next(iter(fields.values())))
        views: dict[str, Any] = {
            name: _read_only(values[:n_cells]) for name, values in self._position.items()
        }
        for function in self._functions[kind]:
            times = {"time_s": time_s, "date_s": self._start_s + time_s, "step_s": step_s}
            error = function(views | dict(fields), **times)
            if error is not None:
                return (
                    f"The forcing '{function.name}' failed {time_s:g} s after the start: {printable(error)}."
                )
        return ""


def _read_only(values: np.ndarray) -> np.ndarray:
    view = np.asarray(values).view()
    view.flags.writeable = False
    return view

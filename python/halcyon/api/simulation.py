"""Simulations: runs of a model that a program advances, looks at, changes and saves."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import floor
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from halcyon import plot
from halcyon.api.agreement import agreement, collective, plain_errors, show_errors_briefly
from halcyon.api.display import Rows, as_html, as_text, option_rows
from halcyon.api.engine import Engine
from halcyon.api.field import Field
from halcyon.api.geometry import Geometry
from halcyon.api.given import duration_of, read_given, time_of
from halcyon.api.options import plain
from halcyon.api.progress import ProgressBar
from halcyon.base import ConfigError
from halcyon.comm import world
from halcyon.config.error_texts import suggestion
from halcyon.config.load import case_of
from halcyon.config.run_case import RunCase
from halcyon.io.attributes import axis_attributes, cell_methods_of, variable_attributes
from halcyon.io.fields_file import OwnedGrid
from halcyon.io.vertical_axis import BOUNDS
from halcyon.launch.errors import from_root
from halcyon.mesh.ugrid import topology
from halcyon.physics import ADDED
from halcyon.run.input.cell_functions import KINDS

_ROUNDING_S = 1e-3  # of times
Function = Callable[..., Any]


class _Stop:
    """`halcyon.stop`: what a function of `Simulation.every` returns to stop the run, as True does."""

    def __repr__(self) -> str:
        return "halcyon.stop"


stop = _Stop()


@dataclass(frozen=True)
class _Hook:
    """A function that is called at multiples of an interval [s] since the start."""

    function: Function
    interval_s: float

    def is_due(self, before_s: float, now_s: float) -> bool:
        counts = [floor((time_s + _ROUNDING_S) / self.interval_s) for time_s in (before_s, now_s)]
        return counts[1] > counts[0]


class Simulation:
    """A run of a model, from a case file, a dictionary of its options, a validated case, or the folder of an
    earlier run, which it continues.

        run = halcyon.Simulation("examples/hinnamnor/case.yaml", end="2022-09-02")
        run.step(hours=6)
        run["significant_height"].plot()
        run.save("mine.out")

    The same program runs on several ranks under `mpirun -n N`, with the same bits; all ranks make the same
    calls. Keywords replace options of the case: those of `halcyon.wave`, `atmosphere` and `spectral`."""

    def __init__(
        self,
        case: str | PathLike[str] | Mapping[str, Any] | RunCase,
        /,
        *,
        progress: bool = True,
        **options: Any,
    ) -> None:
        """Collective. Checks the case; the model is set up at the first use of its state.

        @param progress whether a bar shows the progress, in a notebook and on a terminal
        @param options options of the case, as keywords
        @raises ConfigError with one line per mistake; InputError for a missing file or folder
        """
        show_errors_briefly()
        with plain_errors():
            agreement().require("Simulation(...)")
            self._comm = world()
            self._progress = progress
            is_alone = self._comm.size == 1
            found = (
                read_given(case, options)
                if is_alone
                else from_root(self._comm, lambda: read_given(case, options))
            )
            self._path, self._source, self._resumed, self._begin = found
            self._functions: dict[str, Function] = {}
            self._hooks: list[_Hook] = []
            self._engine: Engine | None = None
            self._has_stepped = self._is_stepping = False
            self._case = self._checked()

    # What the simulation is.

    @property
    def case(self) -> RunCase:
        """The validated options."""
        return self._case

    @property
    def model(self) -> str:
        """`wave`, `atmosphere` or `spectral`."""
        return self._case.model

    @property
    def rank(self) -> int:
        """The number of this rank, 0 without mpirun."""
        return self._comm.rank

    @property
    def time(self) -> datetime:
        """The time of the state [UTC]."""
        return self._engine.time if self._engine else self._begin or self._case.time.start

    @property
    @collective(lambda: "run.mesh")
    def mesh(self) -> Geometry:
        """The cells or grid points of the fields. Collective on the first call."""
        return self._geometry

    @property
    @collective(lambda: "run.variables")
    def variables(self) -> dict[str, str]:
        """The fields that run["NAME"] has: what they are, by their names."""
        rows = self._open().model.variables.values()
        return {row.name: f"{row.long_name} [{row.units}]" for row in rows if self._is_output(row)}

    def __repr__(self) -> str:
        return as_text(self._title, self._rows())

    def _repr_html_(self) -> str:
        return as_html(self._title, self._rows())

    @property
    def _title(self) -> str:
        return f"Simulation of {self._case.heading} (model: {self.model})"

    def _rows(self) -> Rows:
        """What the simulation is, as rows of texts. Not collective, so that one rank may print it."""
        time = self._case.time
        rows = [("time", f"{self.time:%Y-%m-%d %H:%M:%S} UTC, from {time.start} to {time.end}")]
        if self._engine is None:
            rows.append(("memory", "none yet: the model is set up at its first use"))
        else:
            rows += self._engine.plan
        rows += [(f"options {name}", text) for name, text in option_rows(self._given())]
        rows += [("forcing", ", ".join(name.partition(":")[2] for name in self._functions))] * bool(
            self._functions
        )
        names = [f"{_name_of(each.function)} every {each.interval_s:g} s" for each in self._hooks]
        return [*rows, *([("calls", ", ".join(names))] if names else [])]

    def _given(self) -> dict[str, Any]:
        """The options that were given, but for the model."""
        return {name: value for name, value in self._source.data.items() if name != "model"}

    # What it does.

    @collective(lambda **span: f"run.step({', '.join(f'{n}={v}' for n, v in span.items())})")
    def step(
        self,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        minutes: float | None = None,
        hours: float | None = None,
        days: float | None = None,
    ) -> None:
        """Collective. Advances the run by a number of steps of its time loop, or by a time, to the end of the
        first step that reaches it; without either by one step.

        Raises ConfigError for a time beyond `time.end` of the case, RunError if the run fails."""
        span = duration_of("step", days=days, hours=hours, minutes=minutes, seconds=seconds)
        is_timed = (days, hours, minutes, seconds) != (None,) * 4
        if steps is not None and is_timed:
            raise ConfigError(f"step(steps={steps}) has a time, too. Give one of them.")
        is_count = isinstance(steps, (int, np.integer)) and not isinstance(steps, bool)
        if steps is not None and not is_count:
            raise ConfigError(f"step(steps={steps!r}): give a whole number.")
        if (steps or 0) < 0:
            raise ConfigError(f"step(steps={steps}): the number is negative. Give a positive one.")
        engine = self._open()
        if is_timed:
            self._advance(engine.time + span)
        else:
            self._advance(engine.steps.time(engine.number + (1 if steps is None else steps)))

    @collective(lambda **until: f"run.run({', '.join(f'{n}={v}' for n, v in until.items())})")
    def run(
        self,
        *,
        until: str | datetime | np.datetime64 | None = None,
        hours: float | None = None,
        days: float | None = None,
    ) -> None:
        """Collective. Runs until a time [UTC] or for a time, by default to the end of the case; a time that
        has passed changes nothing. Raises as `step`."""
        span = duration_of("run", days=days, hours=hours)
        is_timed = (days, hours) != (None, None)
        if until is not None and is_timed:
            raise ConfigError("run() has until and a duration. Give one of them.")
        end = time_of(until) if until is not None else self._case.time.end
        self._advance(self._open().time + span if is_timed else end)

    @collective(lambda name: f"run[{name!r}]")
    def __getitem__(self, name: str) -> Field:
        """Collective. A field of the present state, whole on every rank, as an `xarray.DataArray` with CF
        attributes; with levels on those of `output.vertical`. Raises ConfigError for an unknown name."""
        engine = self._open()
        row = engine.model.variables.get(name)
        if row is None or not self._is_output(row):
            known = [row.name for row in engine.model.variables.values() if self._is_output(row)]
            raise ConfigError(f"unknown variable '{name}'. {suggestion(str(name), known)}")
        values, axis = engine.field(name)
        geometry = self._geometry
        coordinates: dict[str, Any] = {"time": np.datetime64(engine.time, "ns")}
        dims: list[str] = list(geometry.dims)
        if axis is not None:
            dims = [axis.name, *dims] if geometry.is_grid else [*dims, axis.name]
            values = values.T if geometry.is_grid else values
            for each in axis.variables:
                names = [axis.name, BOUNDS][: each.values.ndim]
                if BOUNDS not in names:
                    coordinates[each.name] = xr.Variable(names, each.values, each.attributes)
        if geometry.is_grid:
            shape = [geometry.dataset.sizes[name] for name in geometry.dims]
            values = values.reshape(*values.shape[:-1], *shape)
        attributes = variable_attributes(row) | cell_methods_of(row)
        coordinates |= {each: geometry.dataset[each].variable for each in ("lon", "lat")}
        return Field.of(xr.DataArray(values, coordinates, dims, name, attributes), geometry)

    @collective(lambda folder, **options: f"run.save({fspath(folder)!r})")
    def save(self, folder: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Collective. Writes the run so far into a folder, as `halcyon run` does: its records of fields,
        series and spectra, its case, and a restart file. `halcyon.open`, `halcyon plot` and `halcyon score`
        read the folder; `halcyon run FOLDER/case.yaml --resume` and `halcyon.Simulation(FOLDER)` continue it.

        Raises InputError if the folder holds results and `overwrite` is not given."""
        self._open().save(Path(folder).absolute(), overwrite=overwrite)
        return Path(folder)

    def add_forcing(
        self,
        function: Function | str,
        /,
        kind: str | None = None,
        *,
        step: float | None = None,
        **options: float,
    ) -> Function:
        """Collective. Adds a forcing in Python, before the first step: a physics scheme of columns of air, or
        in the wave model a source term of spectra, or a change of the wind or the ice.

            def gusts(cells, *, factor=1.2):
                cells.eastward_wind *= factor

            run.add_forcing(gusts, "wind", factor=1.5)

        A scheme is that of docs/physics.md: it assigns the results of a block, and its keyword-only
        parameters are options. A function of kind "wind" or "ice" gets cells with `longitude`, `latitude`
        [rad], `depth` [m], `time`, `date` [s], and changes `eastward_wind` and `northward_wind` [m s-1], or
        `ice_fraction`.
        Restart files know the forcing by its name and source: a run is resumed only with it.

        @param kind "wind", "ice" or "source" of waves; "tendency" of air; by default the last
        @param step time between two calls of a scheme of air [s]; by default each step
        @param options values of the options of the function
        @returns the function, so that `@run.add_forcing` is a decorator, and `@run.add_forcing("wind")`, too
        A function of the same name and kind replaces the one that was added before.
        @raises ConfigError for other kinds, after the first step, and for forcings of two kinds of a name
        """
        if isinstance(function, str):
            return functools.partial(self.add_forcing, kind=function, step=step, **options)
        with plain_errors():
            name = getattr(function, "__name__", "")
            agreement().require(f"run.add_forcing({name})")
            place = self._forcing_place(function, kind)
            if step is not None and self.model == "wave":
                raise ConfigError("add_forcing(step=...): forcings of waves are called in each source step.")
            options = plain(options) | ({} if step is None else {"step": step})
            functions = self._functions | {f"{place}:{name}": function}
            source = copy.deepcopy(self._source)
            schemes = _schemes_of(source.data, self.model)
            others = [each for each in schemes if each["scheme"] != f"{place}:{name}"]
            entry = {"scheme": f"{place}:{name}", **options}  # in its place if the run that is resumed has it
            index = next((i for i, each in enumerate(schemes) if each not in others), len(schemes))
            schemes[:] = [*schemes[:index], entry, *schemes[index + 1 :]]
            self._case = case_of(self._path, copy.deepcopy(source)).with_functions(functions)
            self._source, self._functions, self._engine = source, functions, None
            self.__dict__.pop("_geometry", None)
        return function

    def every(
        self, *, seconds: float = 0.0, minutes: float = 0.0, hours: float = 0.0, days: float = 0.0
    ) -> Callable[[Function], Function]:
        """A decorator of a function that is called with this simulation at multiples of a time since the
        start, at the end of the first step that reaches them:

            @run.every(hours=6)
            def show(run):
                print(run.time, float(run["significant_height"].max()))

        If it returns True or `halcyon.stop`, on any rank, the present `step` or `run` ends there. Raises
        ConfigError if the time is not positive."""
        interval = duration_of("every", days=days, hours=hours, minutes=minutes, seconds=seconds)
        if not interval:
            raise ConfigError("every() needs a positive time, such as every(hours=1).")

        def add(function: Function) -> Function:
            self._hooks.append(_Hook(function, interval.total_seconds()))
            return function

        return add

    # Inside.

    def _checked(self) -> RunCase:
        """The case of the options. Each rank validates its copy, without reading data."""
        case = case_of(self._path, copy.deepcopy(self._source))
        return case.with_functions(self._functions)

    def _open(self) -> Engine:
        """The engine, which is set up at the first call."""
        if self._engine is None:
            start = self._case.time.start
            with ProgressBar(start, start, is_shown=self._progress and self._comm.rank == 0) as bar:
                self._engine = Engine(self._case, self._comm, self._resumed, bar.say)
        return self._engine

    @functools.cached_property
    def _geometry(self) -> Geometry:
        """Collective. The cells of the fields, whole on every rank."""
        engine = self._open()
        part = engine.model.contents.part
        if isinstance(part, OwnedGrid):
            axes = {"lat": part.latitude, "lon": part.longitude}
            return Geometry(xr.Dataset(coords={n: (n, v, axis_attributes(n)) for n, v in axes.items()}))
        of_cells = {"lon": part.cell_longitude, "lat": part.cell_latitude, "face_nodes": part.face_nodes}
        of_vertices = {"node_lon": part.vertex_longitude, "node_lat": part.vertex_latitude}
        values = {name: engine.whole(np.asarray(each)) for name, each in of_cells.items()}
        values |= {name: engine.whole(np.asarray(each), "vertices") for name, each in of_vertices.items()}
        values["mesh"] = np.zeros((), np.int32)
        rows = topology(part.long_name)
        dataset = xr.Dataset({name: (dims, values[name], attributes) for name, _, dims, attributes in rows})
        return Geometry(dataset.set_coords(["lon", "lat"]), lambda: plot.land_of(self._case))

    def _is_output(self, row: Any) -> bool:
        """Whether a row of the table of variables is a field of the present state: accumulated variables are
        only if the case requests them."""
        is_kept = row.name in {each.name for each in self._open().model.restart_state.variables}
        return row.output and (not row.restart or is_kept)

    def _advance(self, target: datetime) -> None:
        """Takes steps until the end of the first one that reaches a time, or a function stops the run."""
        engine, case = self._open(), self._case
        if self._is_stepping:
            raise ConfigError("a function of run.every() must not advance the run that calls it.")
        if (target - case.time.end).total_seconds() > _ROUNDING_S:
            raise ConfigError(
                f"{target:%Y-%m-%d %H:%M:%S} is after the end of the case (time.end = {case.time.end}). Give"
                " the simulation a later end, such as halcyon.Simulation(CASE, end=...)."
            )
        self._is_stepping, begin = True, engine.time
        try:
            with ProgressBar(begin, target, is_shown=self._progress and self.rank == 0) as bar:
                while (target - engine.time).total_seconds() > _ROUNDING_S and not engine.is_at_end:
                    before_s = self._elapsed_s
                    self._has_stepped = True
                    engine.advance()
                    bar.update(engine.time)
                    if self._call_hooks(before_s):
                        break
        finally:
            self._is_stepping = False

    @property
    def _elapsed_s(self) -> float:
        return (self.time - self._case.time.start).total_seconds()

    def _call_hooks(self, before_s: float) -> bool:
        """Calls the functions that are due after a step. Returns whether one of them, on any rank, stops."""
        is_stopped = False
        for hook in self._hooks:
            if hook.is_due(before_s, self._elapsed_s):
                result = hook.function(self)
                stops = result is stop or (isinstance(result, (bool, np.bool_)) and bool(result))
                agreement().require(f"the function {_name_of(hook.function)} of run.every()")
                is_stopped |= stops if self._comm.size == 1 else any(self._comm.allgather(stops))
        return is_stopped

    def _forcing_place(self, function: Function, kind: str | None) -> str:
        """The place in the name of a forcing. Raises ConfigError as `add_forcing`."""
        kinds = (*KINDS, "source") if self.model == "wave" else ("tendency",)
        if kind not in (None, *kinds):
            raise ConfigError(f"add_forcing(kind={kind!r}): give {' or '.join(map(repr, kinds))}.")
        if not callable(function) or not hasattr(function, "__name__"):
            raise ConfigError(f"add_forcing({function!r}): give a function with a name.")
        if self._has_stepped:
            raise ConfigError(
                f"add_forcing({function.__name__}) comes after the first step. Add forcings before it, as the"
                " results of a run are those of the same forcings from its start."
            )
        place, name = f"{ADDED}.{kind}" if kind in KINDS else ADDED, function.__name__
        replaced = set() if name == "<lambda>" else {f"{place}:{name}"}
        if any(each.partition(":")[2] == name for each in {*self._functions} - replaced):
            raise ConfigError(f"there is a forcing {name} already. Give the function another name.")
        return place


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", None) or repr(function)


def _schemes_of(options: dict[str, Any], model: str) -> list[Any]:
    """The list of physics schemes in the options of a case, which is added if it is missing."""
    if model == "wave":
        return options.setdefault("physics", {}).setdefault("schemes", [])
    return options.setdefault("physics", [])

"""The files of an ensemble: statistics of the fields of all members as one UGRID file, and of their stations
as CSV and netCDF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__
from halcyon._core.mesh import require_complete
from halcyon.base import InputError
from halcyon.config.case import Case
from halcyon.io import StationsFile
from halcyon.io.attributes import FILL, Origin, cell_methods_of, file_attributes, variable_attributes
from halcyon.io.fields_file import with_fill_values
from halcyon.mesh.atomic_file import write_netcdf
from halcyon.mesh.cf_file import reading
from halcyon.mesh.ugrid import CONVENTIONS, FORMATS
from halcyon.run.ensemble.statistics import Statistic, statistics_of
from halcyon.run.folder import read_run_file

if TYPE_CHECKING:
    from netCDF4 import Dataset, Variable

FIELDS_FILE, STATIONS = "ensemble.nc", "stations.nc"
_ON_FACES = {"mesh": "mesh", "location": "face", "coordinates": "lon lat"}


@dataclass(frozen=True)
class Members:
    """The finished runs of an ensemble: the names of members and their folders, in a fixed order."""

    names: Sequence[str]
    folders: Sequence[Path]

    def files(self, name: str) -> list[Path]:
        """The file of this name of each member."""
        return [folder / name for folder in self.folders]


def write_statistics(case: Case, folder: Path, members: Members) -> list[Path]:
    """Writes the statistics of finished members into a folder: ensemble.nc, and stations.csv and stations.nc
    if the case has stations. Returns the paths of the files.

    The memory is that of one variable of one record, and of the maxima, of all members. Raises InputError if
    the files of members do not match, RunError if a file cannot be written."""
    listed = [Path(file).name for file in read_run_file(members.folders[0]).get("files") or ()]
    segments = [name for name in listed if name.startswith("fields_")]
    path = folder / FIELDS_FILE
    write_netcdf(path, lambda file: _FieldsWriter(file, case, members).write(segments), FORMATS["cdf5"])
    return [path, *(_write_stations(case, folder, members) if case.output.stations else ())]


class _FieldsWriter:
    """Writes ensemble.nc. The mesh and the fields without time are those of the first member."""

    def __init__(self, file: Dataset, case: Case, members: Members) -> None:
        self._file, self._case, self._members = file, case, members
        self._rows: dict[str, list[Statistic]] = {}  # by variable
        self._rows_of_maxima: dict[str, list[Statistic]] = {}  # of variables with thresholds
        self._maxima: dict[str, np.ndarray] = {}  # values (member, face)

    def write(self, segments: Sequence[str]) -> None:
        """Writes the records of the fields files with these names."""
        n_records = 0
        for name in segments:
            paths = self._members.files(name)
            with ExitStack() as opened:
                files = [opened.enter_context(_opened(path)) for path in paths]
                times = _common_times(paths, files)
                if n_records == 0:
                    self._define(files[0])
                for record, time in enumerate(times):
                    self._file["time"][n_records] = time
                    self._write_record(files, record, n_records)
                    n_records += 1
        for source, rows in self._rows_of_maxima.items():
            for row in rows:
                self._file[row.name][:] = with_fill_values(row.function(self._maxima[source]))

    def _write_record(self, files: Sequence[Dataset], record: int, number: int) -> None:
        """Writes record `number` from a record of all members."""
        for source, rows in self._rows.items():
            values = np.stack([_numbers(file[source][record]) for file in files])
            for row in rows:
                self._file[row.name][number] = with_fill_values(row.function(values))
            if source in self._rows_of_maxima:
                self._maxima[source] = np.fmax(self._maxima.get(source, np.nan), values)

    def _define(self, first: Dataset) -> None:
        """Defines all variables, and writes those without time."""
        options = self._case.ensemble
        for name, variable in first.variables.items():
            if variable.dimensions != ("time", "face"):
                continue
            thresholds = options.thresholds.get(name)
            arguments = name, variable.__dict__, options.quantiles, thresholds or ()
            self._rows[name] = statistics_of(*arguments)
            if thresholds is not None:
                self._rows_of_maxima[name] = statistics_of(*arguments, of_maximum=True)
        title = f"Ensemble of {len(self._members.names)} members: {self._case.heading}"
        self._file.setncatts(file_attributes(_origin(first, title), CONVENTIONS))
        self._file.members = " ".join(self._members.names)
        for name, dimension in first.dimensions.items():
            self._file.createDimension(name, None if name == "time" else len(dimension))
        for name in [name for name in first.variables if name not in self._rows]:
            _copy(first[name], self._file)
        for rows in self._rows.values():
            self._define_rows(rows, ("time", "face"))
        for rows in self._rows_of_maxima.values():
            self._define_rows(rows, ("face",))

    def _define_rows(self, rows: Iterable[Statistic], dimensions: tuple[str, ...]) -> None:
        for row in rows:
            variable = self._file.createVariable(row.name, "f4", dimensions, fill_value=FILL)
            attributes = variable_attributes(row) | _ON_FACES | cell_methods_of(row)
            variable.setncatts({**attributes, **row.extra})
            variable.set_auto_mask(False)


def _copy(variable: Variable[Any], file: Dataset) -> None:
    """Copies a variable of an open file into another one; of one with a time only the definition."""
    attributes = {name: value for name, value in variable.__dict__.items() if name != "checksum"}
    fill = attributes.pop("_FillValue", False)
    copy = file.createVariable(variable.name, variable.dtype, variable.dimensions, fill_value=fill)
    copy.setncatts(attributes)
    if "time" not in variable.dimensions:
        for each in (copy, variable):
            each.set_auto_mask(False)
        copy[...] = variable[...]


def _write_stations(case: Case, folder: Path, members: Members) -> list[Path]:
    """Writes the statistics of the time series of stations, of the variables of output.variables."""
    paths, options = members.files(STATIONS), case.ensemble
    with ExitStack() as opened:
        files = [opened.enter_context(_opened(path)) for path in paths]
        hours = _common_times(paths, files)
        first = files[0]
        rows = {
            name: statistics_of(
                name, first[name].__dict__, options.quantiles, options.thresholds.get(name, ())
            )
            for name in case.output.variables
            if name in first.variables
        }
        values = [
            row.function(np.stack([_numbers(file[name][:]) for file in files]))
            for name, of_variable in rows.items()
            for row in of_variable
        ]
        cells = np.stack([_numbers(first[name][:]) for name in ("cell_lon", "cell_lat")], axis=1)
        written = StationsFile(
            folder,
            case.output.stations,
            cells,
            [row for of_variable in rows.values() for row in of_variable],
            start=case.time.start,
            origin=_origin(first, f"Ensemble of {len(files)} members at stations: {case.heading}"),
        )
    for hour, table in zip(hours, np.stack(values).transpose(2, 1, 0), strict=True):
        written.write(case.time.start + timedelta(hours=float(hour)), float(hour), table)
    written.close()
    return [written.csv_path, written.netcdf_path]


def _opened(path: Path) -> Dataset:
    from netCDF4 import Dataset

    require_complete(str(path))
    with reading(path, "as netCDF"):
        return Dataset(path)


def _common_times(paths: Sequence[Path], files: Sequence[Dataset]) -> np.ndarray:
    """The times of the records of all files. Raises InputError if a file has others."""
    times = [_numbers(file["time"][:]) for file in files]
    for path, other in zip(paths, times, strict=True):
        if not np.array_equal(times[0], other):
            raise InputError(
                f"{path} has {len(other)} records at other times than {paths[0]} with {len(times[0])}: the "
                "members are runs of different cases. Run the ensemble again with --overwrite."
            )
    return times[0]


def _numbers(values: np.ma.MaskedArray) -> np.ndarray:
    """Values as float64, NaN where they are missing."""
    return np.ma.filled(np.ma.asarray(values, float), np.nan)


def _origin(file: Dataset, title: str) -> Origin:
    return Origin(title, __version__, getattr(file, "references", ""), "ensemble of the spectral wave model")

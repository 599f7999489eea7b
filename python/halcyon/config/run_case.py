"""Option groups that the cases of all models share, and the paths of a case and its output."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr

from halcyon.choices import names
from halcyon.config.option import FilePath, Group, Seconds, UtcTime, option, optional
from halcyon.config.yaml_source import Source

_DAY_S = 86400.0
_ROUNDING = 1e-9  # rounding error of the number of intervals in a day

if TYPE_CHECKING:  # names of the registries
    _ExchangeMethod = str
    _PartitionMethod = str
    _FileLayout = str
else:
    _ExchangeMethod = Literal[names("exchange methods")]
    _PartitionMethod = Literal[*names("partition methods"), "file"]
    _FileLayout = Literal[names("file layouts")]


class RunOutput(Group):
    """Output of a run; subclasses add `interval`, the time between records [s], and others."""

    if TYPE_CHECKING:
        interval: float
        variables: list[str] | None
        pictures: bool

    folder: FilePath | None = optional(
        "Output folder; by default the case file's name with .out, next to the case file.",
        allowed="the name of a folder",
    )
    segment: Seconds | None = optional(
        "Simulated time per fields file; by default one day, or the next longer multiple of output.interval.",
        unit="s",
        allowed="positive seconds",
    )
    compression: int = option(
        "Compression level of fields files: 0 (none), or 1 (fastest) to 9 (smallest) in netCDF-4 files.",
        default=0,
        ge=0,
        le=9,
        allowed="0 to 9",
    )

    @property
    def segment_s(self) -> float:
        """Simulated time per fields file [s]."""
        return self.segment or self.interval * math.ceil(_DAY_S / self.interval - _ROUNDING)


class Span(Group):
    """Start and end of a run."""

    start: UtcTime = option("Start of the run.", unit="UTC")
    end: UtcTime = option("End of the run.", unit="UTC")


class Exchange(Group):
    """Halo exchange between neighbouring ranks."""

    method: _ExchangeMethod = option(
        "Exchange method (MPI calls); auto: the fastest one, measured at the start.", default="auto"
    )
    layers: Annotated[int, Field(ge=1, le=4)] | Literal["auto"] = option(
        "Number of halo layers; auto: as many as equations.scheme needs.", default="auto"
    )
    overlap: bool = option("Overlap of the halo exchange with the computation of inner cells.", default=True)


class Partition(Group):
    """Distribution of cells over ranks."""

    method: _PartitionMethod = option(
        "Partition method of METIS; file: the partition is read from partition.file.", default="kway"
    )
    seed: int = option("Random seed of METIS.", default=1, ge=0, le=2**31 - 1)
    file: FilePath | None = optional(
        "Partition file with the rank of each cell, one per line, as `halcyon partition` writes it.",
        allowed="the name of a file such as graph.info.part.8",
    )


class Io(Group):
    """Parallel I/O: the ranks that access files, and background writing."""

    layout: _FileLayout = option(
        "Choice of the I/O ranks. direct: all ranks; groups: one per group of ranks; box: a few ranks, each"
        " for one range of the file; gather: rank 0; auto: box or gather, depending on the record size.",
        default="auto",
    )
    ranks: int = option(
        "Number of I/O ranks of layout box; 0: chosen from the record size.", default=0, ge=0, le=1_000_000
    )
    group_size: int = option("Number of ranks per group of layout groups.", default=8, ge=1, le=1_000_000)
    most_ranks: int = option("Largest number of I/O ranks.", default=64, ge=1, le=1_000_000)
    most_requests: int = option(
        "Largest number of outstanding I/O requests per rank.", default=4096, ge=1, le=1_000_000
    )
    piece: int = option(
        "Size of the pieces in which an I/O rank receives and writes data.",
        default=4 * 2**20,
        unit="bytes",
        ge=2**16,
    )
    buffer: int = option(
        "Largest amount of buffered data per rank for background I/O.",
        default=512 * 2**20,
        unit="bytes",
        ge=2**16,
    )
    background: bool = option("Background I/O: files are written while the run continues.", default=True)
    hints: dict[str, str] = option(
        "Hints for PnetCDF and MPI-IO.",
        default={},
        allowed="a group of texts, such as {romio_cb_write: enable}",
    )


class Restart(Group):
    """Restart files, from which a stopped run can be resumed."""

    interval: Seconds | Literal["none"] = option(
        "Simulated time between restart files; none: only one restart file, if a signal stops the run.",
        default=86400.0,
        unit="s",
    )
    keep: int = option("Number of newest restart files that are kept.", default=2, ge=1, le=1000)


class RunCase(Group):
    """A case file of any model. All cases have `title`, `mesh`, `time`, `io`, `output` and `restart`; wave
    and atmosphere cases also have `partition` and an `exchange` of halos."""

    if TYPE_CHECKING:  # options that the case of each model declares with its own types
        model: str
        title: str | None
        mesh: Any
        equations: Any
        time: Any
        initial: Any
        physics: Any
        exchange: Any
        partition: Partition
        io: Io
        output: RunOutput
        restart: Restart

    _path: Path = PrivateAttr(default=Path("case.yaml"))
    _source: Source = PrivateAttr(default_factory=lambda: Source("case", None))
    _functions: dict[str, Callable[..., None]] = PrivateAttr(default_factory=dict)

    def with_location(self, path: Path, source: Source) -> Self:
        """Returns a copy that also holds the path of the case file, and, in `source`, the lines of its
        options."""
        copy = self.model_copy()
        copy._path, copy._source = path, source
        return copy

    def with_functions(self, functions: Mapping[str, Callable[..., None]]) -> Self:
        """Returns a copy that also holds the functions of schemes of a Python program, by the names that the
        options give them."""
        copy = self.model_copy()
        copy._functions = dict(functions)
        return copy

    @property
    def functions(self) -> dict[str, Callable[..., None]]:
        """Functions of schemes that are not in files or modules, by the names of the schemes."""
        return self._functions

    @property
    def halo_layers(self) -> int:
        """Number of halo layers of the exchange."""
        raise NotImplementedError

    @property
    def restart_name_precision_s(self) -> float:
        """Precision [s] of the times in the names of restart files."""
        raise NotImplementedError

    @property
    def path(self) -> Path:
        """The case file."""
        return self._path

    def location(self, *location: str | int) -> str:
        """`case.yaml:14`: file and line of an option, or of the group that lacks it, for errors."""
        return self._source.position(location)

    @property
    def name(self) -> str:
        """The case file's name without its ending."""
        return self.path.stem

    @property
    def heading(self) -> str:
        """The title of the run in files and pictures: the option title, or else the case name."""
        return self.title or self.name

    @property
    def folder(self) -> Path:
        """The output folder."""
        return self.output.folder or self.path.with_suffix(".out")

    @property
    def duration_s(self) -> float:
        """Duration of the run [s]."""
        return (self.time.end - self.time.start).total_seconds()

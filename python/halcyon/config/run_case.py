"""What the cases of all models have in common: groups of options, and where a case and its results are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr

from halcyon.choices import names
from halcyon.config.option import FilePath, Group, Seconds, UtcTime, option, optional
from halcyon.config.yaml_source import Source


class RunOutput(Group):
    """What a run writes, and where."""

    folder: FilePath | None = optional(
        "Folder of the results; by default the case's name with .out, beside the case.",
        allowed="the name of a folder",
    )
    segment: Seconds = option("Time that one fields file covers.", default=86400.0, unit="s")
    compression: int = option(
        "Of the fields files: 0 none; 1 to 9 make them netCDF-4, ever smaller and slower.",
        default=0,
        ge=0,
        le=9,
        allowed="0 to 9",
    )


class Span(Group):
    """The span of a run."""

    start: UtcTime = option("First time.", unit="UTC")
    end: UtcTime = option("Last time.", unit="UTC")


class Exchange(Group):
    """How neighbouring ranks exchange their halos."""

    method: Literal[names("exchange methods")] = option(
        "MPI calls used; auto: the fastest when the run starts.", default="auto"
    )
    layers: Annotated[int, Field(ge=1, le=4)] | Literal["auto"] = option(
        "Halo layers; auto: as many as equations.scheme needs.", default="auto"
    )
    overlap: bool = option("Inner cells are computed while the halo travels.", default=True)


class Partition(Group):
    """How the cells are shared out among the ranks."""

    method: Literal[*names("partition methods"), "file"] = option(
        "METIS' method, or file: as a file says.", default="kway"
    )
    seed: int = option("Seed of METIS' random choices.", default=1, ge=0, le=2**31 - 1)
    file: FilePath | None = optional(
        "The rank of each cell, a line each, as `halcyon partition` writes it; goes with method: file.",
        allowed="the name of a file such as graph.info.part.8",
    )


class Io(Group):
    """Which ranks write and read files, and when."""

    layout: Literal[names("file layouts")] = option(
        "Ranks that touch files: all; one of each group; a few, each with one range of the file; rank 0.",
        default="auto",
    )
    ranks: int = option("Ranks of a box; 0: as many as auto takes.", default=0, ge=0, le=1_000_000)
    group_size: int = option("Ranks of a group.", default=8, ge=1, le=1_000_000)
    most_ranks: int = option("That may touch a file.", default=64, ge=1, le=1_000_000)
    most_requests: int = option("Outstanding ones of a rank.", default=4096, ge=1, le=1_000_000)
    piece: int = option("That a rank takes at once.", default=4 * 2**20, unit="bytes", ge=2**16)
    buffer: int = option(
        "That waits in the background of a rank at most.", default=512 * 2**20, unit="bytes", ge=2**16
    )
    background: bool = option("Files are written while the run goes on.", default=True)
    hints: dict[str, str] = option(
        "For PnetCDF and MPI-IO.", default={}, allowed="a group of texts, such as {romio_cb_write: enable}"
    )


class Restart(Group):
    """Files from which a run that was stopped goes on."""

    interval: Seconds | Literal["none"] = option(
        "Simulated time between them; none: only when a signal stops the run.", default=86400.0, unit="s"
    )
    keep: int = option("How many are kept, the newest.", default=2, ge=1, le=1000)


class RunCase(Group):
    """A run of a model. Cases have `title`, `mesh`, `time`, `io`, `output` and `restart`; those on cells also
    `exchange` and `partition`."""

    _path: Path = PrivateAttr(default=Path("case.yaml"))
    _source: Source = PrivateAttr(default_factory=lambda: Source("case", None))

    def placed_at(self, path: Path, source: Source) -> Self:
        """The same case, read from `path`; `source` knows its lines."""
        copy = self.model_copy()
        copy._path, copy._source = path, source
        return copy

    @property
    def halo_layers(self) -> int:
        """Of the exchange."""
        raise NotImplementedError

    @property
    def restart_step_s(self) -> float:
        """The times of restarts are whole multiples of it [s]."""
        raise NotImplementedError

    @property
    def path(self) -> Path:
        """The case file."""
        return self._path

    def place(self, *location: str | int) -> str:
        """`case.yaml:14`: where an option, or the group that lacks it, stands; for errors."""
        return self._source.place(location)

    @property
    def name(self) -> str:
        """The case file's name without its ending."""
        return self.path.stem

    @property
    def heading(self) -> str:
        """What files and pictures call the run: its title, or else its name."""
        return self.title or self.name

    @property
    def folder(self) -> Path:
        """Folder of the results."""
        return self.output.folder or self.path.with_suffix(".out")

    @property
    def duration_s(self) -> float:
        """[s]"""
        return (self.time.end - self.time.start).total_seconds()

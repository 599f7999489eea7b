"""The group `workload`: the communication and computation of the ranks of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import Field

from halcyon.choices import names
from halcyon.config.option import FilePath, Group, MeshName, joined_by_or, option, optional
from halcyon.config.registry import tagged_union, type_tag

if TYPE_CHECKING:
    GaussianGrid = str
else:
    GaussianGrid = Literal[names("gaussian grids")]

GridSize = Annotated[list[Annotated[int, Field(ge=1, le=10**9)]], Field(min_length=3, max_length=3)]
_ALGORITHMS = names("all-to-alls")
ALGORITHMS = f"{', '.join(map(repr, _ALGORITHMS))} or '{_ALGORITHMS[-1]}-K' such as {_ALGORITHMS[-1]}-4"
Shape = Annotated[list[int], Field(min_length=2, max_length=2)] | Literal["auto"]
ALLOWED_SHAPE = "a list of two integers such as [250, 400], or 'auto': as square as the grid allows"


class _OnGrid(Group):
    """A workload on a grid of columns (points in x and y), distributed over ranks."""

    type: str
    grid: GridSize = option(
        "Grid points along x, y and z.", default=[28800, 14400, 256], allowed="a list of three integers"
    )
    item_bytes: int = option("Bytes per grid point.", default=8, unit="bytes", ge=1, le=10**6)
    ranks: Shape = option("Number of ranks along x and y.", default="auto", allowed=ALLOWED_SHAPE)


class Transposition(_OnGrid):
    """The transpositions of a spectral transform: three all-to-alls, within the rows, within the columns and
    again within the rows of ranks."""

    type: Literal["transposition"] = option("Type of workload: transpositions of a spectral transform.")
    algorithm: str = option("Algorithm of each all-to-all.", default="ring-1", allowed=ALGORITHMS)
    computation: float = option(
        "Computation time per grid point between the all-to-alls.", default=0.0, unit="s", ge=0, le=1
    )


class Pipeline(_OnGrid):
    """The row transforms of a spectral model: groups of fields are transposed, computed on and transposed
    back, pipelined."""

    type: Literal["pipeline"] = option("Type of workload: pipelined row transforms of a spectral model.")
    grid: GridSize = option(
        "Grid points along x, y and z; the levels along z are the fields.",
        default=[28800, 14400, 256],
        allowed="a list of three integers",
    )
    groups: int = option("Number of groups of fields.", default=3, ge=1, le=10**4)
    ahead: int = option(
        "Number of groups that are exchanged while a rank computes on another group; 0: none.",
        default=1,
        ge=0,
        le=10**4,
    )
    computation: float = option("Computation time per grid point.", default=0.0, unit="s", ge=0, le=1)


class Alltoall(Group):
    """An all-to-all of all ranks."""

    type: Literal["alltoall"] = option("Type of workload: all-to-all of all ranks.")
    block_bytes: int = option("Bytes from each rank to each other rank.", unit="bytes", ge=0, le=2**40)
    algorithm: str = option("Algorithm of the all-to-all.", default="ring-1", allowed=ALGORITHMS)


class GridHalo(_OnGrid):
    """The halo exchange of a grid of columns, with halos of any width."""

    type: Literal["grid_halo"] = option("Type of workload: halo exchange of a grid of columns.")
    width: int = option("Width of the halo.", default=3, unit="points", ge=1, le=10**6)
    order: Literal["sweeps", "at_once"] = option(
        "Order of the exchange. sweeps: along x, then along y including the corners; at_once: all "
        "neighbours at once.",
        default="sweeps",
    )


class MeshHalo(Group):
    """The halo exchange of a mesh partitioned by METIS, or of estimated compact patches if the mesh is too
    large for a partition."""

    type: Literal["mesh_halo"] = option("Type of workload: halo exchange of a mesh.")
    mesh: MeshName = option(
        "Mesh: G0 to G10, a name such as G8X4, or a mesh file.", default="G7", allowed="a mesh's name or file"
    )
    cells: int | None = optional(
        "Number of cells, used by `cut: estimate`; by default that of the mesh.", ge=1, le=2**40
    )
    bins: int = option("Values per cell.", default=1260, ge=0, le=10**6)
    edge_bins: int = option("Values per edge.", default=0, ge=0, le=10**6)
    bytes_per_value: int = option("Bytes per value: 4 for float, 8 for double.", default=4, ge=1, le=1000)
    layers: int = option("Number of halo layers.", default=1, ge=1, le=100)
    order: Literal["at_once", "in_order", "unwaited"] = option(
        "Order of the exchange. at_once: all messages at once; in_order: receives complete one after "
        "the other; unwaited: as in_order, but sends complete only before the next exchange.",
        default="at_once",
    )
    steps: int = option("Number of exchanges, one after the other.", default=1, ge=1, le=10**6)
    computation: float = option(
        "Computation time of each rank after each exchange.", default=0.0, unit="s", ge=0, le=1000
    )
    cut: Literal["metis", "estimate"] = option(
        "Source of the communication volumes. metis: partitions the mesh; estimate: a formula for "
        "compact patches (docs/simulate.md), without a mesh.",
        default="metis",
    )


class Allreduce(Group):
    """Recursive-k allreduces."""

    type: Literal["allreduce"] = option("Type of workload: recursive-k allreduces.")
    data_bytes: int = option("Size of the data of each rank.", default=8, unit="bytes", ge=0, le=2**40)
    radix: int = option("Radix k of the recursive exchange.", default=2, ge=2, le=10**6)
    repetitions: int = option("Number of allreduces, one after the other.", default=1, ge=1, le=10**6)


class Gcr(Group):
    """The allreduces of a solution by GCR (generalized conjugate residuals): two per iteration."""

    type: Literal["gcr"] = option("Type of workload: allreduces of a solution by GCR.")
    iterations: int = option("Number of iterations.", default=25, ge=1, le=10**6)
    directions: int = option("Number of search directions kept, k of GCR(k).", default=3, ge=1, le=10**4)
    radix: int = option("Radix k of the recursive exchange.", default=2, ge=2, le=10**6)
    numbers: int = option(
        "Number of doubles per allreduce; 0: as in GCR(k), where the first allreduce of iteration i has"
        " min(i, k) and the second 2.",
        default=0,
        ge=0,
        le=10**6,
    )
    computation: float = option(
        "Computation time of each rank before each allreduce.", default=0.0, unit="s", ge=0, le=1000
    )


class SpectralExchange(Group):
    """An exchange of a spectral model on V x W sets of ranks."""

    type: Literal["spectral"] = option("Type of workload: exchange of a spectral model.")
    exchange: Literal["transform", "part", "modes", "halo"] = option(
        "The exchange. transform: transpositions of one synthesis of a field on all levels, between complete"
        " columns of coefficients and of values; part: the same without that of coefficients, as for each"
        " further component of a call; modes: vertical modes of the semi-implicit solver; halo: wide halo of"
        " semi-Lagrangian advection.",
        default="transform",
    )
    truncation: int = option("Triangular truncation T.", ge=1, le=10_000)
    grid: GaussianGrid = option("Type of the Gaussian grid.", default="octahedral")
    fields: int = option("Number of values per column: levels, times fields for a halo.", ge=1, le=10**6)
    sets: Annotated[list[Annotated[int, Field(ge=1, le=2**20)]], Field(min_length=2, max_length=2)] = option(
        "V and W: numbers of sets of ranks.", allowed="a list of two integers, such as [4, 100]"
    )
    width: int = option("Width of the halo.", default=3, unit="points", ge=3, le=20_000)
    precision: Literal[64, 32] = option("Precision of the values in bits.", default=64, allowed="64 or 32")
    order: Literal["at_once", "in_order"] = option(
        "Order of the messages. at_once: all messages of an all-to-all or halo at once; in_order: all-to-alls"
        " by ring-1, and halos received one after the other.",
        default="at_once",
    )


class File(Group):
    """A record of a file, written or read by I/O ranks, which exchange it with all ranks: the layouts of
    `halcyon.io`. The file system is that of the machine (`machine.file_system`)."""

    type: Literal["file"] = option("Type of workload: a record of a file, written or read.")
    items: int = option("Items of each variable, such as the cells of a mesh.", ge=1, le=2**40)
    item_bytes: int = option("Bytes of an item, of all its levels.", default=8, unit="bytes", ge=1, le=2**30)
    variables: int = option("Number of variables.", default=1, ge=1, le=10**5)
    direction: Literal["write", "read"] = option("Whether the file is written or read.", default="write")
    layout: Literal["box", "groups", "direct", "gather"] = option(
        "Which ranks access the file, each with one range of a variable (box, gather: one rank), or with the"
        " items of its group of ranks, or with its own (direct).",
        default="box",
    )
    io_ranks: int = option("I/O ranks of the layout box.", default=16, ge=1, le=2**20)
    group_size: int = option("Ranks of a group of the layout groups.", default=1, ge=1, le=2**20)
    order: Literal["shuffled", "natural"] = option(
        "Order of the items in the file: along a space-filling curve (natural), or anywhere (shuffled).",
        default="natural",
    )


class Traffic(Group):
    """Messages of all ranks at once by a pattern, or by a matrix."""

    type: Literal["traffic"] = option("Type of workload: messages by a pattern or a matrix.")
    pattern: Literal["matrix", "incast", "shift", "transpose", "complement", "random"] = option(
        "Receiver of rank r of n. incast: r modulo targets; shift: r + shift; transpose: of a square of "
        "ranks; complement: n - 1 - r; random: a permutation; matrix: bytes between all ranks from a file.",
    )
    message_bytes: int = option("Size of a message.", default=65536, unit="bytes", ge=1, le=2**40 - 1)
    file: FilePath | None = optional(
        "Bytes (sender, receiver): an array of numpy (.npy), or a text file with one line per sender."
    )
    targets: int = option("Number of ranks that receive in the pattern incast.", default=1, ge=1, le=2**20)
    shift: int = option("Distance of the pattern shift.", default=1, ge=1, le=2**31 - 1)
    seed: int = option("Seed of the pattern random.", default=1, ge=0, le=2**31 - 1)
    repetitions: int = option(
        "Number of messages of each pair, one after the other.", default=1, ge=1, le=10**6
    )
    computation: float = option(
        "Computation time of each rank after each message.", default=0.0, unit="s", ge=0, le=1000
    )


class Replay(Group):
    """The messages and computations of a recorded run, or of a trace of any program."""

    type: Literal["replay"] = option("Type of workload: replay of a recorded run or a trace.")
    file: FilePath = option(
        "File of a recorded run, or a trace: a folder of `halcyon record`, an OTF2 archive (.otf2), the meta "
        "file of DUMPI (.meta), or GOAL (.goal).",
    )
    collectives: Literal["open_mpi", "mpich", "mpich_node_aware"] = option(
        "MPI library whose algorithms execute the collectives of a trace.", default="open_mpi"
    )
    computation_factor: float = option(
        "Factor of the computation times of a trace, such as 0.5 for cores that are twice as fast.",
        default=1.0,
        ge=0,
        le=1e6,
    )
    buffered_bytes: int | Literal["auto"] = option(
        "Largest size of sends of a trace that complete at once, since MPI buffers them. auto: the machine's "
        "eager_bytes, if it has a limit.",
        default="auto",
        unit="bytes",
        allowed="a whole number of 0 or more, or 'auto'",
    )
    scaling: Literal["none", "weak", "strong"] = option(
        "How a trace is extrapolated to another number of ranks (`ranks`), if its pattern follows a known "
        "law. weak: work and data of each rank stay the same; strong: those of all ranks together.",
        default="none",
    )
    unmatched: Literal["refuse", "drop"] = option(
        "What is done with messages of a trace that are only sent or only received.", default="refuse"
    )


_KINDS = (
    Transposition,
    Pipeline,
    Alltoall,
    GridHalo,
    MeshHalo,
    Allreduce,
    Gcr,
    SpectralExchange,
    File,
    Traffic,
    Replay,
)


_TAGS = {kind: f"<{get_args(kind.model_fields['type'].annotation)[0]}>" for kind in _KINDS}
_ONE_JOB = {tag: kind for kind, tag in _TAGS.items() if kind is not File}


if TYPE_CHECKING:
    _OneJob = Any
else:
    _OneJob = tagged_union(_ONE_JOB, type_tag)


class Job(Group):
    """A job that runs at the same time as others."""

    ranks: int | None = optional("Number of ranks; that of a replay is known.", ge=1, le=2**31 - 1)
    workload: _OneJob = option("Workload of the job.", allowed="a workload other than jobs and file")
    repetitions: int = option(
        "Number of repetitions, such as of background traffic.", default=1, ge=1, le=10**6
    )


class Jobs(Group):
    """Several jobs on one machine, each on ranks of its own, in this order."""

    type: Literal["jobs"] = option("Type of workload: several jobs on one machine.")
    jobs: Annotated[list[Job], Field(min_length=1)] = option(
        "The jobs. Their ranks are numbered one job after the other.", allowed="a list of jobs"
    )


_TYPES = {get_args(kind.model_fields["type"].annotation)[0]: kind for kind in (*_KINDS, Jobs)}
if TYPE_CHECKING:
    Workload = Any
else:
    Workload = tagged_union({f"<{name}>": kind for name, kind in _TYPES.items()}, type_tag)
WORKLOADS = f"a group with type: {joined_by_or([*_TYPES])}"

"""`workload:` what the ranks of a simulation do."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from halcyon.choices import names
from halcyon.config.option import FilePath, Group, MeshName, alternatives, option, optional
from halcyon.config.registry import tagged_union, type_tag

Points = Annotated[list[Annotated[int, Field(ge=1, le=10**9)]], Field(min_length=3, max_length=3)]
_ALGORITHMS = names("all-to-alls")
ALGORITHMS = f"{', '.join(map(repr, _ALGORITHMS))} or '{_ALGORITHMS[-1]}-K' such as {_ALGORITHMS[-1]}-4"
Shape = Annotated[list[int], Field(min_length=2, max_length=2)] | Literal["auto"]
SHAPE = "a list of two integers such as [250, 400], or 'auto': as square as the grid allows"


class _OnGrid(Group):
    """What ranks do that share a grid of columns."""

    type: str
    grid: Points = option(
        "Points along x, y and z.", default=[28800, 14400, 256], allowed="a list of three integers"
    )
    item_bytes: int = option("At a point.", default=8, unit="bytes", ge=1, le=10**6)
    ranks: Shape = option("Ranks along x and y.", default="auto", allowed=SHAPE)


class Transposition(_OnGrid):
    """The transpositions of a spectral transform: three all-to-alls within rows, columns, rows of ranks."""

    type: Literal["transposition"] = option("Of a spectral transform.")
    algorithm: str = option("Of each all-to-all.", default="ring-1", allowed=ALGORITHMS)
    computation: float = option("Of a point between the stages.", default=0.0, unit="s", ge=0, le=1)


class Pipeline(_OnGrid):
    """The rows of a spectral transform: groups of fields are transposed, worked on and transposed back."""

    type: Literal["pipeline"] = option("Of the rows of a spectral transform, in groups of fields.")
    grid: Points = option(
        "Points along x, y and z; levels along z are the fields.",
        default=[28800, 14400, 256],
        allowed="a list of three integers",
    )
    groups: int = option("Of fields.", default=3, ge=1, le=10**4)
    ahead: int = option("Groups that come while one is worked on.", default=1, ge=0, le=10**4)
    computation: float = option("Of a point, between coming and leaving.", default=0.0, unit="s", ge=0, le=1)


class Alltoall(Group):
    """An all-to-all of all ranks."""

    type: Literal["alltoall"] = option("Of all ranks.")
    block_bytes: int = option("From each rank to each.", unit="bytes", ge=0, le=2**40)
    algorithm: str = option("How it goes.", default="ring-1", allowed=ALGORITHMS)


class GridHalo(_OnGrid):
    """The halo of a grid of columns, of any width."""

    type: Literal["grid_halo"] = option("Of a grid of columns.")
    width: int = option("Of the halo.", default=3, unit="points", ge=1, le=10**6)
    order: Literal["sweeps", "at_once"] = option(
        "Along x, then along y with the corners; or all neighbours at once.", default="sweeps"
    )


class MeshHalo(Group):
    """The halo of a mesh that METIS has cut, or of patches of its size that are too many to be cut here."""

    type: Literal["mesh_halo"] = option("Of a mesh that METIS has cut.")
    mesh: MeshName = option(
        "G0 to G10, a name such as G8X4, or a mesh file.", default="G7", allowed="a mesh's name or file"
    )
    cells: int | None = optional("Of an estimate, instead of those of the mesh.", ge=1, le=2**40)
    bins: int = option("Values of a cell.", default=1260, ge=1, le=10**6)
    edge_bins: int = option("Values of an edge.", default=0, ge=0, le=10**6)
    bytes_per_value: int = option("4 for float, 8 for double.", default=4, ge=1, le=1000)
    layers: int = option("Of halo cells.", default=1, ge=1, le=100)
    order: Literal["at_once", "in_order", "unwaited"] = option(
        "All messages at once; the receives one after the other; so, and the sends not waited for before the "
        "next exchange.",
        default="at_once",
    )
    steps: int = option("Exchanges, one after the other.", default=1, ge=1, le=10**6)
    computation: float = option("Of a rank after each exchange.", default=0.0, unit="s", ge=0, le=1000)
    cut: Literal["metis", "estimate"] = option(
        "metis cuts the mesh; estimate takes the law of patches (docs/simulate.md), which needs no mesh.",
        default="metis",
    )


class Allreduce(Group):
    """Allreduces by recursive-k."""

    type: Literal["allreduce"] = option("By recursive-k.")
    data_bytes: int = option("Of the result.", default=8, unit="bytes", ge=0, le=2**40)
    radix: int = option("k.", default=2, ge=2, le=10**6)
    repetitions: int = option("One after the other.", default=1, ge=1, le=10**6)


class Gcr(Group):
    """The allreduces of a solution by GCR: two an iteration."""

    type: Literal["gcr"] = option("Of a solution by GCR.")
    iterations: int = option("N.", default=25, ge=1, le=10**6)
    directions: int = option("That are kept, k.", default=3, ge=1, le=10**4)
    radix: int = option("Of recursive-k.", default=2, ge=2, le=10**6)
    numbers: int = option(
        "Doubles of each allreduce; 0: as the algorithm needs, min(i, k) and 2.", default=0, ge=0, le=10**6
    )
    computation: float = option("Of a rank before each allreduce.", default=0.0, unit="s", ge=0, le=1000)


class Replay(Group):
    """The messages and computations of a run that was recorded."""

    type: Literal["replay"] = option("Of a recorded run.")
    file: FilePath = option("The record.")


_KINDS = (Transposition, Pipeline, Alltoall, GridHalo, MeshHalo, Allreduce, Gcr, Replay)
_TYPES = {get_args(kind.model_fields["type"].annotation)[0]: kind for kind in _KINDS}
Workload = tagged_union({f"<{name}>": kind for name, kind in _TYPES.items()}, type_tag)
WORKLOADS = f"a group with type: {alternatives([*_TYPES])}"

"""Halo exchange of a model's fields: numpy arrays of any type and shape on cells, edges and vertices.

    part = Decomposition(mesh, owners, comm.rank, n_layers=2)
    halo = Halo(comm, part, [Field("cell", np.float64, (30,)), Field("edge", np.float32, (30,), layers=1)])
    with halo.start([temperature, wind]):
        ...  # compute inner cells: 0 to part.n_inner
    ...  # boundary cells: part.n_inner to part.cells.n_owned

After Liu et al., GRIST infrastructure, 2.1 (areas of a part) and 3 (several fields in one message).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import DTypeLike

from halcyon._core import comm as _comm
from halcyon._core import halo as _core
from halcyon._core.comm import Statistics
from halcyon._core.decomposition import Decomposition, Topology
from halcyon.base import ConfigError

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["LOCATIONS", "METHODS", "Decomposition", "Field", "Halo", "Pending", "Statistics", "Topology"]

LOCATIONS = ("cell", "edge", "vertex")
METHODS = tuple(_comm.methods())


@dataclass(frozen=True)
class Field:
    """A field of a group: where it lives (`cell`, `edge` or `vertex`), its numbers, its shape at one place,
    such as (levels,), and how many halo layers it needs (0: all that the decomposition has).

    Raises ConfigError for another location, numbers that are references to objects, and sizes below 0."""

    location: str
    dtype: DTypeLike = np.float64
    shape: tuple[int, ...] = ()
    layers: int = 0

    def __post_init__(self):
        if self.location not in LOCATIONS:
            raise ConfigError(
                f"A field lives on '{self.location}', but must be on one of {', '.join(LOCATIONS)}."
            )
        if np.dtype(self.dtype).hasobject:
            raise ConfigError(
                f"A field has the type {np.dtype(self.dtype)}, whose values are places in the memory of one "
                "rank. Give a type of numbers."
            )
        if any(size < 0 for size in self.shape):
            raise ConfigError(f"A field has the shape {self.shape} at a place, but sizes are 0 or more.")

    @property
    def item_bytes(self) -> int:
        """Bytes at one place."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)


class Pending:
    """An exchange under way: owned values may be read, halo values not touched, until `wait`.

    Leaving a `with` block waits, and so does dropping it."""

    def __init__(self, core) -> None:
        self._core = core

    def wait(self) -> None:
        """Returns when all halo values have arrived. A second call does nothing."""
        self._core.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.wait()


class Halo:
    """The exchange of the halos of a group of fields, in one message to a neighbour. One start at a time.

    @param comm of mpi4py; part: this rank's `Decomposition`, read once and not kept
    @param method of the exchange, one of METHODS; `auto` measures the others and takes the fastest
    @param unpack "none": messages arrive in the fields where the layout allows; for comparison in a buffer,
        unpacked "together" when all have come, or "singly", each when it has
    @param node_memory whether the arrays will be those of `allocate`, by which `auto` chooses

    Collective. Raises ConfigError for a method that is none, and a field that needs more layers than there
    are.
    """

    def __init__(
        self,
        comm: MPI.Comm,
        part: Decomposition,
        fields: Sequence[Field],
        *,
        method: str = "auto",
        node_memory: bool = False,
        unpack: str = "none",
    ) -> None:
        from halcyon.comm import communicator

        shares = part.cells, part.edges, part.vertices
        n_layers = len(part.cells.layer_offsets) - 1
        for field in fields:  # also where a rank is alone, and misses no layer
            if field.layers > n_layers:
                raise ConfigError(
                    f"A field needs {field.layers} halo layers, but the decomposition has {n_layers}."
                )
        kinds = [LOCATIONS.index(field.location) for field in fields]
        self._fields = list(fields)
        self._shapes = [
            (len(shares[kind].to_global), *f.shape) for kind, f in zip(kinds, fields, strict=True)
        ]
        group = [(kind, f.item_bytes, f.layers) for kind, f in zip(kinds, fields, strict=True)]
        self._checked: list[np.ndarray] = []
        self._converted: Any = None
        self._core = _core.Halo(communicator(comm), part, group, method, node_memory, unpack)

    @property
    def received_bytes(self) -> int:
        """That this rank receives in one exchange."""
        return self._core.received_bytes

    @property
    def description(self) -> str:
        """The method and, where `auto` chose it, why: "auto: shared (shared 43.0, ... us, ...)"."""
        return self._core.description

    @property
    def statistics(self) -> Statistics:
        """What the exchanges have cost and moved on this rank so far: seconds of packing, transfer, waiting
        and unpacking; messages; bytes."""
        return self._core.statistics

    def allocate(self) -> list[np.ndarray]:
        """Collective. New arrays of zeros for the fields. By the method `shared` they lie where the ranks of
        a node read them, and nothing is packed; by others they are like any."""
        return [
            self._core.allocate(number).view(field.dtype).reshape(shape)
            for number, (field, shape) in enumerate(zip(self._fields, self._shapes, strict=True))
        ]

    def start(self, arrays: Sequence[np.ndarray]) -> Pending:
        """Starts an exchange of arrays in the order of the fields: (local places, *shape), contiguous; owned
        values leave, halo values arrive in place until `Pending.wait`.

        Raises ConfigError for arrays that do not fit the fields."""
        return Pending(self._core.start(self._arrays(arrays)))

    def progress(self) -> None:
        """For a computation to call between its pieces: gives MPI a turn to move what is under way, which
        else many an MPI does only where it is waited for."""
        self._core.progress()

    def exchange(self, arrays: Sequence[np.ndarray]) -> None:
        """Starts an exchange and waits for it: see `start`."""
        self._core.exchange(self._arrays(arrays))

    def _arrays(self, arrays: Sequence[np.ndarray]) -> Any:
        """The arrays, checked and converted once as long as they come again; until then they are kept."""
        same = len(arrays) == len(self._checked) and all(map(operator.is_, arrays, self._checked))
        if self._converted is None or not same:
            self._check(arrays)
            self._checked, self._converted = list(arrays), _core.Arrays(list(arrays))
        return self._converted

    def _check(self, arrays: Sequence[np.ndarray]) -> None:
        if len(arrays) != len(self._fields):
            raise ConfigError(
                f"{len(arrays)} arrays were given, but the group has {len(self._fields)} fields."
            )
        for number, (array, field, shape) in enumerate(zip(arrays, self._fields, self._shapes, strict=True)):
            _require_fit(number, array, field, shape)


def _require_fit(number: int, array: np.ndarray, field: Field, shape: tuple[int, ...]) -> None:
    said = f"{array.dtype} {array.shape}" + ("" if array.flags.c_contiguous else ", not contiguous")
    if array.shape != shape or array.dtype != field.dtype or not array.flags.c_contiguous:
        raise ConfigError(
            f"Array {number} is {said}, but the field on {field.location} needs {np.dtype(field.dtype)}"
            f" {shape}, contiguous."
        )
    if not array.flags.writeable:
        raise ConfigError(f"Array {number} cannot be written, so nothing can be received into it.")

"""Halo exchange of fields: numpy arrays of any type and shape on cells, edges and vertices.

    part = Decomposition(mesh, owners, comm.rank, n_layers=2)
    halo = Halo(comm, part, [Field("cell", np.float64, (30,)), Field("edge", np.float32, (30,), layers=1)])
    with halo.start([temperature, wind]):
        ...  # compute inner cells: 0 to part.n_inner - 1
    ...  # compute boundary cells: part.n_inner to part.cells.n_owned - 1

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
from halcyon.deprecated import provide

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = [
    "LOCATIONS",
    "METHODS",
    "Decomposition",
    "Field",
    "Halo",
    "PendingExchange",
    "Statistics",
    "Topology",
]

LOCATIONS = ("cell", "edge", "vertex")
METHODS = tuple(_comm.methods())


@dataclass(frozen=True)
class Field:
    """A field in a halo exchange.

    location: `cell`, `edge` or `vertex`. dtype: number type. shape: shape of the values at one cell, edge or
    vertex, such as (levels,). layers: number of halo layers to exchange; 0: all layers of the decomposition.

    Raises ConfigError for other locations, object types, and negative sizes."""

    location: str
    dtype: DTypeLike = np.float64
    shape: tuple[int, ...] = ()
    layers: int = 0

    def __post_init__(self) -> None:
        if self.location not in LOCATIONS:
            raise ConfigError(
                f"The location of a field is '{self.location}'. Give one of {', '.join(LOCATIONS)}."
            )
        if np.dtype(self.dtype).hasobject:
            raise ConfigError(
                f"A field has the type {np.dtype(self.dtype)}, whose values are references to objects of one "
                "rank. Give a number type."
            )
        if any(size < 0 for size in self.shape):
            raise ConfigError(
                f"A field has the shape {self.shape} per {self.location}. Give sizes of 0 or more."
            )

    @property
    def item_bytes(self) -> int:
        """Bytes per cell, edge or vertex."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)


class PendingExchange:
    """An exchange in flight: until `wait` returns, owned values must not be written, and halo values must not
    be accessed.

    Leaving a `with` block waits for the exchange, and so does deleting the object."""

    def __init__(self, core: _core.PendingExchange) -> None:
        self._core = core

    def wait(self) -> None:
        """Returns when all halo values have arrived. A second call does nothing."""
        self._core.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.wait()


class Halo:
    """The halo exchange of a group of fields, with one message per neighbour. `start` begins an exchange; the
    previous one must have completed.

    @param comm communicator of mpi4py
    @param part the `Decomposition` of this rank, not needed afterwards
    @param fields the fields of the group
    @param method one of METHODS; `auto` measures the other methods and chooses one (docs/comm.md)
    @param unpack "none": messages are received directly into the fields if their layout allows it. For
        comparison: "together" and "singly" receive into a buffer, and unpack it after all messages or after
        each message
    @param node_memory whether the arrays will come from `allocate`, a hint to `auto`

    Collective. Raises ConfigError for an unknown method, and for fields that need more layers than the
    decomposition has.
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

        index_maps = part.cells, part.edges, part.vertices
        n_layers = len(part.cells.layer_offsets) - 1
        for field in fields:  # also on a single rank, which exchanges nothing
            if field.layers > n_layers:
                raise ConfigError(
                    f"A field needs {field.layers} halo layers, but the decomposition has {n_layers}."
                )
        locations = [LOCATIONS.index(field.location) for field in fields]
        self._fields = list(fields)
        self._shapes = [
            (len(index_maps[location].to_global), *field.shape)
            for location, field in zip(locations, fields, strict=True)
        ]
        group = [
            (location, field.item_bytes, field.layers)
            for location, field in zip(locations, fields, strict=True)
        ]
        self._checked: list[np.ndarray] = []
        self._converted: Any = None
        self._core = _core.Halo(communicator(comm), part, group, method, node_memory, unpack)

    @property
    def received_bytes(self) -> int:
        """Number of bytes that this rank receives per exchange."""
        return self._core.received_bytes

    @property
    def description(self) -> str:
        """The method and, if `auto` chose it, the measured times: "auto: shared (shared 43.0, ... us,
        ...)"."""
        return self._core.description

    @property
    def statistics(self) -> Statistics:
        """Times of packing, transfer, waiting and unpacking, and numbers of messages and bytes, of all
        exchanges of this rank so far."""
        return self._core.statistics

    def allocate(self) -> list[np.ndarray]:
        """Collective. Returns new arrays of zeros for the fields. With the method `shared`, the arrays are in
        shared memory of the node, so that they are not packed; with other methods they are in ordinary
        memory."""
        return [
            self._core.allocate(number).view(field.dtype).reshape(shape)
            for number, (field, shape) in enumerate(zip(self._fields, self._shapes, strict=True))
        ]

    def start(self, arrays: Sequence[np.ndarray]) -> PendingExchange:
        """Starts an exchange, which sends owned values, receives halo values in place, and ends when
        `PendingExchange.wait` returns.

        arrays: one contiguous array per field, in the order of the fields, with the shape (n, *shape) for n
        local cells, edges or vertices.

        Raises ConfigError for arrays that do not match the fields."""
        return PendingExchange(self._core.start(self._arrays(arrays)))

    def progress(self) -> None:
        """Progresses the messages in flight. A computation calls it from time to time, since many MPI
        libraries progress messages only within MPI calls."""
        self._core.progress()

    def exchange(self, arrays: Sequence[np.ndarray]) -> None:
        """Starts an exchange and waits until it has completed: see `start`."""
        self._core.exchange(self._arrays(arrays))

    def _arrays(self, arrays: Sequence[np.ndarray]) -> Any:
        """Checks and converts the arrays; does nothing if they are the same arrays as in the last call."""
        is_same = len(arrays) == len(self._checked) and all(map(operator.is_, arrays, self._checked))
        if self._converted is None or not is_same:
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
    given = f"{array.dtype} {array.shape}" + ("" if array.flags.c_contiguous else ", not contiguous")
    if array.shape != shape or array.dtype != field.dtype or not array.flags.c_contiguous:
        raise ConfigError(
            f"Array {number} is {given}, but the field on {field.location} needs {np.dtype(field.dtype)}"
            f" {shape}, contiguous."
        )
    if not array.flags.writeable:
        raise ConfigError(
            f"Array {number} cannot be written, so halo values cannot be received. Give a writable array."
        )


provide(__name__)

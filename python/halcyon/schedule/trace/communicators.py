"""Members of communicators from the calls that create them, for formats that do not store them."""

from __future__ import annotations

from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.schedule.trace.events import CommunicatorNumbers

_CREATE = {  # call: positions of the parent and of the new communicator among its arguments
    "comm_dup": (0, 1),
    "comm_split": (0, 3),
    "comm_create": (0, 2),
    "cart_create": (0, 5),
    "cart_sub": (1, 3),
    "graph_create": (1, 6),
}
_GROUPS = (
    "comm_group",
    "group_union",
    "group_intersection",
    "group_difference",
    "group_incl",
    "group_excl",
    "group_range_incl",
    "group_range_excl",
)


class LocalCommunicators:
    """Communicators by the handles of each rank. First all ranks `add` their calls, then `resolve` finds the
    members; then, rank by rank, `begin_rank` and `enter` follow the calls again, since handles are reused."""

    def __init__(self, n_ranks: int, predefined: dict[int, str | None], source: str) -> None:
        self._source = source
        self._calls: list[list[tuple[str, list[Any]]]] = [[] for _ in range(n_ranks)]
        self._numbers = CommunicatorNumbers()
        self._predefined: list[dict[int, int]] = []
        for rank in range(n_ranks):
            self._numbers.begin_rank()
            numbers = {}
            for handle, kind in predefined.items():
                members = range(n_ranks) if kind is None else [rank]
                numbers[handle] = self._numbers.number(members)
            self._predefined.append(numbers)
        self._results: list[list[tuple[int, int] | None]] = [[] for _ in range(n_ranks)]
        self._current: list[dict[int, int]] = [dict(each) for each in self._predefined]
        self._next = [0] * n_ranks
        self._shapes: dict[int, list[int]] = {}  # dimensions of Cartesian communicators

    @property
    def members(self) -> list[tuple[int, ...]]:
        return self._numbers.members

    def add(self, rank: int, name: str, values: list[Any]) -> None:
        if name in _CREATE or name in _GROUPS:
            self._calls[rank].append((name, values))
        elif name in ("intercomm_create", "intercomm_merge", "comm_accept", "comm_connect", "comm_join"):
            raise InputError(
                f"{self._source}: rank {rank} calls MPI_{name.capitalize()}; communicators between groups of "
                "processes are not supported in this format."
            )

    def resolve(self) -> None:
        """Finds the members. A call is complete when all members of its parent have reached it."""
        n_ranks = len(self._calls)
        handles = [dict(each) for each in self._predefined]
        groups: list[dict[int, list[int]]] = [{} for _ in range(n_ranks)]
        done = [0] * n_ranks
        has_progressed = True
        while has_progressed:
            has_progressed = False
            for rank in range(n_ranks):
                while done[rank] < len(self._calls[rank]):
                    name, values = self._calls[rank][done[rank]]
                    if name in _GROUPS:
                        self._group(name, values, handles[rank], groups[rank])
                        self._results[rank].append(None)
                    elif not self._create(rank, name, values, handles, groups, done):
                        break
                    else:
                        has_progressed = True
                        continue
                    done[rank] += 1
                    has_progressed = True
        for rank in range(n_ranks):
            if done[rank] < len(self._calls[rank]):
                raise InputError(
                    f"{self._source}: not all ranks of a communicator take part in the call "
                    f"MPI_{self._calls[rank][done[rank]][0].capitalize()} of rank {rank}. The trace is "
                    "incomplete."
                )

    def _group(
        self, name: str, values: list[Any], handles: dict[int, int], groups: dict[int, list[int]]
    ) -> None:
        """Groups are lists of world ranks."""
        if name == "comm_group":
            groups[values[1]] = list(self.members[handles[values[0]]]) if values[0] in handles else []
            return
        first = groups.get(values[0], [])
        if name in ("group_union", "group_intersection", "group_difference"):
            second = groups.get(values[1], [])
            kept = {
                "group_union": first + [rank for rank in second if rank not in first],
                "group_intersection": [rank for rank in first if rank in second],
                "group_difference": [rank for rank in first if rank not in second],
            }
            groups[values[2]] = kept[name]
            return
        chosen = values[2]
        if "range" in name:
            chosen = [
                i for begin, end, step in chosen for i in range(begin, end + (1 if step > 0 else -1), step)
            ]
        included = [first[i] for i in chosen if 0 <= i < len(first)]
        groups[values[3]] = included if "incl" in name else [rank for rank in first if rank not in included]

    def _create(
        self,
        rank: int,
        name: str,
        values: list[Any],
        handles: list[dict[int, int]],
        groups: list[dict[int, list[int]]],
        done: list[int],
    ) -> bool:
        """Creates a communicator on all ranks of its parent, if they have all reached the call."""
        parent_at, new_at = _CREATE[name]
        parent = handles[rank].get(values[parent_at])
        if parent is None:
            return False
        ranks = self.members[parent]
        calls = {}
        for member in ranks:
            if done[member] >= len(self._calls[member]):
                return False
            other, arguments = self._calls[member][done[member]]
            if other != name or handles[member].get(arguments[parent_at]) != parent:
                return False
            calls[member] = arguments
        created: dict[tuple[int, ...], int] = {}
        for member, new_members in self._memberships(name, parent, ranks, calls, groups):
            new_handle = calls[member][new_at]
            number = -1
            if new_members:
                if tuple(new_members) not in created:
                    created[tuple(new_members)] = len(self.members)
                    self.members.append(tuple(new_members))
                number = created[tuple(new_members)]
                handles[member][new_handle] = number
                if name == "cart_create":
                    self._shapes[number] = list(calls[member][2])
                elif name == "cart_sub" and parent in self._shapes:
                    kept = zip(self._shapes[parent], calls[member][2], strict=False)
                    self._shapes[number] = [size for size, keep in kept if keep]
            self._results[member].append((new_handle, number))
            done[member] += 1
        return True

    def _memberships(
        self,
        name: str,
        parent: int,
        ranks: tuple[int, ...],
        calls: dict[int, list[Any]],
        groups: list[dict[int, list[int]]],
    ) -> list[tuple[int, list[int]]]:
        """For each member of the parent, the members of its new communicator."""
        if name == "comm_split":
            colors: dict[int, list[int]] = {}
            for member in sorted(ranks, key=lambda each: (calls[each][2], ranks.index(each))):
                colors.setdefault(calls[member][1], []).append(member)
            return [(member, colors[calls[member][1]] if calls[member][1] >= 0 else []) for member in ranks]
        if name == "comm_create":
            return [
                (member, group if member in group else [])
                for member in ranks
                for group in [groups[member].get(calls[member][1], [])]
            ]
        if name == "cart_sub" and parent in self._shapes:
            shape, kept = self._shapes[parent], calls[ranks[0]][2]
            grid = np.array(ranks[: int(np.prod(shape))]).reshape(shape)
            found = []
            for member in ranks:
                position = np.argwhere(grid == member)[0]
                index = tuple(slice(None) if keep else int(position[d]) for d, keep in enumerate(kept))
                found.append((member, np.atleast_1d(grid[index]).ravel().tolist()))
            return found
        n_members = len(ranks)
        if name == "cart_create":
            n_members = int(np.prod(calls[ranks[0]][2]))
        elif name == "graph_create":
            n_members = calls[ranks[0]][2]
        chosen = list(ranks[:n_members])
        return [(member, chosen if member in chosen else []) for member in ranks]

    def begin_rank(self, rank: int) -> None:
        self._current[rank], self._next[rank] = dict(self._predefined[rank]), 0

    def enter(self, rank: int, name: str) -> None:
        """Follows a call: its communicator exists from now on."""
        if name in _CREATE or name in _GROUPS:
            result = self._results[rank][self._next[rank]]
            self._next[rank] += 1
            if result is not None and result[1] >= 0:
                self._current[rank][result[0]] = result[1]

    def number(self, rank: int, handle: int) -> int:
        """The number of a communicator that all ranks share."""
        if handle not in self._current[rank]:
            raise InputError(
                f"{self._source}: rank {rank} uses communicator {handle}, which it has not created. The "
                "trace is incomplete."
            )
        return self._current[rank][handle]

    def world_rank(self, rank: int, handle: int, member: int) -> int:
        """The world rank of a member; -2 if there is none, as for MPI_PROC_NULL."""
        members = self.members[self.number(rank, handle)]
        return members[member] if 0 <= member < len(members) else -2

    def position(self, rank: int, handle: int) -> int:
        return self.members[self.number(rank, handle)].index(rank)

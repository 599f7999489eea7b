"""`exchange:` of the spectral model: how ranks share the transforms, and how these travel between them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from halcyon.choices import choices
from halcyon.config.option import Group, option
from halcyon.config.workload import ALGORITHMS

Sets = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=2, max_length=2)]
CORES = r"^(auto|shared|[0-9]+(,[0-9]+)*)$"
METHODS = tuple(each.name for each in choices("exchange methods") if not each.goes_with)
MEASURED = ("groups", "ahead", "method", "algorithm", "progress")  # whose `auto` is settled by measurements


class TransformExchange(Group):
    """How ranks share the transforms and exchange; no result depends on it. What is 'auto' of groups, ahead,
    method, algorithm and progress is tried before the first step, and the fastest is kept."""

    sets: Sets | Literal["auto"] = option(
        "V and W: V x W ranks, of which V sets share fields, levels among them, and the ranks of each share"
        " wavenumbers and rows; auto: as few V sets as can be.",
        default="auto",
        allowed="a list of two integers such as [2, 4], or 'auto'",
    )
    groups: Annotated[int, Field(ge=1, le=1000)] | Literal["auto"] = option(
        "That the fields of a call travel in: while one is transformed, others travel.",
        default="auto",
        allowed="an integer from 1 to 1000 or 'auto'",
    )
    ahead: Annotated[int, Field(ge=0, le=100)] | Literal["auto"] = option(
        "Groups that travel to a stage while one is worked on; 0: none, ranks block.",
        default=1,
        allowed="an integer from 0 to 100 or 'auto'",
    )
    method: Literal[METHODS] = option("MPI calls used.", default="isend_irecv")
    algorithm: str = option(
        "Of each all-to-all.",
        default="burst",
        allowed=f"{ALGORITHMS}, or 'auto'",
        pattern=r"^(burst|bruck|ring(-[1-9][0-9]{0,8})?|auto)$",
    )
    progress: Literal["none", "poll", "thread", "auto"] = option(
        "Who moves what travels meanwhile: nobody, the transforms by polls, a thread.", default="poll"
    )
    core: Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=CORES)] = option(
        "Of the thread: auto: one of the node's that has no rank, if there is one; shared: its rank's;"
        " numbers: of a node's ranks one after another.",
        default="auto",
        allowed="'auto', 'shared', a number such as 3, or numbers such as '2,3'",
    )
    retune: int = option(
        "Steps after which what is 'auto' is tried again, and so on; 0: never.", default=0, ge=0, le=10**9
    )

    @property
    def is_measured(self) -> bool:
        """Whether something is left to measurements."""
        return "auto" in [getattr(self, name) for name in MEASURED]

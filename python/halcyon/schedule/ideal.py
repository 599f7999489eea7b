"""Pipelines on an ideal network, which the measured ones are held against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# Of each stage of a pipeline, what coming there and working there takes of all groups [s].
Stages = Sequence[tuple[float, float]]
LEAST_SHARE = 0.03  # of a time that is exposed, to tell what hides of it


def ideal_s(groups: int, stages: Stages) -> float:
    """What a pipeline takes on a network that moves messages, one group after the other, whatever the ranks
    do, and at no cost to them: the turns of C++'s `schedule::Pipeline`, one group ahead.

    @param stages of each, what coming there and working there takes of all groups [s]; 0: none comes"""
    now = network_s = 0.0
    lags = np.cumsum([travels_s > 0 for travels_s, _ in stages])
    comes = {}
    for turn in range(groups + int(lags[-1])):
        for stage, ((travels_s, works_s), lag) in enumerate(zip(stages, lags, strict=True)):
            group, leaving = turn - lag, stage == len(stages) - 1 and works_s == 0
            if 0 <= group < groups and travels_s > 0 and not leaving:
                now = max(now, comes[stage, group])
            if 0 <= group + 1 < groups and travels_s > 0:
                network_s = comes[stage, group + 1] = max(now, network_s) + travels_s / groups
            if 0 <= group < groups:
                now += works_s / groups
    return max(now, network_s)


def ceiling(groups: int, stages: Stages) -> float:
    """The share of the communication that the ideal pipeline hides: 1 - 1/groups where groups only come, and
    the computation takes as long as the communication or longer."""
    communication_s, compute_s = (sum(each) for each in zip(*stages, strict=True))
    if communication_s <= 0:
        return 0.0
    return 1 - (ideal_s(groups, stages) - compute_s) / communication_s


def least_exposed_s(blocking_s: float, spread_s: float) -> float:
    """Below which T_block - T_comp is too little to tell what a pipeline hides of it: 3 % of T_block, or the
    standard deviation of its trials where that is more."""
    return max(LEAST_SHARE * blocking_s, spread_s)


def hidden(work_s: float, blocking_s: float, pipelined_s: float, spread_s: float) -> float | None:
    """The share by wall clock, 1 - (T_pipe - T_comp) / (T_block - T_comp), T_block where ranks block; None
    where that is too little to tell."""
    exposed_s = blocking_s - work_s
    if exposed_s <= 0 or exposed_s < least_exposed_s(blocking_s, spread_s):
        return None
    return 1 - (pipelined_s - work_s) / exposed_s

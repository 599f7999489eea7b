"""Performance model of pipelines on an ideal network, for comparison with measurements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# For each stage of a pipeline, the times of communication and of computation of all groups [s].
Stages = Sequence[tuple[float, float]]
MIN_EXPOSED_SHARE = 0.03  # see min_exposed_s


def ideal_s(groups: int, stages: Stages) -> float:
    """Returns the time [s] of a pipeline on a network that transfers the groups one after the other, while
    ranks compute at full speed. Operations have the same order as in `pipeline` with ahead = 1. In each turn,
    each stage waits for a group, starts the transfer of the next group, and computes on the arrived group.

    @param stages for each stage, the times of communication and of computation of all groups [s]; 0: none"""
    now = network_free_s = 0.0
    lags = np.cumsum([transfer_s > 0 for transfer_s, _ in stages])  # (stage) turn that computes on group 0
    arrival_s: dict[tuple[int, int], float] = {}  # (stage, group)
    for turn in range(groups + int(lags[-1])):
        for stage, ((transfer_s, work_s), lag) in enumerate(zip(stages, lags, strict=True)):
            group, waits_at_end = turn - lag, stage == len(stages) - 1 and work_s == 0
            if 0 <= group < groups and transfer_s > 0 and not waits_at_end:
                now = max(now, arrival_s[stage, group])
            if 0 <= group + 1 < groups and transfer_s > 0:
                network_free_s = arrival_s[stage, group + 1] = max(now, network_free_s) + transfer_s / groups
            if 0 <= group < groups:
                now += work_s / groups
    return max(now, network_free_s)


def max_hidden_share(groups: int, stages: Stages) -> float:
    """Returns the share of the communication that an ideal pipeline hides: 1 - 1/groups if groups only arrive
    and the computation takes at least as long as the communication."""
    communication_s, compute_s = (sum(times_s) for times_s in zip(*stages, strict=True))
    if communication_s <= 0:
        return 0.0
    return 1 - (ideal_s(groups, stages) - compute_s) / communication_s


def min_exposed_s(blocking_s: float, spread_s: float) -> float:
    """Returns the smallest time of exposed communication for which a hidden share is defined: 3 % of the time
    of blocking ranks, or the standard deviation of its trials if that is larger."""
    return max(MIN_EXPOSED_SHARE * blocking_s, spread_s)


def hidden_share(work_s: float, blocking_s: float, pipelined_s: float, spread_s: float) -> float | None:
    """Returns the share of the communication that a pipeline hides: 1 - (T_pipe - T_comp) / (T_block -
    T_comp), or None if T_block - T_comp is below `min_exposed_s`.

    @param work_s T_comp, wall time of the computation alone
    @param blocking_s T_block, wall time if ranks block for each exchange
    @param pipelined_s T_pipe, wall time of the pipeline
    @param spread_s standard deviation of the trials of T_block"""
    exposed_s = blocking_s - work_s
    if exposed_s <= 0 or exposed_s < min_exposed_s(blocking_s, spread_s):
        return None
    return 1 - (pipelined_s - work_s) / exposed_s

"""Performance model of pipelines on an ideal network, for comparison with measurements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# For each stage of a pipeline, the times of communication and of computation of all groups [s].
Stages = Sequence[tuple[float, float]]
MIN_EXPOSED_SHARE = 0.03  # minimum exposed share of a time for which a hidden share is defined


def ideal_s(groups: int, stages: Stages) -> float:
    """The time of a pipeline on a network that transfers the groups one after the other, independently of the
    ranks and at no cost to them; order of operations as in C++'s `schedule::Pipeline` with one group
    prefetched.

    @param stages for each stage, the times of communication and of computation of all groups [s]; 0: none"""
    now = network_s = 0.0
    lags = np.cumsum([transfer_s > 0 for transfer_s, _ in stages])
    arrival_s = {}
    for turn in range(groups + int(lags[-1])):
        for stage, ((transfer_s, work_s), lag) in enumerate(zip(stages, lags, strict=True)):
            group, is_sent_only = turn - lag, stage == len(stages) - 1 and work_s == 0
            if 0 <= group < groups and transfer_s > 0 and not is_sent_only:
                now = max(now, arrival_s[stage, group])
            if 0 <= group + 1 < groups and transfer_s > 0:
                network_s = arrival_s[stage, group + 1] = max(now, network_s) + transfer_s / groups
            if 0 <= group < groups:
                now += work_s / groups
    return max(now, network_s)


def max_hidden_share(groups: int, stages: Stages) -> float:
    """The share of the communication that an ideal pipeline hides: 1 - 1/groups if groups only arrive and the
    computation takes at least as long as the communication."""
    communication_s, compute_s = (sum(each) for each in zip(*stages, strict=True))
    if communication_s <= 0:
        return 0.0
    return 1 - (ideal_s(groups, stages) - compute_s) / communication_s


def min_exposed_s(blocking_s: float, spread_s: float) -> float:
    """The smallest T_block - T_comp for which a hidden share is defined: 3 % of T_block, or the standard
    deviation of its trials if that is larger."""
    return max(MIN_EXPOSED_SHARE * blocking_s, spread_s)


def hidden_share(work_s: float, blocking_s: float, pipelined_s: float, spread_s: float) -> float | None:
    """The share of the communication hidden, by wall clock: 1 - (T_pipe - T_comp) / (T_block - T_comp), with
    T_block for blocking ranks; None if the difference is too small."""
    exposed_s = blocking_s - work_s
    if exposed_s <= 0 or exposed_s < min_exposed_s(blocking_s, spread_s):
        return None
    return 1 - (pipelined_s - work_s) / exposed_s

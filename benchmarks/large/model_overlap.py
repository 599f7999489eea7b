"""Overlap in steps of the semi-Lagrangian spectral model between emulated hosts (tools/hosts) of one rank.

After figures 9 to 14 of the paper on YHGSM's Fourier section: parts of a step; communication-hiding ratios
(CHR) of transpositions and halos by groups, and gains over the blocking collective by method, with the
computation and with naps of the same length, which leave the cores to the messages; and, with --simulate,
steps at the paper's size, TL1279 on 85 nodes, with computing times measured on one rank (16 GB of memory).
Threshold: a step in groups takes at most .8 of its own one-group time where communication is 35 to 50 %.
"""

import os
import sys
import tempfile
from pathlib import Path

from halcyon import network
from halcyon.comm import methods
from halcyon.config.spectral import Gaussian
from halcyon.launch.measure import rank_program
from halcyon.schedule import hidden_share
from halcyon.semi_lagrangian import width_for
from halcyon.simulate.spectral_step import make_schedule, step_events, step_messages
from halcyon_bench.model_overlap import BLOCKING, COMPUTATION, PARTS, Case, Variant, measured, one_rank_steps
from halcyon_bench.overlap import METHODS, PROGRESS, sets_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import rows
from between_hosts import result_between_hosts, why_unavailable

BAR, SHARES = 1 / 0.8, (0.35, 0.5)  # threshold of a step in groups; shares of communication where it holds
LIMIT_S = 1500  # time limit of a job
LINEAR = {"grid": "reduced", "points_per_wave": 2}
# The paper's levels and nodes; strongest wind, for the halo [m s-1]; ports down and up of 36-port switches.
LEVELS, NODES, WIND, TREE = 93, 85, 120.0, ([18, 5], [18])


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    add = parser.add_argument
    add("--truncation", type=int, default=42, metavar="T")
    add("--levels", type=int, default=26, metavar="N")
    add("--sets", default="1x2,2x1", metavar="VxW[,VxW...]", help="on V times W hosts")
    add("--latency-us", type=float, default=50, metavar="US")
    add("--mbit", type=float, default=1000, metavar="MBIT", help="bandwidth of a host")
    add("--simulate", action="store_true", help="also simulated steps at the paper's size")
    options, reason = parser.parse_args(), why_unavailable()
    os.environ.setdefault("OMPI_MCA_osc", "ucx,sm")  # windows between hosts, for `put` (docs/comm.md)
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
    result_rows = []
    for sets in sets_of(options.sets, None) if reason is None else ():
        found = between_hosts(sets, options)
        title = f"{sets[0]}x{sets[1]}"
        print(f"\n{title}, {options}", *tables(found), sep="\n", flush=True)
        result_rows += step_rows(title, found, "step") + step_rows(f"{title}, naps", found, "nap_step")
    result_rows += simulated_rows(options.quick) if options.simulate else []
    rows.report(result_rows, options.json)


def between_hosts(sets, options):
    """Results of `measured` by variant: the blocking collective; groups with the paper's two methods and each
    kind of progress; all methods in one group, and in three with polls."""
    groups, progress = ((1, 3), PROGRESS[1:2]) if options.quick else (range(1, 9), PROGRESS)
    variants = [BLOCKING, *(Variant(g, m, p) for m in METHODS for p in progress for g in groups)]
    variants += [Variant(g, m, p) for m in methods() if m != "auto" for g, p in ((1, "none"), (3, "poll"))]
    case = Case(options.truncation, options.levels, sets, 3600.0 * min(1, 42 / options.truncation))
    alone = one_rank_steps(case)
    work_s = sum(alone[name] for name in COMPUTATION)
    program = rank_program(measured, case, list(dict.fromkeys(variants)), work_s)
    results = result_between_hosts(sets[0] * sets[1], program, options, LIMIT_S)
    found = {Variant(*result.pop("variant")): result for result in results}
    print(*dict.fromkeys(result["error"] for result in found.values() if "error" in result), sep="\n")
    return {variant: result for variant, result in found.items() if "error" not in result}


def tables(found):
    """Lines: parts of a step; CHR, and steps over the step of the blocking collective, by groups."""
    block = found[BLOCKING]
    yield f"{'step':<28}{'ms':>8}" + "".join(f"{name:>15}" for name in PARTS)
    for variant in (BLOCKING, min(found, key=lambda v: found[v]["step"])):
        times = found[variant]
        shares = "".join(f"{100 * times[name] / sum(map(times.get, PARTS)):>13.1f} %" for name in PARTS)
        yield f"{label(variant):<28}{1e3 * times['step']:>8.1f}{shares}"
    groups = sorted({variant.groups for variant in found})
    lines = dict.fromkeys(variant[1:] for variant in found if variant != BLOCKING)
    for name, title in (
        ("transpositions", "CHR, transpositions"),
        ("halos", "CHR, halos"),
        ("step", "step, gain over blocking"),
        ("nap_calls", "naps: CHR"),
        ("nap_step", "naps: gain over blocking"),
    ):
        yield f"{title:<28}" + "".join(f"{n:>7}" for n in groups) + "  groups"
        for key in lines:
            ratios = [block[name] / found[v][name] if (v := Variant(n, *key)) in found else 0 for n in groups]
            values = [r if "step" in name or r == 0 else 1 - 1 / r for r in ratios]
            cells = (f"{value:>7.2f}" if r else " " * 7 for r, value in zip(ratios, values, strict=True))
            yield f"{f'{key[0]}, {key[1]}':<28}" + "".join(cells)


def label(variant):
    return f"{variant.method}, {variant.progress}, {variant.groups}"


def step_rows(title, found, name):
    """For each method, the fastest step in groups over that in one group by the same method."""
    result_rows = []
    for method in dict.fromkeys(variant.method for variant in found):
        alone = found[Variant(1, method)]
        best = min((v for v in found if v.method == method and v.groups > 1), key=lambda v: found[v][name])
        calls_s = alone["nap_calls"] if name == "nap_step" else alone["transpositions"] + alone["halos"]
        share, step_ms = calls_s / alone[name], (1e3 * found[v][name] for v in (best, Variant(1, method)))
        bar = BAR if SHARES[0] <= share <= SHARES[1] else 0
        other = f"one group, {100 * share:.0f} % communication"
        result_rows.append(rows.row(f"{title}: {label(best)}", *step_ms, other, "ms", bar=bar))
    return result_rows


def simulated_rows(quick):
    """Simulated steps, and transforms alone, by groups, relative to blocking exchanges in one group."""
    truncation, live_levels, levels = (31, 5, 10) if quick else (1279, 10, LEVELS)
    costs = one_rank_steps(Case(truncation, live_levels, step_s=600.0, steps=1, mesh=LINEAR))
    print(f"\nT{truncation}, {live_levels} levels, one rank:", costs, flush=True)
    costs["others"] += costs["halos"]  # packing
    grid = Gaussian(truncation=truncation, **LINEAR).gaussian_grid
    width, result_rows = width_for(grid, WIND, 600.0), []
    for sets in ((2, 2),) if quick else ((4, 8), (8, 8), (8, 16), (17, 80), (34, 90)):
        n_ranks = sets[0] * sets[1]
        share_s = {name: cost * levels / live_levels / n_ranks for name, cost in costs.items()}
        share_s["to_grid"] = costs["to_grid"]
        messages = step_messages(grid, truncation, levels, sets, width)
        for name, parts in (("step", COMPUTATION), ("transforms", ("Fourier", "Legendre"))):
            only, work_s = name == "transforms", sum(share_s[part] for part in parts)
            block_s = simulated_s(messages, share_s, 1, blocking=True, transforms_only=only)
            share, other = (
                1 - work_s / block_s,
                f"blocking, {100 * (1 - work_s / block_s):.0f} % communication",
            )
            bar = BAR if name == "step" and SHARES[0] <= share <= SHARES[1] else 0
            for groups in (1, 3) if quick or n_ranks > NODES * 2 else (1, 2, 3, 4, 8):
                time_s = simulated_s(messages, share_s, groups, transforms_only=only)
                hidden = hidden_share(work_s, block_s, time_s, 0.0)  # None: too little communication
                chr_text = "" if hidden is None else f", CHR {hidden:.2f}"
                claim = f"simulated {sets[0]}x{sets[1]}, {name}, {groups} groups{chr_text}"
                result_rows.append(
                    rows.row(claim, 1e3 * time_s, 1e3 * block_s, other, "ms", bar=bar if groups > 1 else 0)
                )
    return result_rows


def simulated_s(messages, part_s, groups, **options):
    """Simulated time of a step [s] on the paper's nodes, with links of the reference machine (100 Gbit/s)."""
    with tempfile.TemporaryDirectory() as folder:
        events = list(step_events(part_s, groups, **options))
        work = make_schedule(Path(folder) / "step.txt", messages, events, groups)
    topology = network.FatTree(*TREE)
    machine = network.machine(ranks_per_node=-(-work.n_ranks // NODES))
    placement = network.linear_placement(topology, work.n_ranks, machine.ranks_per_node)
    routing, speed = network.make_routing(topology, "d_mod_k"), network.options(fidelity="reserve")
    return network.simulate(work, topology, routing, machine, placement, speed).time_s


if __name__ == "__main__":
    main()

"""Synthetic results of `halcyon_bench.overlap.measured`."""

MPI = "Open MPI v4.1.4, package"


def job(name, ranks, *, blocking_s, shortest_s, groups=(1, 2, 3), with_steps=False):
    """Results of a job, whose fastest settings are a progress thread and two groups, with the time
    `shortest_s`; the computation takes a quarter of `blocking_s`."""
    progress = ("none", "thread auto")
    rows = [
        row(
            method, kind, n, blocking_s, shortest_s * (1 + abs(n - 2)) * (1 if kind == "thread auto" else 1.5)
        )
        for method in ("isend_irecv", "ialltoallv")
        for n in groups
        for kind in progress
    ]
    texts = {"none": "none", "thread auto": "thread on core 1, polling every 200 us"}
    library = {"mpi": MPI, "thread_level": "MPI_THREAD_MULTIPLE", "mpi_own_progress": "", "progress": texts}
    steps = [step("alltoallv", 1, "none", blocking_s), step("isend_irecv", 2, "thread auto", shortest_s)]
    found = {"name": name, "ranks": ranks, "rows": rows, "steps": steps if with_steps else []}
    return {**library, **found, "auto": None}


def step(method, groups, progress, transforms_s):
    """A row of a model step that takes 12 s in addition to the transforms."""
    step_s = transforms_s + 12
    times = {"step_s": step_s, "transforms_s": transforms_s, "calls_s": transforms_s / 2}
    share = transforms_s / step_s
    return {"method": method, "groups": groups, "progress": progress, **times, "share": share}


def row(method, progress, groups, blocking_s, total_s):
    """A row of one method, progress and number of groups."""
    compute_s = blocking_s / 4
    hidden = 1 - (total_s - compute_s) / (blocking_s - compute_s)
    times = {"total_s": total_s, "blocking_s": blocking_s, "collective_s": blocking_s, "compute_s": compute_s}
    calls = {
        "calls_s": total_s - compute_s,
        "blocking_calls_s": 3 * compute_s,
        "collective_calls_s": 3 * compute_s,
    }
    shares = {"hidden": hidden, "chr": hidden - 0.1, "ceiling": 1 - 1 / groups, "slowdown": 1.25}
    return {"method": method, "progress": progress, "groups": groups, **times, **calls, **shares}

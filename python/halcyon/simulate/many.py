"""Many simulations, on all cores, each once: what has been done before is found again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import xarray as xr

from halcyon.base import Error, RunError
from halcyon.config.points import Point
from halcyon.config.simulation import Simulation
from halcyon.run.report import usable_cores
from halcyon.simulate import cache

PARALLEL = ("packet", "chunk")  # fidelities that run on several threads

Done = Callable[[Point, xr.Dataset, bool], None]


def simulate_all(
    points: Sequence[Point], *, workers: int | None = None, fresh: bool = False, done: Done | None = None
) -> list[xr.Dataset]:
    """The results of simulations, in their order.

    @param workers simulations at a time; by default one a core. One alone has as many threads
    @param fresh whether to simulate anew what is in the cache
    @param done is called with each result as it comes, the smallest numbers of ranks first, and with whether
        it was in the cache
    @raises ConfigError, InputError or RunError of the first simulation that fails, with its name; what has
        been simulated until then is kept
    """
    workers = workers or usable_cores()
    found: dict[int, xr.Dataset] = {}

    def take(i: int, data: xr.Dataset, known: bool) -> None:
        found[i] = data
        if done is not None:
            done(points[i], data, known)

    for i, point in enumerate(points):
        known = None if fresh else cache.find(point.case)
        if known is not None:
            take(i, known, True)
    missing = [i for i in range(len(points)) if i not in found]
    for i, data in _computed(points, missing, workers):
        cache.keep(points[i].case, data)
        take(i, data, False)
    return [found[i] for i in range(len(points))]


def _computed(
    points: Sequence[Point], missing: Sequence[int], workers: int
) -> Iterator[tuple[int, xr.Dataset]]:
    """Results as they come. The engine leaves the interpreter to others while it works, so threads do. Where
    one fails, those under way end first."""
    threads = workers if len(missing) == 1 else 1
    order = sorted(missing, key=lambda i: points[i].case.ranks or 0)
    pool = ThreadPoolExecutor(max(1, min(workers, len(missing))))
    failure: Error | None = None
    try:
        waiting: dict[Future, int] = {pool.submit(computed, points[i].case, threads): i for i in order}
        while waiting:
            ended, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ended:
                i = waiting.pop(future)
                try:
                    data = _named(points[i], future)
                except Error as error:
                    failure = failure or error
                    waiting = {other: j for other, j in waiting.items() if not other.cancel()}
                else:
                    yield i, data
        if failure is not None:
            raise failure
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _named(point: Point, future: Future) -> xr.Dataset:
    """The result; an error names the simulation."""
    try:
        return future.result()
    except Error as error:
        raise type(error)(f"{point}: {error}" if str(point) else str(error)) from None
    except MemoryError:
        what = str(point) or "the simulation"
        raise RunError(
            f"{what}: the memory does not suffice. Take fewer ranks, or fidelity reserve."
        ) from None


def computed(case: Simulation, threads: int) -> xr.Dataset:
    """Simulates a case. Raises as `build.built` and the engine do."""
    from halcyon import network
    from halcyon.simulate.build import built
    from halcyon.simulate.results import dataset

    made = built(case)
    options = network.options(
        fidelity=case.engine.fidelity,
        chunk_bytes=case.engine.chunk_bytes,
        back_pressure=case.engine.back_pressure,
        threads=threads if case.engine.fidelity in PARALLEL else 1,
        record_ranks=case.record.ranks,
        record_links=case.record.links,
        link_bins=case.record.link_bins,
        pair_bins=min(case.record.pairs, made.schedule.n_ranks),
    )
    parts = made.schedule, made.topology, made.routing, made.machine, made.placement
    return dataset(case, made, network.simulate(*parts, options))

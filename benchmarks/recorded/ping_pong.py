"""The network between the first two ranks: prints the one-way time of 8 bytes [s], the bandwidth [B/s], and
the time of a rank per message of a burst [s]; lower quartiles, since disturbances only add time."""

import json
import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD

SMALL, LARGE = 8, 60_000  # [B], both below the eager limit
BURST = 200  # messages
REPETITIONS = {SMALL: 200, LARGE: 40}


def one_way_s(size):
    """Half the time of a round trip, of all pairs of ranks at once."""
    data, times, partner = np.zeros(size, np.uint8), [], comm.rank ^ 1
    comm.Barrier()
    for _ in range(REPETITIONS[size] if partner < comm.size else 0):
        begin = time.perf_counter()
        if comm.rank % 2 == 0:
            comm.Send(data, partner)
            comm.Recv(data, partner)
        else:
            comm.Recv(data, partner)
            comm.Send(data, partner)
        times.append(time.perf_counter() - begin)
    return float(np.percentile(times, 25)) / 2 if times else 0.0


def burst_s():
    """Time per message in which the first rank starts messages of 8 bytes and waits for them."""
    data, times = np.zeros(SMALL, np.uint8), []
    for _ in range(10):
        requests = [comm.Irecv(np.empty(SMALL, np.uint8), 0) for _ in range(BURST if comm.rank == 1 else 0)]
        comm.Barrier()
        begin = time.perf_counter()
        if comm.rank == 0:
            requests = [comm.Isend(data, 1) for _ in range(BURST)]
        MPI.Request.Waitall(requests)
        times.append((time.perf_counter() - begin) / BURST)
    return float(np.percentile(times, 25))


overhead = burst_s()
small, large = one_way_s(SMALL), one_way_s(LARGE)
if comm.rank == 0:
    print(json.dumps([small, (LARGE - SMALL) / (large - small), overhead]))

"""Cost of the variants of GCR, compared with classical GCR and with gcrotmk and gmres of scipy.

Solves the Helmholtz equation (1 - L^2 del^2) x = b on rows of latitude to a relative residual of 1e-10, on
one rank: CPU time, medians of interleaved repetitions. The solvers of scipy use the equation as a sparse
matrix (CSR), the same preconditioner, and the fastest of some basis sizes; solutions with |b - A x| / |b|
above twice the tolerance are excluded. One rank has no communication to hide, so the number of exposed
allreduces (not overlapped with computation) is printed too.

mpirun -n 2 python benchmarks/krylov.py     compares only the variants, on ranks of this machine, or, with
--hosts 2, on emulated hosts: wall time of the slowest rank, medians of interleaved repetitions.
"""

import numpy as np
from scipy.sparse import csr_array, diags_array, identity, kron
from scipy.sparse.linalg import LinearOperator, gcrotmk, gmres

import between_hosts
import rows
from halcyon.comm import world
from halcyon.krylov import VARIANTS, Gcr, Helmholtz
from halcyon_bench.timing import interleaved_wall_us, rank_statistics

TOLERANCE = 1e-10
MS = 1e3  # milliseconds per second
BASIS_SIZES = (8, 15, 30)  # of the solvers of scipy


def main():
    options = between_hosts.parsed_options(rows.parser(__doc__.splitlines()[0]), __file__)
    cases = [(64, 1.0, "jacobi"), (64, 1.0, "zonal_line"), (64, 0.01, "zonal_line")]
    if not options.quick:
        cases.append((256, 0.01, "zonal_line"))
    comm, repetitions = world(), 3 if options.quick else 9
    if comm.size == 1:
        result_rows = [row for case in cases for row in case_rows(*case, repetitions)]
    else:
        result_rows = [row for case in cases for row in shared_rows(comm, *case, repetitions)]
    if comm.rank == 0:
        rows.report(result_rows, options.json)


def shared_rows(comm, n_latitudes, length_squared, preconditioner, repetitions):
    """Collective. Rows of one equation on several ranks. Also prints the time that each variant waits for
    allreduces, mean over ranks.

    length_squared: L^2"""
    problem = Helmholtz(n_latitudes, length_squared, comm=comm)
    b, m = problem.right_side(), getattr(problem, preconditioner)()
    solvers = {v: Gcr(b.size, comm=comm, variant=v, tolerance=TOLERANCE) for v in VARIANTS}
    solves = {v: gcr_solve(gcr, problem.operator, b, m) for v, gcr in solvers.items()}
    ms = {
        v: rank_statistics(comm, us)["max"] / 1e3
        for v, us in interleaved_wall_us(comm, solves, repetitions).items()
    }
    name = f"{n_latitudes} latitudes, L^2 {length_squared:g}, {preconditioner}, {comm.size} ranks"
    for variant, solve in solves.items():
        solution = solve()
        waited_s = comm.allreduce(solution.waited_s) / comm.size
        if comm.rank == 0:
            print_solution(f"{name}, {variant}", solution)
            iteration_ms = ms[variant] / solution.iterations
            print(
                f"    {ms[variant]:.1f} ms, {iteration_ms:.2f} per iteration; waited {waited_s * MS:.1f} ms",
                flush=True,
            )
    return [rows.row(f"{name}, {v}", ms[v], ms["classical"], "classical", "ms", bar=1) for v in VARIANTS[1:]]


def case_rows(n_latitudes, length_squared, preconditioner, repetitions):
    """Rows of one equation on one rank: the variants compared with classical GCR, and `fused` with scipy."""
    problem = Helmholtz(n_latitudes, length_squared)
    b, m = problem.right_side(), getattr(problem, preconditioner)()
    ours = {
        v: gcr_solve(Gcr(b.size, variant=v, tolerance=TOLERANCE), problem.operator, b, m) for v in VARIANTS
    }
    theirs = best_peers(sparse_matrix(n_latitudes, length_squared), b.ravel(), m)
    name = f"{n_latitudes} latitudes, L^2 {length_squared:g}, {preconditioner}"
    for variant, solve in ours.items():
        print_solution(f"{name}, {variant}", solve())
    ms = {solver: s * MS for solver, s in rows.interleaved(ours | theirs, repetitions).items()}
    classical = ms["classical"]
    result_rows = [rows.row(f"{name}, {v}", ms[v], classical, "classical", "ms", bar=1) for v in VARIANTS[1:]]
    result_rows += [rows.row(f"{name}, fused", ms["fused"], ms[peer], peer, "ms", bar=1) for peer in theirs]
    return result_rows


def gcr_solve(gcr, operator, b, m):
    """A function that solves the equation by GCR with preconditioner m."""
    return lambda: gcr.solve(operator, b, preconditioner=m)


def print_solution(name, solution):
    print(
        f"{name}: {solution.iterations} iterations, {solution.allreduces} allreduces, {solution.exposed}"
        f" exposed, {solution.operator_calls} operator applications, residual {solution.residual:.1e}"
    )


def sparse_matrix(n_latitudes, length_squared):
    """The equation as a sparse matrix (docs/krylov.md)."""
    n, dphi = 2 * n_latitudes, np.pi / n_latitudes
    sides = np.linspace(-np.pi / 2, np.pi / 2, n_latitudes + 1)
    area = dphi * np.diff(np.sin(sides))
    zonal = length_squared / (np.cos(sides[:-1] + dphi / 2) * area)
    through = length_squared * np.cos(sides) * (np.arange(n_latitudes + 1) % n_latitudes != 0)
    south, north = through[:-1] / area, through[1:] / area
    meridional = diags_array([-south[1:], 1 + south + north, -north[:-1]], offsets=[-1, 0, 1])
    circle = diags_array([-1.0, -1.0, 2.0, -1.0, -1.0], offsets=[1 - n, -1, 0, 1, n - 1], shape=(n, n))
    return csr_array(kron(meridional, identity(n)) + kron(diags_array(zonal), circle))


def best_peers(matrix, b, m):
    """The solvers of scipy by name, each with its fastest basis size."""
    preconditioner = LinearOperator(matrix.shape, matvec=m)
    peers = {}
    for name, make_solve in {"scipy gcrotmk": gcrotmk_solve, "scipy gmres": gmres_solve}.items():
        solvers = {f"{name}({size})": make_solve(matrix, b, preconditioner, size) for size in BASIS_SIZES}
        converged = {label: solve for label, solve in solvers.items() if is_solution(matrix, b, solve())}
        if converged:
            cpu_s = rows.interleaved(converged, 1)
            best = min(cpu_s, key=cpu_s.get)
            peers[best] = converged[best]
    return peers


def is_solution(matrix, b, x):
    """Whether the relative residual is at most twice the tolerance."""
    return np.linalg.norm(b - matrix @ x) <= 2 * TOLERANCE * np.linalg.norm(b)


def gcrotmk_solve(matrix, b, m, basis_size):
    return lambda: gcrotmk(matrix, b, rtol=TOLERANCE, atol=0, maxiter=1000, M=m, m=basis_size)[0]


def gmres_solve(matrix, b, m, basis_size):
    return lambda: gmres(matrix, b, rtol=TOLERANCE, atol=0, maxiter=1000, M=m, restart=basis_size)[0]


if __name__ == "__main__":
    main()

"""Solutions have the same bytes on any number of ranks and with any radix, and no rank hangs."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon.base import ConfigError, RunError
from halcyon.krylov import VARIANTS, Gcr, Helmholtz, jacobi, solve, zonal_line
from tests.krylov import equations

pytestmark = pytest.mark.mpi


def helmholtz(comm, preconditioner, **options):
    problem = Helmholtz(21, 0.1, comm=comm)
    m = getattr(problem, preconditioner)()
    return solve(problem.operator, problem.right_side(), preconditioner=m, comm=comm, **options)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("preconditioner", ["jacobi", "zonal_line"])
def test_any_number_of_ranks_leaves_the_same_bytes(comm, variant, preconditioner):
    ours = helmholtz(comm, preconditioner, variant=variant)
    alone = helmholtz(MPI.COMM_SELF, preconditioner, variant=variant)
    assert np.concatenate(comm.allgather(ours.x)).tobytes() == alone.x.tobytes()
    assert ours.residuals.tobytes() == alone.residuals.tobytes()
    assert (ours.outcome, ours.allreduces, ours.exposed) == (alone.outcome, alone.allreduces, alone.exposed)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_small_right_side_leaves_the_same_bytes(comm, variant):
    found = [Helmholtz(21, 0.1, comm=each) for each in (comm, MPI.COMM_SELF)]
    ours, alone = (
        solve(each.operator, np.ldexp(each.right_side(), -550), comm=of, variant=variant, replace_every=7)
        for each, of in zip(found, (comm, MPI.COMM_SELF), strict=True)
    )
    assert alone.converged
    assert np.concatenate(comm.allgather(ours.x)).tobytes() == alone.x.tobytes()


@pytest.mark.parametrize("radix", [2, 3, 5])
@pytest.mark.parametrize("variant", VARIANTS)
def test_any_radix_leaves_the_same_bytes(comm, variant, radix):
    ours = helmholtz(comm, "jacobi", variant=variant, radix=radix)
    assert ours.x.tobytes() == helmholtz(comm, "jacobi", variant=variant).x.tobytes()


@pytest.mark.parametrize("variant", VARIANTS)
def test_callables_of_python_on_uneven_parts(comm, variant):
    matrix, b = equations.nonsymmetric(37)
    operator = equations.Matrix(comm, matrix)
    m = jacobi(operator.mine(np.diag(matrix)))
    found = solve(operator, operator.mine(b), preconditioner=m, comm=comm, variant=variant)
    alone = solve(
        equations.Matrix(MPI.COMM_SELF, matrix), b, preconditioner=jacobi(np.diag(matrix)), variant=variant
    )
    assert operator.whole_of(found.x).tobytes() == alone.x.tobytes()
    np.testing.assert_allclose(alone.x, np.linalg.solve(matrix, b), rtol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("whose", ["operator", "preconditioner"])
@pytest.mark.parametrize("call", [1, 2, 7])
def test_all_ranks_end_where_one_fails(comm, variant, whose, call):
    matrix, b = equations.nonsymmetric(37)
    operator = equations.Matrix(comm, matrix)
    thrower, calls = comm.size - 1, []

    def spoiled(function):
        def apply(x):
            y = function(x)
            calls.append(whose)
            if comm.rank == thrower and len(calls) == call:
                raise ValueError("spoiled by hand")
            return y

        return apply

    maps = {"operator": operator, "preconditioner": lambda r: r}
    maps[whose] = spoiled(maps[whose])
    gcr = Gcr(len(operator.mine(b)), comm=comm, variant=variant)
    with pytest.raises(RunError) as caught:
        gcr.solve(maps["operator"], operator.mine(b), preconditioner=maps["preconditioner"])
    assert str(caught.value) == f"The {whose} (rank {thrower}) raised ValueError: spoiled by hand"
    assert isinstance(caught.value.__cause__, ValueError) == (comm.rank == thrower)
    again = gcr.solve(operator, operator.mine(b))
    assert again.converged


def test_a_mistake_on_one_rank_is_told_on_all(comm):
    last = comm.size - 1
    where = "" if comm.size == 1 else f"Rank {last}: "
    with pytest.raises(ConfigError, match=f"{where}The right side is"):
        Gcr(3, comm=comm).solve(lambda x: x, np.ones(4 if comm.rank == last else 3))
    with pytest.raises(ConfigError, match="keeps 0 directions"):
        Gcr(3, comm=comm, k=0)
    if comm.size > 1:
        with pytest.raises(ConfigError, match=r"Rank 1 gives k 9, but rank 0 8. Give the same."):
            Gcr(3, comm=comm, k=8 + comm.rank)
    with pytest.raises(ConfigError, match=f"3 latitudes on {comm.size} ranks" if comm.size > 3 else "Give 3"):
        Helmholtz(3 if comm.size > 3 else 2, 1.0, comm=comm)


def test_a_rank_without_items_takes_part(comm):
    b = np.arange(1.0, 6) if comm.rank == 0 else np.empty(0)
    found = solve(lambda x: 2 * x, b, comm=comm, variant="pipelined")
    np.testing.assert_allclose(found.x, b / 2, rtol=1e-14)


def test_zonal_lines_need_whole_rows_only(comm):
    """Each rank has complete rows."""
    rows = equations.rows_of(comm, 6)
    rng = np.random.default_rng(8)
    parts = rng.uniform(-1, 1, (3, 6, 8)) + np.array([0, 3, 0])[:, None, None]
    r = rng.normal(size=(6, 8))
    alone = zonal_line(*parts)(r).reshape(6, 8)
    ours = zonal_line(*(part[rows] for part in parts))(r[rows]).reshape(-1, 8)
    assert np.concatenate(comm.allgather(ours)).tobytes() == alone.tobytes()

"""The stencil computes what its equations say, in any order; what it costs is not judged here."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import halcyon.mesh
from halcyon._core.bench import Stencil
from halcyon.base import ConfigError, InputError
from halcyon.bench.order import NAMES, bisected_mesh, cells_in, ordering_cost, stencil_cost, table

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def mesh():
    return bisected_mesh(4)


def rotation(mesh):
    """Solid-body rotation about an axis: its parts along each edge's normal and along its tangent."""
    axis, points = np.array([0.3, -0.5, 0.8]), np.asarray(mesh.edge_points)
    ends = np.asarray(mesh.vertex_points)[np.asarray(mesh.vertices_on_edge)]
    tangent = ends[:, 1] - ends[:, 0]
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    velocity = np.cross(axis, points)
    normal = np.cross(tangent, points)
    return np.sum(velocity * normal, axis=1), np.sum(velocity * tangent, axis=1)


def applied(mesh, u):
    stencil = Stencil(mesh)
    divergence, tendency = np.full((mesh.n_cells, u.shape[1]), np.nan), np.full_like(u, np.nan)
    stencil.divergence(u, divergence)
    stencil.tendency(u, divergence, tendency)
    return divergence, tendency


def test_equations(mesh):
    """Against sums over edges in numpy."""
    u = np.random.default_rng(2).normal(size=(mesh.n_edges, 3))
    divergence, tendency = applied(mesh, u)
    from_, to = np.asarray(mesh.cells_on_edge).T
    flow = u * mesh.dv_edge[:, None]
    expected = np.zeros((mesh.n_cells, 3))
    np.add.at(expected, from_, flow)
    np.add.at(expected, to, -flow)
    expected /= mesh.area_cell[:, None]
    np.testing.assert_allclose(divergence, expected, atol=1e-12 * np.abs(expected).max())
    edge = np.repeat(np.arange(mesh.n_edges), np.diff(mesh.edge_offsets))
    along = np.zeros_like(u)
    np.add.at(along, edge, mesh.weights_on_edge[:, None] * u[mesh.edges_on_edge])
    along -= (expected[to] - expected[from_]) / mesh.dc_edge[:, None]
    np.testing.assert_allclose(tendency, along, atol=1e-12 * np.abs(along).max())


def test_a_rotation_has_no_divergence_and_its_own_tangents():
    mesh = halcyon.mesh.uniform(4, tolerance=1e-4)
    normal, tangent = rotation(mesh)
    divergence, tendency = applied(mesh, normal[:, None])
    assert np.abs(divergence).max() < 0.02
    gradient = np.diff(divergence[np.asarray(mesh.cells_on_edge), 0], axis=1)[:, 0] / mesh.dc_edge
    assert np.sqrt(np.mean((tendency[:, 0] + gradient - tangent) ** 2)) < 0.02


@pytest.mark.parametrize("name", NAMES)
def test_the_order_does_not_change_what_is_computed(mesh, name):
    cells = cells_in(name, mesh)
    assert np.array_equal(np.sort(cells), np.arange(mesh.n_cells))
    other = halcyon.mesh.select(mesh, cells)
    ours, _ = applied(mesh, rotation(mesh)[0][:, None])
    theirs, _ = applied(other, rotation(other)[0][:, None])
    np.testing.assert_allclose(theirs, ours[cells], atol=1e-12)


def test_bisection_appends_its_cells(mesh):
    coarse = bisected_mesh(3)
    assert np.array_equal(coarse.cell_points, np.asarray(mesh.cell_points)[: coarse.n_cells])


def test_costs_by_order():
    costs = stencil_cost(2, 3, names=["hilbert", "bisection", "random"], repetitions=1)
    assert list(costs) == ["hilbert", "bisection", "random"]
    assert all(cost > 0 for cost in costs.values())
    head, *lines = table(costs).splitlines()
    assert head.split() == ["order", "ns", "a", "cell-level", "bisection", "is", "random", "is"]
    assert [line.split()[0] for line in lines] == list(costs)
    assert set(ordering_cost(2, repetitions=1)) == set(NAMES) - {"bisection", "random"}


def test_the_script_and_the_command(tmp_path):
    out = tmp_path / "rows.json"
    script = ["benchmarks/order.py", "--quick", "--level", "3", "--repetitions", "1", "--json", str(out)]
    subprocess.run([sys.executable, *script], cwd=ROOT, check=True, capture_output=True, timeout=50)
    rows = json.loads(out.read_text())
    assert {row["bar"] for row in rows if row["claim"] == "stencil, hilbert"} == {1.5, 6.0}
    command = ["-m", "halcyon", "bench", "order", "--level", "2", "--levels", "2", "--order", "rcm"]
    done = subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True, timeout=50)
    assert done.stdout.splitlines()[1].split()[0] == "rcm"


def test_mistakes(mesh):
    with pytest.raises(ConfigError, match=r"no order 'sorted'\. Give bfs, rcm, hilbert"):
        cells_in("sorted", mesh)
    with pytest.raises(ConfigError, match="no order 'natural'"):
        stencil_cost(10, 30, names=["hilbert", "natural"])
    with pytest.raises(ConfigError, match="The level is 0, but must be from 1 to 10"):
        bisected_mesh(0)
    with pytest.raises(InputError, match="has an outer boundary"):
        Stencil(halcyon.mesh.cut(mesh, (mesh.cell_latitude > 0).astype(np.uint8)))
    with pytest.raises(InputError, match=r"divergence is \(3, 1\), but must be \(2562, 1\)"):
        Stencil(mesh).divergence(np.zeros((mesh.n_edges, 1)), np.zeros((3, 1)))

"""The stencil computes its equations in any order of cells; its cost is not checked."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

import halcyon.mesh
from halcyon import cli
from halcyon._core.bench import Stencil, StructuredStencil, hashed_edges
from halcyon.base import ConfigError, InputError
from halcyon_bench import bisection, layouts
from halcyon_bench.bisection import bisected_mesh, parts
from halcyon_bench.order import (
    BENCHMARK_ORDERS,
    NAMES,
    cells_in,
    ordering_cost,
    part_costs,
    part_table,
    reordered,
    stencil_cost,
    table,
)
from tests.support import command

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def mesh():
    return bisected_mesh(4)


def rotation(mesh):
    """Normal and tangential velocity at each edge of a solid-body rotation."""
    axis, points = np.array([0.3, -0.5, 0.8]), np.asarray(mesh.edge_points)
    ends = np.asarray(mesh.vertex_points)[np.asarray(mesh.vertices_on_edge)]
    tangent = ends[:, 1] - ends[:, 0]
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    velocity = np.cross(axis, points)
    normal = np.cross(tangent, points)
    return np.sum(velocity * normal, axis=1), np.sum(velocity * tangent, axis=1)


def apply_stencil(mesh, u, stencil=None, *, levels_innermost=True):
    """Divergence and tendency of u (edge, level)."""
    n_levels = u.shape[1]
    shape = (lambda n: (n, n_levels)) if levels_innermost else (lambda n: (n_levels, n))
    divergence, tendency = np.full(shape(mesh.n_cells), np.nan), np.full(shape(mesh.n_edges), np.nan)
    wind = u if levels_innermost else np.ascontiguousarray(u.T)
    (stencil or Stencil(mesh)).step(wind, divergence, tendency, levels_innermost=levels_innermost)
    return (divergence, tendency) if levels_innermost else (divergence.T, tendency.T)


def test_equations(mesh):
    """Divergence and tendency equal sums over edges in numpy."""
    u = np.random.default_rng(2).normal(size=(mesh.n_edges, 3))
    divergence, tendency = apply_stencil(mesh, u)
    from_, to = np.asarray(mesh.cells_on_edge).T
    flow = u * mesh.dv_edge[:, None]
    expected = np.zeros((mesh.n_cells, 3))
    np.add.at(expected, from_, flow)
    np.add.at(expected, to, -flow)
    expected /= mesh.area_cell[:, None]
    np.testing.assert_allclose(divergence, expected, atol=1e-12 * np.abs(expected).max())
    edge = np.repeat(np.arange(mesh.n_edges), np.diff(mesh.edge_offsets))
    expected_tendency = np.zeros_like(u)
    np.add.at(expected_tendency, edge, mesh.weights_on_edge[:, None] * u[mesh.edges_on_edge])
    expected_tendency -= (expected[to] - expected[from_]) / mesh.dc_edge[:, None]
    np.testing.assert_allclose(tendency, expected_tendency, atol=1e-12 * np.abs(expected_tendency).max())


def test_a_rotation_has_no_divergence_and_its_own_tangents():
    """For a solid-body rotation the divergence is small, and the tendency minus its gradient is the
    tangential velocity."""
    mesh = halcyon.mesh.uniform(4, tolerance=1e-4)
    normal, tangent = rotation(mesh)
    divergence, tendency = apply_stencil(mesh, normal[:, None])
    assert np.abs(divergence).max() < 0.02
    gradient = np.diff(divergence[np.asarray(mesh.cells_on_edge), 0], axis=1)[:, 0] / mesh.dc_edge
    assert np.sqrt(np.mean((tendency[:, 0] + gradient - tangent) ** 2)) < 0.02


@pytest.mark.parametrize("name", NAMES)
def test_the_order_does_not_change_what_is_computed(mesh, name):
    """The divergence on a reordered mesh is the reordered divergence."""
    cells = cells_in(name, mesh)
    assert np.array_equal(np.sort(cells), np.arange(mesh.n_cells))
    other = halcyon.mesh.select(mesh, cells)
    ours, _ = apply_stencil(mesh, rotation(mesh)[0][:, None])
    theirs, _ = apply_stencil(other, rotation(other)[0][:, None])
    np.testing.assert_allclose(theirs, ours[cells], atol=1e-12)


def test_layouts_give_the_same_bits(mesh):
    u = np.random.default_rng(3).normal(size=(mesh.n_edges, 4))
    first = apply_stencil(mesh, u)
    for kind in (Stencil, StructuredStencil):
        for levels_innermost in (True, False):
            result = apply_stencil(mesh, u, kind(mesh), levels_innermost=levels_innermost)
            assert all(map(np.array_equal, result, first)), (kind, levels_innermost)


def test_a_converter_shuffles_edges_and_leaves_cells(mesh):
    """Edges in the order of a hash set are far from sorted, and do not change the results."""
    edges = hashed_edges(mesh, mesh.n_cells)
    assert np.array_equal(np.sort(edges), np.arange(mesh.n_edges))
    assert np.count_nonzero(np.abs(np.diff(edges)) > 100) > 0.1 * mesh.n_edges
    u = np.random.default_rng(4).normal(size=(mesh.n_edges, 2))
    divergence, tendency = apply_stencil(mesh, u[edges], Stencil(mesh, edges=edges))
    expected = apply_stencil(mesh, u)
    assert np.array_equal(divergence, expected[0])
    assert np.array_equal(tendency, expected[1][edges])


@pytest.mark.parametrize("name", ["hilbert", "converter", "random_cells", "random"])
def test_a_part_computes_what_the_whole_does(mesh, name):
    """The stencil of a part gives the divergence of the whole mesh on the cells of the part, and leaves other
    items alone."""
    ((_, part, n_cells),) = parts("G4", [6])
    assert 0.9 < 6 * n_cells / mesh.n_cells < 1.1
    part, edges = reordered(name, part, n_cells)
    order = np.arange(part.n_edges)
    order[: 0 if edges is None else len(edges)] = edges if edges is not None else []
    stencil = Stencil(part, n_cells, edges)
    assert (stencil.n_cells, stencil.n_edges) == (
        n_cells,
        part.edges_on_cell[: part.cell_offsets[n_cells]].max() + 1,
    )
    divergence, tendency = apply_stencil(part, rotation(part)[0][order, None], stencil)
    assert np.isfinite(divergence[:n_cells]).all() and np.isnan(divergence[n_cells:]).all()
    cells = cKDTree(mesh.cell_points).query(part.cell_points[:n_cells])[1]
    whole, _ = apply_stencil(mesh, rotation(mesh)[0][:, None])
    np.testing.assert_allclose(divergence[:n_cells], whole[cells], atol=1e-12)
    assert np.isnan(tendency[stencil.n_edges :]).all()


@pytest.mark.parametrize("name", ["G4", "G4X4"])
def test_parts_are_those_of_metis(name):
    """Parts of 1, 2 and 9 have about equal numbers of cells, all of whose neighbours are in the mesh."""
    (one,) = parts(name, [1])
    assert (one[0], one[1].n_cells, one[2]) == (1, 2562, 2562)
    ratio = one[1].dc_edge.max() / one[1].dc_edge.min()
    assert (ratio > 3) == (name == "G4X4")
    (_, two, n_two), (_, nine, n_nine) = parts(name, [2, 9])
    assert 1200 < n_two < 1360 and 260 < n_nine < 300
    for part, n in ((two, n_two), (nine, n_nine)):
        assert part.n_cells > n and part.cells_on_cell[: part.cell_offsets[n]].min() >= 0


def test_a_part_of_a_finer_mesh_is_that_of_the_whole(monkeypatch):
    """A part refined by bisection of its own cells has the cells, in order, of the bisected whole mesh."""
    monkeypatch.setattr(bisection, "MAX_WHOLE_LEVEL", 4)
    monkeypatch.setattr(bisection, "COARSE_LEVEL", 3)
    ((_, part, n_cells),) = parts("G5", [20])
    whole = bisected_mesh(5)
    distance, cells = cKDTree(whole.cell_points).query(part.cell_points)
    assert distance.max() < 1e-12
    assert np.all(np.diff(cells[:n_cells]) > 0)
    assert 0.8 < 20 * n_cells / whole.n_cells < 1.2
    on_cells = slice(0, part.cell_offsets[n_cells])
    assert part.cells_on_cell[on_cells].min() >= 0
    sides = np.diff(whole.cell_offsets)[cells[:n_cells]]
    assert np.array_equal(np.diff(part.cell_offsets)[:n_cells], sides)


def test_costs_of_parts_and_layouts():
    costs = part_costs("G3", [2, 5], 3, names=["hilbert", "converter"], repetitions=1)
    assert list(costs) == [2, 5]
    assert all(result["hilbert"] > 0 < result["converter"] for result in costs.values())
    head, *lines = part_table(costs).splitlines()
    assert head.split()[:4] == ["parts", "cells", "hilbert", "converter"]
    assert [line.split()[:2] for line in lines] == [[str(n), str(costs[n]["cells"])] for n in costs]
    result = layouts.layout_cost(2, 3, repetitions=1)
    assert len(result) == 4 and layouts.BASE_LAYOUT in result and min(result.values()) > 0
    assert "1.00 times" in layouts.table(result).splitlines()[1]


def test_bisection_appends_its_cells(mesh):
    """The first cells of a bisected mesh are those of the coarser mesh."""
    coarse = bisected_mesh(3)
    assert np.array_equal(coarse.cell_points, np.asarray(mesh.cell_points)[: coarse.n_cells])


def test_costs_by_order():
    costs = stencil_cost(bisected_mesh(2), 3, names=["hilbert", "bisection", "random"], repetitions=1)
    assert list(costs) == ["hilbert", "bisection", "random"]
    assert all(cost > 0 for cost in costs.values())
    head, *lines = table(costs).splitlines()
    assert head.split() == ["order", "ns/cell-level", "bisection", "is", "random", "is"]
    assert [line.split()[0] for line in lines] == list(costs)
    assert set(ordering_cost(2, repetitions=1)) == set(NAMES) - set(BENCHMARK_ORDERS)


def test_the_script_and_the_command(tmp_path):
    out = tmp_path / "rows.json"
    picture = tmp_path / "patches.png"
    script = ["benchmarks/order.py", "--quick", "--level", "3", "--repetitions", "1", "--json", str(out)]
    script += ["--meshes", "G2", "G3", "--patches", "2", "5", "--plot", str(picture)]
    subprocess.run([sys.executable, *script], cwd=ROOT, check=True, capture_output=True)
    rows = json.loads(out.read_text())
    assert {row["bar"] for row in rows if row["claim"] == "stencil, hilbert"} == {1.5, 3.0, 0.0, 6.0}
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert {row["other_name"] for row in rows if row["claim"] == "G2 in 5 parts, hilbert"} == {
        *("bisection order", "converter order", "in 2 parts")
    }
    done = command.halcyon("bench", "order", "--mesh", "G2", "--levels", "2", "--order", "rcm")
    assert done.stdout.splitlines()[1].split()[0] == "rcm"


def test_mistakes(mesh):
    with pytest.raises(ConfigError, match=r"no order 'sorted'\. Give bfs, rcm, hilbert"):
        cells_in("sorted", mesh)
    with pytest.raises(ConfigError, match="no order 'natural'"):
        stencil_cost(mesh, 30, names=["hilbert", "natural"])
    with pytest.raises(ConfigError, match="The level is 0, but must be from 1 to 10"):
        bisected_mesh(0)
    with pytest.raises(InputError, match="has an outer boundary"):
        Stencil(halcyon.mesh.cut(mesh, (mesh.cell_latitude > 0).astype(np.uint8)))
    with pytest.raises(InputError, match=r"divergence has shape \(3, 1\), but must have \(2562, 1\)"):
        Stencil(mesh).step(np.zeros((mesh.n_edges, 1)), np.zeros((3, 1)), np.zeros((mesh.n_edges, 1)))
    with pytest.raises(InputError, match="The stencil has 2563 cells, but the mesh has 2562"):
        Stencil(mesh, 2563)
    with pytest.raises(InputError, match="The order has 2 edges, but the stencil computes 7680"):
        Stencil(mesh, edges=np.array([0, 1], np.int32))
    with pytest.raises(InputError, match="has edge 7 twice"):
        Stencil(mesh, edges=np.full(mesh.n_edges, 7, np.int32))
    with pytest.raises(ConfigError, match="G9 in 15 parts takes too much memory"):
        next(parts("G9", [60, 15]))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--mesh", "G2", "--patches", "2,x"], "--patches 2,x: give whole numbers from 1 on"),
        (["--mesh", "G2", "--patches", "163"], "163"),
        pytest.param(
            ["--mesh", "G2", "--plot", "cost.png"],
            "--plot draws the times of the parts of --patches. Give --patches, too.",
            id="arguments2---plot draws the costs of patches. Give --patches too.",
        ),
        pytest.param(
            ["--mesh", "G2", "--patches", "2", "--plot", "cost.xyz"],
            "unknown picture format",
            id="arguments3-no picture is called so",
        ),
        (["--mesh", "G2", "--order", "best"], "There is no order 'best'"),
        (["--mesh", "G11"], "The level is 11"),
        (["--mesh", "mesh.nc"], "'mesh.nc' is neither a file nor the name of a mesh"),
    ],
)
def test_mistakes_of_the_command(monkeypatch, capsys, arguments, expected):
    monkeypatch.setattr(sys, "argv", ["halcyon", "bench", "order", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    output = capsys.readouterr()
    assert (ended.value.code, output.out) == (2, "")
    assert expected in output.err and len(output.err.splitlines()) == 1


def test_the_command_measures_patches(tmp_path):
    picture = tmp_path / "cost.png"
    options = [
        "--mesh",
        "G3",
        "--levels",
        "2",
        "--order",
        "hilbert",
        "--patches",
        "2,4",
        "--plot",
        str(picture),
    ]
    done = command.halcyon("bench", "order", *options, "--repetitions", 1)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["parts", "2", "4"]
    assert picture.read_bytes()[:4] == b"\x89PNG"
    done = command.halcyon("bench", "layout", "--level", 2, "--levels", 2, "--repetitions", 1)
    assert len(done.stdout.splitlines()) == 5

"""Uniform meshes contracted towards a point: the map, the spacing, the cells."""

import numpy as np
import pytest

import halcyon.mesh
from halcyon.base import EARTH_RADIUS, ConfigError
from halcyon.mesh import MeshSpec, Region, Spacing, Stretch, Zoom, cache, scvt, sphere
from halcyon.mesh.domain import MeshDomain
from halcyon.mesh.growth import even_spacing
from halcyon.mesh.spacing import Stretched
from halcyon.mesh.target import target_spacing

CENTRE = sphere.to_points(20, 50)
POINTS = sphere.fibonacci(500)
STRETCH = Stretch(ratio=4, longitude=20, latitude=50)


@pytest.fixture(scope="module")
def g5():
    return halcyon.mesh.uniform(5)


@pytest.fixture(scope="module")
def stretched():
    return halcyon.mesh.uniform(5, stretch=STRETCH)


def around(points, step=1e-6):
    """Steps (2, n, 3) from points (n, 3), orthogonal and of equal length."""
    tangent = sphere.normalized(np.cross(points, [0.1, 0.2, 0.3]))
    return step * tangent, step * np.cross(points, tangent)


def test_the_map_is_that_of_schmidt():
    """Angles from the centre follow tan(theta'/2) = tan(theta/2) / sqrt(ratio), with ratio 9."""
    theta = np.array([0.0, 0.3, 1.5, 3.0, np.pi])
    points = np.stack([np.sin(theta), 0 * theta, np.cos(theta)], axis=1)
    moved = sphere.schmidt_transform(points, np.array([0.0, 0.0, 1.0]), 9.0)
    expected = 2 * np.arctan2(np.sin(theta / 2), 3 * np.cos(theta / 2))
    np.testing.assert_allclose(np.arctan2(moved[:, 0], moved[:, 2]), expected, atol=1e-14)


@pytest.mark.parametrize("ratio", [0.2, 1.0, 4.0, 60.0])
def test_the_inverse_ratio_moves_points_back(ratio):
    moved = sphere.schmidt_transform(POINTS, CENTRE, ratio)
    np.testing.assert_allclose(np.linalg.norm(moved, axis=1), 1, rtol=1e-15)
    np.testing.assert_allclose(sphere.schmidt_transform(moved, CENTRE, 1 / ratio), POINTS, atol=1e-13)


@pytest.mark.parametrize("ratio", [4.0, 12.0])
def test_the_map_is_conformal_and_the_spacing_its_scale(ratio):
    """Small orthogonal steps of equal length stay so, and the spacing is proportional to their length."""
    moved = sphere.schmidt_transform(POINTS, CENTRE, ratio)
    first, second = (  # derivatives of the map in two orthogonal directions
        (
            sphere.schmidt_transform(POINTS + step, CENTRE, ratio)
            - sphere.schmidt_transform(POINTS - step, CENTRE, ratio)
        )
        / 2e-6
        for step in around(POINTS)
    )
    lengths = np.linalg.norm(first, axis=1)
    np.testing.assert_allclose(np.linalg.norm(second, axis=1), lengths, rtol=1e-8)
    np.testing.assert_allclose(np.einsum("ij,ij->i", first, second) / lengths**2, 0, atol=1e-8)
    spacing = Stretched(Stretch(ratio=ratio, longitude=20, latitude=50))(moved)
    np.testing.assert_allclose(spacing / np.sqrt(ratio), lengths, rtol=1e-8)


def test_the_spacing_fills_the_globe_with_the_count():
    """With ratio 4, the spacing is half that of a uniform mesh at the centre, and twice at its antipode."""
    spec = MeshSpec(level=6, stretch=STRETCH)
    spacing = target_spacing(spec, MeshDomain(spec))
    h = even_spacing(10 * 4**6 + 2)
    np.testing.assert_allclose(spacing(np.array([CENTRE, -CENTRE])), [h / 2, 2 * h], rtol=1e-4)
    assert spec.finest == pytest.approx(EARTH_RADIUS * h / 2)


def test_only_the_twelve_pentagons_are_no_hexagons(stretched):
    """The stretched mesh has 12 pentagons; all other cells are hexagons."""
    assert np.bincount(np.diff(stretched.cell_offsets)).tolist() == [0, 0, 0, 0, 0, 12, 10230]


def test_cells_are_nearly_as_good_as_those_of_the_uniform_mesh(stretched, g5):
    found, uniform = halcyon.mesh.quality(stretched), halcyon.mesh.quality(g5)
    assert found.n_obtuse == 0
    assert found.cell_min > 0.975 * uniform.cell_min
    assert found.cell_mean > 0.99 * uniform.cell_mean
    assert found.triangle_min > 0.98 * uniform.triangle_min


def test_spacing_is_that_asked_for(stretched):
    """The spacing of cells, the mean distance of neighbours, is within 1.5 % of the request on average."""
    sides = np.add.reduceat(stretched.dc_edge[stretched.edges_on_cell], stretched.cell_offsets[:-1])
    spacing = sides / np.diff(stretched.cell_offsets)
    requested = even_spacing(stretched.n_cells) / 2 * Stretched(STRETCH)(np.asarray(stretched.cell_points))
    error = np.abs(spacing / requested - 1)
    assert error.mean() < 0.015 and np.percentile(error, 95) < 0.04
    near, far = (np.asarray(stretched.cell_points) @ point > np.cos(0.25) for point in (CENTRE, -CENTRE))
    ratio = (requested[far] / spacing[far]).mean() / (requested[near] / spacing[near]).mean()
    assert ratio == pytest.approx(1, rel=0.01)
    assert stretched.mesh_density.max() / stretched.mesh_density.min() == pytest.approx(4**4, rel=0.01)


def test_identities_hold(stretched):
    found = halcyon.mesh.identities(stretched)
    assert max(found.area, found.antisymmetry, found.divergence, found.orthogonality) < 1e-14


def test_the_same_bits_on_any_number_of_threads(stretched):
    for threads in (1, 3):
        again = halcyon.mesh.uniform(5, stretch=STRETCH, threads=threads)
        assert np.asarray(again.cell_points).tobytes() == np.asarray(stretched.cell_points).tobytes()


def test_a_ratio_of_1_is_the_uniform_mesh(g5):
    same = halcyon.mesh.quality(halcyon.mesh.uniform(5, stretch=Stretch(ratio=1)))
    uniform = halcyon.mesh.quality(g5)
    for name in ("cell_min", "cell_mean", "triangle_min", "dc_max"):
        assert getattr(same, name) == pytest.approx(getattr(uniform, name), rel=1e-3), name


def test_any_number_of_points():
    triangulation = scvt.stretched(STRETCH, 300)
    assert triangulation.n_points == 300
    nearest, farthest = (np.linalg.norm(triangulation.points - p, axis=1).min() for p in (CENTRE, -CENTRE))
    assert nearest < 0.1 and farthest < 0.4


def test_options_reach_the_iteration():
    """The iteration ends at its limit, reports the last move, and reports its progress for each number of
    points."""
    moves, steps = [], []
    scvt.stretched(
        STRETCH,
        642,
        tolerance=1e-9,
        limit=2,
        at_limit=moves.append,
        progress=lambda *step: steps.append(step),
    )
    assert len(moves) == 1 and 1e-6 < moves[0] < 0.1
    assert {n for n, _, _ in steps} == {42, 162, 642}
    assert max(iteration for _, iteration, _ in steps) == 2


def test_a_part_of_it_in_another_order():
    """A region in the refined area, ordered by rcm, has the expected number of cells."""
    spec = MeshSpec(level=5, stretch=STRETCH, region=Region(west=0, east=40, south=40, north=60), order="rcm")
    mesh = halcyon.mesh.make(spec)
    assert mesh.n_cells == pytest.approx(halcyon.mesh.expected_cells(spec), rel=0.05)
    assert mesh.n_cells > 3 * halcyon.mesh.expected_cells(MeshSpec(level=5, region=spec.region))
    lon, lat = sphere.to_lonlat(mesh.cell_points)
    assert lon.min() >= 0 and lon.max() <= 40 and lat.min() >= 40 and lat.max() <= 60


def test_the_cache_tells_stretches_apart():
    specs = (None, Stretch(ratio=4), Stretch(ratio=5), STRETCH)
    assert len({cache.cache_key(MeshSpec(level=5, stretch=stretch)) for stretch in specs}) == 4


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: Stretch(ratio=0.9), "stretch's ratio is 0.9"),
        (lambda: Stretch(ratio=np.nan), "stretch's ratio is nan"),
        (lambda: Stretch(ratio=np.inf), "stretch's ratio is inf"),
        pytest.param(
            lambda: Stretch(ratio=2, latitude=91),
            "stretch: 180, 91 is not a valid position",
            id="<lambda>-stretch: 180, 91 is no place",
        ),
        (lambda: MeshSpec(stretch=STRETCH), "no size"),
        (lambda: MeshSpec(spacing=Spacing(background=1e5), stretch=STRETCH), "stretch goes with a level"),
        (lambda: MeshSpec(level=5, zoom=Zoom(ratio=2), stretch=STRETCH), "zoom and stretch are both given"),
        (lambda: MeshSpec(level=2, stretch=Stretch(ratio=100)), "the spacing of 162 cells grows too steeply"),
    ],
)
def test_a_mistake_is_told(wrong, text):
    with pytest.raises(ConfigError, match=text):
        wrong()


@pytest.mark.parametrize("n_points", [12, 162, 10242])
def test_the_steepest_stretch_that_is_advised_makes_a_mesh(n_points):
    """The largest ratio that the error advises gives a mesh without obtuse triangles; a larger one is
    refused."""
    with pytest.raises(ConfigError, match="Give a ratio of at most") as caught:
        MeshSpec(points=n_points, stretch=Stretch(ratio=1e7))
    most = float(str(caught.value).split("at most ")[1].split(",")[0])
    mesh = halcyon.mesh.make(MeshSpec(points=n_points, stretch=Stretch(ratio=most)))
    assert mesh.n_cells == n_points and halcyon.mesh.quality(mesh).n_obtuse == 0
    with pytest.raises(ConfigError):
        MeshSpec(points=n_points, stretch=Stretch(ratio=most + 0.2))

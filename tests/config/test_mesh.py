"""The group `mesh` of a case, and mesh files, which have only this group."""

from pathlib import Path

import pytest

from halcyon.base import ConfigError
from halcyon.config import load_case
from halcyon.config.load import load_mesh
from halcyon.mesh import Box, ByDepth, ByField, Circle, MeshSpec, Region, Spacing, Stretch, Zoom

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("meshes/*.yaml"))
EXAMPLES.append(Path(__file__).parents[2] / "examples/fvwam/sea.yaml")
ALL = """\
mesh:
  spacing:
    background: 100000
    coast: 30000
    transition: 500000
    depth: {spacing: 20000, depth: 3000}
    field: {file: field.nc, variable: h}
    circles: [{longitude: 128, latitude: 33, radius: 800000, spacing: 30000, transition: 2000000}]
    boxes: [{west: 170, east: 200, south: -10, north: 10, spacing: 60000, transition: 900000}]
  region: {west: 100, east: 220, south: -40, north: 50}
  polygon: area.geojson
  sea: false
  depths: [0, 4000]
  order: bfs
  tolerance: 0.001
  iterations: 50
"""


def test_the_file_and_the_record_hold_the_same(tmp_path):
    """A file with every option of the group gives the equal `MeshSpec`."""
    for name in ("field.nc", "area.geojson"):
        (tmp_path / name).touch()
    path = tmp_path / "mesh.yaml"
    path.write_text(ALL)
    circle = Circle(longitude=128, latitude=33, radius=8e5, spacing=3e4, transition=2e6)
    box = Box(west=170, east=200, south=-10, north=10, spacing=6e4, transition=9e5)
    assert load_mesh(path).spec() == MeshSpec(
        spacing=Spacing(
            background=1e5,
            coast=3e4,
            transition=5e5,
            depth=ByDepth(spacing=2e4, depth=3e3),
            field=ByField(path=str(tmp_path / "field.nc"), variable="h"),
            circles=(circle,),
            boxes=(box,),
        ),
        region=Region(west=100, east=220, south=-40, north=50),
        polygon=str(tmp_path / "area.geojson"),
        depths=(0, 4000),
        order="bfs",
        tolerance=1e-3,
        iterations=50,
    )


def test_counts_and_zooms(tmp_path):
    """Levels, numbers of points, zooms and stretches give the equal `MeshSpec`."""
    path = tmp_path / "mesh.yaml"
    path.write_text("mesh: {level: 8, zoom: {ratio: 4}, sea: false}\n")
    assert load_mesh(path).spec() == MeshSpec(level=8, zoom=Zoom(ratio=4))
    assert load_mesh(path, ["mesh.level=3"]).level == 3
    path.write_text("mesh: {level: 6, stretch: {ratio: 4, longitude: 130, latitude: 30}, sea: false}\n")
    assert load_mesh(path).spec() == MeshSpec(level=6, stretch=Stretch(ratio=4, longitude=130, latitude=30))
    path.write_text("mesh: {points: 900, stretch: {ratio: 2}, sea: false}\n")
    assert load_mesh(path).spec() == MeshSpec(points=900, stretch=Stretch(ratio=2))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_right(path):
    """The mesh groups of the examples are valid, and their meshes are of the sea with depths."""
    spec = load_mesh(path).spec()
    assert spec.sea and spec.depth is not None


def test_ocean_is_the_background(write):
    """The option `ocean` of spacing is another name of `background`."""
    spacing = load_case(write()).mesh.spec().spacing
    assert spacing == Spacing(background=70e3, coast=27e3)
    assert load_case(write(), ["mesh.spacing={background: 70e3, coast: 27e3}"]).mesh.spec().spacing == spacing


def test_a_case_is_no_mesh_file(write):
    """A file with more groups than `mesh` is not loaded as a mesh file."""
    assert load_mesh(write()) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mesh: {}", "1: mesh has no size. Give mesh.spacing"),
        ("mesh: {level: 11}", "1: mesh.level = 11 must be an integer from 0 to 10."),
        ("mesh: {points: 5}", "1: mesh.points = 5 must be an integer from 12"),
        ("mesh: {level: 3, points: 50}", "1: mesh.points does not go together with mesh.level."),
        (
            "mesh: {spacing: {ocean: 1e5}, zoom: {ratio: 2}}",
            "mesh.zoom does not go together with mesh.spacing.",
        ),
        ("mesh: {level: 3, zoom: {}}", "mesh.zoom.ratio is missing"),
        ("mesh: {zoom: {ratio: 2}}", "mesh.zoom needs mesh.level or mesh.points."),
        ("mesh: {level: 3, stretch: {}}", "mesh.stretch.ratio is missing"),
        ("mesh: {level: 3, stretch: {ratio: 0.5}}", "mesh.stretch.ratio = 0.5 must be"),
        ("mesh: {level: 3, stretch: {ratio: 2, latitude: 91}}", "mesh.stretch.latitude = 91 must be"),
        ("mesh: {level: 3, stretch: {ratio: 2, radius: 1e6}}", "unknown option 'mesh.stretch.radius'"),
        (
            "mesh: {level: 3, stretch: {ratio: 80}}",
            "mesh.stretch: At a stretch of ratio 80 the spacing of 642",
        ),
        (
            "mesh: {spacing: {ocean: 1e5}, stretch: {ratio: 2}}",
            "mesh.stretch does not go together with mesh.spacing.",
        ),
        (
            "mesh: {level: 3, zoom: {ratio: 2}, stretch: {ratio: 2}}",
            "mesh.zoom does not go together with mesh.stretch. Remove one of them.",
        ),
        ("mesh: {spacing: {coast: 1e4}}", "mesh.spacing.background is missing"),
        pytest.param(
            "mesh: {spacing: {ocean: 1e5, background: 1e5}}",
            "are names of one option. Remove one of them.",
            id="mesh: {spacing: {ocean: 1e5, background: 1e5}}-are the same. Remove one of them.",
        ),
        ("mesh: {level: 3, depths: [5]}", "mesh.depths = [5] must be [least, most]"),
        ("mesh: {level: 3, depths: [9, 5]}", "mesh.depths = [9, 5] must be [least, most]"),
        ("mesh: {level: 3, polygon: none.geojson}", "none.geojson does not exist."),
        ("mesh: {spacing: {field: {file: none.nc}}}", "none.nc does not exist."),
        ("mesh: {level: 3, order: best}", "mesh.order = 'best' must be 'natural', 'bfs'"),
        (
            "mesh: {spacing: {background: 1e5, circles: [{longitude: 0, latitude: 0, radius: 1, spacing: 1e4,"
            " transition: 1e4}]}}",
            "circle 1: transition is 10 km, over which spacing cannot grow",
        ),
        pytest.param(
            "mesh: {file: mesh.yaml}",
            "mesh.file names an existing mesh",
            id="mesh: {file: mesh.yaml}-mesh.file exists already",
        ),
    ],
)
def test_one_mistake_is_one_line(tmp_path, text, expected):
    """An invalid mesh file raises an error of one line, which begins with the path and has the expected
    text."""
    path = tmp_path / "mesh.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_mesh(path)
    assert expected in str(caught.value)
    assert str(caught.value).startswith(f"{path}")
    assert len(str(caught.value).splitlines()) == 1

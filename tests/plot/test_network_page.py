"""The HTML page of a network under load is self-contained and shows the results of the simulations."""

import html
import json
import re

import numpy as np
import pytest

from halcyon import network
from halcyon.base import ConfigError
from halcyon.config.points import expand_case
from halcyon.config.yaml_source import Source
from halcyon.plot.network_page.layout import MOST_LINES, layout_of
from halcyon.plot.network_page.page import network_page, require_drawable
from halcyon.simulate.many import simulate_all
from tests.support import browser

TITLE = "Rings & <b>data</b> {{style}} <!--<script></script>"
TORUS = {"type": "torus", "sizes": [4, 3], "nodes_per_switch": 2}
NETWORKS = (
    network.Torus([5, 4, 3]),
    network.Torus([25, 25, 25]),
    network.HyperX([40, 2, 30]),
    network.FatTree([3], []),
    network.FatTree([4, 3, 2], [2, 3]),
    network.FatTree([8, 8, 8, 8], [8, 8, 8]),
    network.Dragonfly(group=[3, 2], n_groups=5, global_links=2),
    network.Dragonfly(group=[8], n_groups=60, global_links=8),
    network.graph([1, 1, 0], [(0, 1), (1, 2)]),
    network.attach_nics(network.FatTree([4, 4], [4]), "rails", 3),
    network.attach_nics(network.Torus([12, 12, 12]), "rails", 4),
    network.attach_nics(network.Dragonfly(group=[4], n_groups=4, global_links=1), "switches", 2),
)
IDS = [
    "torus 5 x 4 x 3 with 1 node a switch",
    "torus 25 x 25 x 25 with 1 node a switch",
    "HyperX 40 x 2 x 30 with 1 node a switch",
    "one switch with 3 nodes",
    "fat tree with 4, 3, 2 ports down and 2, 3 up",
    "fat tree with 8, 8, 8, 8 ports down and 8, 8, 8 up",
    "dragonfly of 5 groups of 3 x 2 switches, 2 global links (absolute) and 1 node a switch",
    "dragonfly of 60 groups of 8 switches, 8 global links (absolute) and 1 node a switch",
    *(each.name for each in NETWORKS[8:]),
]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A temporary cache."""
    monkeypatch.setenv("HALCYON_CACHE", str(tmp_path / "cache"))


def points_of_case(tmp_path, **changes):
    """The simulations of a case with these changes."""
    case = {
        "title": TITLE,
        "workload": {"type": "alltoall", "block_bytes": 50_000},
        "ranks": 24,
        "topology": TORUS,
        "record": {"links": True, "link_bins": 16},
        "picture": {"kind": "network"},
    }
    return expand_case(Source("case", case | changes), tmp_path)


def simulated(tmp_path, **changes):
    """Simulations of a case with these changes, and their results."""
    points = points_of_case(tmp_path, **changes)
    return points, simulate_all(points)


def page_of(tmp_path, points, found):
    """The text of the page, and the data in it."""
    network_page(tmp_path / "page.html", points, found)
    text = (tmp_path / "page.html").read_text()
    (data,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
    return text, json.loads(data)


def test_it_needs_nothing_else(tmp_path):
    """The page refers to no other file, and escapes the title."""
    text, page = page_of(tmp_path, *simulated(tmp_path))
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(|\bsrc=|\bhref=|fetch\(|XMLHttp|import ", text)
    assert f"<h1>{html.escape(TITLE)}</h1>" in text
    assert page["title"] == TITLE
    assert text.count("<script") == text.count("</script>") == 2
    assert "<!--" not in text
    assert set(re.findall(r'\bat\("(\w+)"\)', text)) <= set(re.findall(r'\bid="(\w+)"', text))


def test_it_shows_what_was_found(tmp_path):
    """Bytes, utilization and waiting times of the links are those of the results."""
    routings = [{"name": name, "routing": name} for name in ("minimal", "valiant")]
    points, found = simulated(tmp_path, series=routings)
    _, page = page_of(tmp_path, points, found)
    source, target, _ = network.Torus([4, 3], 2).links()
    assert [each["name"] for each in page["simulations"]] == ["minimal", "valiant"]
    for drawn, data in zip(page["simulations"], found, strict=True):
        assert (drawn["time"], drawn["links"], drawn["idle"]) == (data["time"], len(source), 0)
        lines = drawn["lines"]
        bytes_of = dict(zip(zip(lines["from"], lines["to"], strict=True), lines["bytes"], strict=True))
        assert bytes_of == {
            (a, b): n for a, b, n in zip(source, target, data["link_bytes"].values, strict=True)
        }
        widths = np.minimum(data["bin_to"], data["time"]) - data["bin_from"]
        busy = 1e-4 * np.array(lines["busy"])
        assert np.allclose((busy[:, :-1] * 12.5e9 * widths.values).sum(axis=1), lines["bytes"], rtol=0.01)
        assert np.allclose(
            busy[:, -1] * data["time"].item(), data["link_busy"].values[order_of(lines)], rtol=0.01
        )
        assert np.max(lines["wait"]) == pytest.approx(1e9 * data["link_bin_wait"].max().item(), abs=0.5)
        assert lines["peak"] is None and set(lines["links"]) == {1}


def order_of(lines):
    """The links of a torus of 4 x 3 in the order of the lines."""
    source, target, _ = network.Torus([4, 3], 2).links()
    number = {ends: i for i, ends in enumerate(zip(source, target, strict=True))}
    return [number[ends] for ends in zip(lines["from"], lines["to"], strict=True)]


def test_a_large_network_is_drawn_in_parts(tmp_path):
    """Nodes and links of a large network are drawn in groups, which add up to the whole."""
    large = {"type": "hyperx", "sizes": [20, 20], "nodes_per_switch": 1}
    points, found = simulated(
        tmp_path, topology=large, ranks=400, workload={"type": "alltoall", "block_bytes": 9}
    )
    _, page = page_of(tmp_path, points, found)
    (drawn,) = page["simulations"]
    assert len(drawn["discs"]["x"]) < 400 and len(drawn["lines"]["from"]) < MOST_LINES
    assert sum(drawn["lines"]["bytes"]) == found[0]["byte_hops"]
    assert sum(drawn["lines"]["links"]) + drawn["idle"] == drawn["links"] == 400 * 38
    assert np.all(np.array(drawn["lines"]["peak"]) >= np.array(drawn["lines"]["busy"]))


def test_it_shows_jobs_their_nodes_and_rails(tmp_path):
    """Two jobs on nodes of two rails: ranks, nodes and ends of each, the ranks on each switch, and what each
    rail carries; texts of any alphabet are text."""
    jobs = [
        {"ranks": 10, "workload": {"type": "alltoall", "block_bytes": 9000}},
        {"ranks": 14, "workload": {"type": "traffic", "pattern": "shift", "shift": 5, "message_bytes": 9}},
    ]
    title = "Größe \u6ce2 \"quoted\" 'single' & <script>alert(1)</script>"
    points, found = simulated(
        tmp_path,
        title=title,
        workload={"type": "jobs", "jobs": jobs},
        ranks=None,
        topology={"type": "fat_tree", "down": [3, 4], "up": [3]},
        machine={"nics_per_node": 2, "ranks_per_node": 2, "nic_attachment": "rails"},
    )
    text, page = page_of(tmp_path, points, found)
    assert page["title"] == title and text.count("<script") == 2
    assert f"<h1>{html.escape(title)}</h1>" in text
    (drawn,) = page["simulations"]
    first, second = drawn["jobs"]
    assert (first["ranks"], first["nodes"], first["which"]) == (10, 5, "0-4")
    assert (second["name"], second["nodes"], second["which"]) == ("traffic shift", 7, "5-11")
    assert [first["end"], second["end"]] == found[0]["job_finish"].values.tolist()
    held = dict(zip(drawn["discs"]["name"], drawn["held"], strict=True))
    assert held["rail 0, level 1, 1"] == held["rail 1, level 1, 1"] == [[0, 4], [1, 2]]
    assert held["rail 0, level 2, 0"] == []
    assert [nic["bytes"] for nic in drawn["nics"]] == found[0]["nic_bytes"].values.tolist()
    busy = found[0]["link_busy"].values.reshape(2, -1) / found[0]["time"].item()
    for nic, of_rail in zip(drawn["nics"], busy, strict=True):
        assert nic["busy"] == pytest.approx(of_rail.mean(), rel=1e-6)
        assert nic["peak"] == pytest.approx(of_rail.max(), rel=1e-6)
    if browser.executable():
        with browser.Browser() as shown:
            shown.open(tmp_path / "page.html", ready="document.getElementById('jobs')?.rows.length === 2")
            assert shown.evaluate("document.querySelector('h1').textContent") == title
            assert shown.evaluate("document.getElementById('jobs').rows[1].textContent").startswith(
                "2 traffic shift145-11"
            )
            assert shown.evaluate("document.getElementById('nics').rows.length") == 2
            before = shown.screenshot()
            shown.evaluate("document.getElementById('by-job').click()")
            assert not shown.errors and np.any(shown.screenshot() != before)


@pytest.mark.parametrize("topology", NETWORKS, ids=IDS)
def test_layouts_have_a_place_of_its_own_for_each_disc(topology):
    """Discs have distinct positions and names, and the number of lines is limited."""
    links = np.stack(topology.links(), axis=1)
    layout = layout_of(topology, links)
    positions = np.round(np.column_stack([layout.x, layout.y]), 9)
    assert len(np.unique(positions, axis=0)) == len(layout.names) == len(set(layout.names))
    assert set(layout.disc[links[:, :2].ravel()]) == set(range(len(layout.names)))
    assert len(layout.bow) == len(topology.kinds)
    ends = np.column_stack([layout.disc[links[:, :2]], links[:, 2]])
    assert len(np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)) <= MOST_LINES


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"record": {}}, "^case: picture.kind = 'network' needs record.link_bins"),
        ({"topology": {"type": "crossbar", "nodes": 24}}, "and crossbar of 24 nodes has none"),
        ({"sweep": {"ranks": list(range(2, 27))}, "topology": "torus-M"}, "24 simulations at most"),
    ],
)
def test_pages_that_cannot_be(tmp_path, changes, text):
    with pytest.raises(ConfigError, match=text):
        require_drawable(points_of_case(tmp_path, **changes))


def test_a_page_needs_a_message_that_crosses_a_link(tmp_path):
    points, found = simulated(tmp_path, ranks=2)
    with pytest.raises(ConfigError, match="no message crossed a link"):
        network_page(tmp_path / "page.html", points, found)

"""Titles and names of users appear as texts on all pages, whatever they contain."""

import pytest

from halcyon.config.points import expand_case
from halcyon.config.yaml_source import Source
from halcyon.plot.network_comparison import comparison_page
from halcyon.plot.network_page.page import network_page
from halcyon.simulate.many import simulate_all
from halcyon_validation.check import Check, Outcome, Table
from halcyon_validation.report import write_report
from tests.plot.conftest import HOSTILE

READY = "document.readyState === 'complete' && document.body !== null && location.protocol === 'file:'"


def simulated_page(path, cache):
    case = {
        "title": HOSTILE,
        "workload": {"type": "alltoall", "block_bytes": 50_000},
        "ranks": 24,
        "topology": {"type": "torus", "sizes": [4, 3], "nodes_per_switch": 2},
        "series": [{"name": HOSTILE}, {"name": "other", "routing": "valiant"}],
        "record": {"link_bins": 4},
        "picture": {"kind": "network", "subtitle": HOSTILE},
    }
    cache.setenv("HALCYON_CACHE", str(path.parent / "cache"))
    points = expand_case(Source("case", case), path.parent)
    network_page(path, points, simulate_all(points))
    return 3  # title, name of a series, subtitle


class Row(dict):
    """A row of a comparison; numbers that a test does not need are 1."""

    def __missing__(self, _):
        return 1.0


def compared_page(path, _):
    texts = dict.fromkeys(("network", "routing", "description", "approximate"), HOSTILE)
    row = Row(texts | dict.fromkeys(("nodes", "switches", "cables", "most_ports"), 4))
    comparison_page(path, HOSTILE, [row], equal_bisection=False)
    return 5


def report_page(path, _):
    draw = lambda file: file.write_bytes(b"")  # noqa: E731
    check = Check(HOSTILE, 1.0, 0.0, 2.0, HOSTILE, HOSTILE)
    write_report(
        path,
        {HOSTILE: Outcome([check], {HOSTILE: draw}, {HOSTILE: Table([HOSTILE], [[HOSTILE]])})},
        title=HOSTILE,
    )
    return 9


@pytest.mark.parametrize("page", [simulated_page, compared_page, report_page])
def test_texts_of_users_are_texts(chromium, tmp_path, monkeypatch, page):
    path = tmp_path / "page.html"
    least = page(path, monkeypatch)
    chromium.open(path, ready=READY)
    assert chromium.evaluate("document.title") == HOSTILE
    assert chromium.evaluate("document.querySelector('h1').textContent") == HOSTILE
    words = HOSTILE.split()
    shown = " ".join(
        chromium.evaluate(
            "document.body.innerText + [...document.querySelectorAll('option')].map((each) => each.text)"
        ).split()
    )
    assert shown.count(" ".join(words)) >= least
    scripts = chromium.evaluate("[...document.scripts].map((each) => each.textContent.trim())")
    assert "alert(1)" not in scripts

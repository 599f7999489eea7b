"""Figures of the benchmark of overlap: panels, values and file formats."""

import pytest

from halcyon_bench.overlap_tables import summary
from halcyon_bench.pictures.overlap import _figure, overlap_plot
from tests.bench.overlaps import job

JOBS = [job("1x2", 2, blocking_s=8.0, shortest_s=4.0), job("2x2", 4, blocking_s=4.0, shortest_s=3.0)]


def axes_titled(figure, start):
    """The panel whose title starts with this text."""
    (axes,) = (each for each in figure.axes if each.get_title(loc="left").startswith(start))
    return axes


def heights(axes):
    """Heights of the bars by group of bars."""
    return [[bar.get_height() for bar in bars] for bars in axes.containers]


def test_one_job_by_groups():
    """The panels of one job have a line per method and progress, and the upper bound."""
    figure = _figure(JOBS[:1], summary(JOBS[:1]))
    assert len(figure.axes) == 2
    for name, key in (("1x2 ranks: hidden", "hidden"), ("1x2 ranks: CHR", "chr")):
        drawn = {tuple(line.get_ydata()) for line in axes_titled(figure, name).lines}
        for method in ("isend_irecv", "ialltoallv"):
            for by in ("none", "thread auto"):
                rows = [r for r in JOBS[0]["rows"] if (r["method"], r["progress"]) == (method, by)]
                assert tuple(row[key] for row in rows) in drawn
        assert (0, 1 - 1 / 2, 1 - 1 / 3) in drawn
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["none", "thread auto", "isend_irecv", "ialltoallv", "upper bound: ideal pipeline"]


def test_jobs_by_sets():
    """The panels of several jobs have the times, speed-ups and efficiencies of the summary."""
    figure = _figure(JOBS, summary(JOBS))
    assert len(figure.axes) == 8 + 4
    total = axes_titled(figure, "total")
    assert heights(total) == [[8000, 4000], [4000, 3000], [4000, 3000]]  # ms
    assert [text.get_text() for text in total.get_xticklabels()] == ["1x2", "2x2"]
    assert heights(axes_titled(figure, "computation")) == [[2000, 1000], [2500, 1250], [2500, 1250]]
    assert heights(axes_titled(figure, "speed-up")) == [[1, 2], [2, 8 / 3], [2, 8 / 3]]
    assert heights(axes_titled(figure, "parallel efficiency")) == [[1, 1], [2, 4 / 3], [2, 4 / 3]]
    parts = axes_titled(figure, "blocking collective")
    assert heights(parts) == [[2000, 1000], [6000, 3000]]
    assert [text.get_text() for text in parts.texts] == ["75 %", "75 %"]


def test_what_transforms_take_of_a_step():
    """Measured steps of the model add a row of panels."""
    jobs = [job("1x2", 2, blocking_s=8.0, shortest_s=4.0, with_steps=True)]
    assert len(_figure(jobs, summary(jobs)).axes) == 2 + 2
    jobs.append(job("2x2", 4, blocking_s=4.0, shortest_s=3.0, with_steps=True))
    figure = _figure(jobs, summary(jobs))
    assert len(figure.axes) == 8 + 2 + 4
    assert heights(axes_titled(figure, "share of transforms")) == [[8 / 20, 4 / 16], [4 / 16, 3 / 15]]
    step = axes_titled(figure, "a step of the spectral model")
    assert heights(step) == [[20000, 16000], [16000, 15000]]  # ms
    texts = [text.get_text() for text in step.get_legend().get_texts()]
    assert texts == ["blocking collective", "isend_irecv"]


def test_what_is_too_little_to_tell_is_not_drawn():
    """Shares that were not measurable are gaps."""
    jobs = [{**one, "rows": [{**row, "hidden": None} for row in one["rows"]]} for one in JOBS]
    figure = _figure(jobs, summary(jobs))
    (line, *_) = axes_titled(figure, "1x2 ranks: hidden").lines[1:]
    assert all(height != height for height in line.get_ydata())
    assert axes_titled(figure, "1x2 ranks: hidden").get_ylim() == (-0.05, 1.05)


def test_losses_beyond_all_are_cut_and_the_title_says_so():
    """Shares below -1 are not drawn, and the title says that the axis is cut."""
    slower = job("1x2", 2, blocking_s=8.0, shortest_s=20.0)
    axes = axes_titled(_figure([slower], summary([slower])), "1x2 ranks: hidden")
    assert axes.get_title(loc="left").endswith("cut at -1") and axes.get_ylim()[0] > -1.1
    assert (
        not axes_titled(_figure(JOBS[:1], []), "1x2 ranks: hidden")
        .get_title(loc="left")
        .endswith("cut at -1")
    )


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_formats(tmp_path, suffix, start):
    path = tmp_path / f"overlap.{suffix}"
    overlap_plot(path, JOBS, summary(JOBS))
    assert path.read_bytes().startswith(start)

"""The figure of a plan lies within its frame, with ranks and times at its axes."""

import pytest

from halcyon.plan.wave import WaveModel
from halcyon.plot import style
from halcyon.plot.plan import plan_plot

RANKS = (64, 128, 1000, 20000)


@pytest.fixture
def figure(tmp_path, monkeypatch):
    """The figure drawn by `plan_plot`."""
    drawn, new_figure = [], style.new_figure
    monkeypatch.setattr(style, "new_figure", lambda height: drawn.append(new_figure(height)) or drawn[0])
    rows = [
        {
            "ranks": ranks,
            "computation_s": 11 / ranks,
            "exchange_s": {"in order": 2e-3, "at once": 1e-3},
            "ways": {
                "in order": {"step_s": 11 / ranks + 2e-3, "efficiency": 0.9},
                "at once": {"step_s": 11 / ranks + 1e-3, "efficiency": 1.0},
            },
            "approximate": "",
        }
        for ranks in RANKS
    ]
    plan_plot(tmp_path / "plan.png", WaveModel(mesh="G7", cells=163842), rows)
    drawn[0].canvas.draw()
    return drawn[0]


def test_a_plan_is_drawn_within_its_frame(figure):
    for axes in figure.axes:
        box = axes.get_tightbbox()
        assert box.x0 >= 0 and box.x1 <= figure.bbox.x1 and box.y0 >= 0
        low, high = axes.get_ylim()
        for line in axes.lines:
            assert low < min(line.get_ydata()) <= max(line.get_ydata()) < high


def test_the_axes_of_a_plan_have_numbers_of_ranks_and_times(figure):
    for axes in figure.axes:
        assert [text.get_text() for text in axes.get_xticklabels()] == ["64", "128", "1,000", "20,000"]
    times = [text.get_text() for text in figure.axes[0].get_yticklabels(which="both")]
    assert "10 ms" in times and "50 ms" in times

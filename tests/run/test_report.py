"""The plan that a run prints before it starts, and the summary at its end."""

from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from halcyon.base import ConfigError, RunError
from halcyon.config import Case
from halcyon.config.mesh_file import count_cells
from halcyon.config.yaml_source import Source
from halcyon.run.folder import prepare_folder
from halcyon.run.models.wave import Model
from halcyon.run.prepare import check_ranks
from halcyon.run.report import RunSummary, figures, halo_exchange_text, plan_text, summary_text
from halcyon.transform import Hiding


def plan(*, background=True, interval="none"):
    """The text of the plan of a run."""
    case = SimpleNamespace(
        path=Path("case.yaml"),
        folder=Path("case.out"),
        time=SimpleNamespace(start=datetime(2022, 9, 1), end=datetime(2022, 9, 2)),
        io=SimpleNamespace(background=background),
        restart=SimpleNamespace(interval=interval),
    )
    return plan_text(case, [("cells", "10,000")], "box: 1 of 2 ranks writes")


def wave_plan_rows(model, bands=((35, 1),)):
    """Rows of the plan of a wave run: 10,000 cells, 24 hours in source steps of 1200 s, on 2 ranks."""
    found = object.__new__(Model)
    spectrum = SimpleNamespace(frequencies=35, directions=36)
    found.case = SimpleNamespace(mesh=SimpleNamespace(spectrum=spectrum), duration_s=86400.0)
    found.mesh = SimpleNamespace(n_items=(10_000, 30_000, 20_000))
    found.steps = SimpleNamespace(
        step_s=600.0, source_step_s=1200.0, n_steps=72, transport_steps=2, bands=bands
    )
    found.comm = SimpleNamespace(size=2, allreduce=lambda value: value)
    found.model, found.boundary, found.forcing = model, None, SimpleNamespace(storms=[("Irene", "9 km")])
    return found.plan_rows()


def test_plan():
    listed = wave_plan_rows(SimpleNamespace(memory_bytes=123e6, exchange="isend_irecv"))
    rows = dict(listed)
    assert rows["cells"] == "10,000"
    assert "1,260 bins" in rows["spectrum"]
    assert rows["steps"] == "144 transport steps of 600 s, 72 source steps of 1200 s"
    assert rows["memory"] == "123.0 MB"
    assert listed[2:4] == [("storm", "Irene"), ("", "9 km")]
    bands = [(10, 3), (25, 1)]
    rows = dict(wave_plan_rows(SimpleNamespace(memory_bytes=123e6, exchange="isend_irecv"), bands))
    assert (
        rows["steps"]
        == "144 transport steps of 600 s, in 1 to 3 substeps by frequency band, 72 source steps of 1200 s"
    )
    text = plan(interval=21600.0)
    assert "cells      10,000" in text
    assert "files      box: 1 of 2 ranks writes, in the background" in text
    assert "restart    every 6 h, at the start and the end, and when stopped by a signal" in text
    text = plan(background=False)
    assert "writes, between time steps" in text
    assert "restart    only when stopped by a signal" in text


def test_exchange_of_the_plan():
    times = "shared 6.5, isend_irecv 7.0 us, best of 40 on the slowest rank"
    measured = "time per halo exchange [us]: shared 6.5, isend_irecv 7.0"
    for description, expected in (
        ("ineighbor", "method ineighbor"),
        (f"auto: shared ({times})", f"method shared, the fastest; {measured}"),
        (
            f"auto: isend_irecv ({times}, preferred since it overlaps; not ialltoallv, put)",
            "method isend_irecv, which overlaps with computation and is nearly as fast as the fastest; "
            f"{measured}; not supported: ialltoallv, put",
        ),
    ):
        assert halo_exchange_text(description, 2) == expected
    assert halo_exchange_text("auto: isend_irecv (one rank)", 1) == "none (one rank)"


def test_outcome(tmp_path):
    file = tmp_path / "fields.nc"
    file.write_bytes(bytes(2500))
    parts = {"transport": 4.0, "sources": 5.0, "exchange": 0.5, "output": 0.25}
    lines = summary_text(RunSummary(10.0, parts, 0.6, 86400.0, 12.34, [file])).splitlines()
    assert lines[1].split() == ["transport", "4.00", "s", "40", "%"]
    assert lines[5].split() == ["other", "0.25", "s", "2", "%"]
    assert "communication 6.0 % of wall time, 8,640 x real time, maximum Hs 12.3 m" in lines
    assert lines[-1].endswith("fields.nc  2.5 kB")
    assert not any("overlapped" in line for line in lines)


def test_what_was_written_behind(tmp_path):
    """The summary and the figures have the share of background output for which the run did not wait."""
    summary = RunSummary(10.0, {}, 0.0, 86400.0, 12.34, [], background_s=2.0, write_wait_s=0.5)
    expected = "I/O 75 % overlapped: 2.00 s in the background, of which the run waited 0.50 s"
    assert expected in summary_text(summary).splitlines()
    for wait_s in (0.0, 0.009):
        hidden = RunSummary(10.0, {}, 0.0, 86400.0, 12.34, [], background_s=2.0, write_wait_s=wait_s)
        assert "I/O fully overlapped (2.00 s in the background)" in summary_text(hidden).splitlines()
    found = figures(summary, 600.0)
    assert (found["files_behind_s"], found["files_waited_s"]) == (2.0, 0.5)


def test_what_hid_behind_transforms():
    """The summary and the figures have the share of transform exchanges hidden by overlap."""
    summary = RunSummary(10.0, {}, 0.0, 86400.0, None, [], exchange="3 groups, poll", hidden_share=0.436)
    assert (
        "transform exchange: 3 groups, poll; 44 % overlapped with computation"
        in summary_text(summary).splitlines()
    )
    found = figures(summary, 600.0)
    assert (found["exchange"], found["exchange_hidden"]) == ("3 groups, poll", 0.436)
    assert "exchange_of_a_step" not in found
    alone = RunSummary(10.0, {}, 0.0, 86400.0, None, [], exchange="1 group, none")
    assert "transform exchange: 1 group, none" in summary_text(alone).splitlines()
    assert figures(alone, 600.0)["exchange_hidden"] is None


def test_what_hid_by_wall_clock():
    """The summary and the figures have the times of a step from which the hidden share by wall clock
    follows."""
    step = Hiding(work_s=0.010, blocking_s=0.030, pipelined_s=0.015, ceiling=0.8)
    summary = RunSummary(
        10.0, {}, 0.0, 86400.0, None, [], exchange="3 groups, poll", hidden_share=0.4, transform_overlap=step
    )
    expected = "transforms per step: 10.00 ms of work, 30.00 blocking, 15.00 pipelined: by wall clock"
    expected += " 75 % hidden (at most 80 % possible), efficiency 67 %"
    assert expected in summary_text(summary).splitlines()
    found = figures(summary, 600.0)["exchange_of_a_step"]
    assert (found["hidden"], found["ceiling"], found["efficiency"]) == (0.75, 0.8, 0.666667)
    assert (found["work_s"], found["blocking_s"], found["pipelined_s"]) == (0.010, 0.030, 0.015)


def test_what_is_too_little_to_tell():
    """An exchange too short to measure has no hidden share."""
    step = Hiding(work_s=0.0100, blocking_s=0.0101, pipelined_s=0.015, ceiling=0.8)
    summary = RunSummary(10.0, {}, 0.0, 86400.0, None, [], exchange="3 groups, poll", transform_overlap=step)
    lines = summary_text(summary).splitlines()
    assert "transform exchange: 3 groups, poll; too short to measure its overlap" in lines
    assert any("by wall clock hidden share not measurable (at most 80 %" in line for line in lines)
    found = figures(summary, 600.0)
    assert found["exchange_hidden"] is None and found["exchange_of_a_step"]["hidden"] is None


def test_ranks_and_meshes(tmp_path):
    check_ranks(3, 3)
    with pytest.raises(
        ConfigError, match=r"4 ranks are more than the mesh has cells \(3\)\. Start at most 3"
    ):
        check_ranks(4, 3)
    path = tmp_path / "mesh.nc"
    path.write_text("no netCDF")
    with pytest.raises(ConfigError, match="cannot be read as netCDF"):
        count_cells(path)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "case.out").touch()
    case = Case.model_construct().with_location(tmp_path / "case.yaml", Source("case.yaml", None))
    object.__setattr__(case, "output", type("Output", (), {"folder": None}))
    with pytest.raises(RunError, match=r"case\.out cannot be written: .* Give another folder by --output\."):
        prepare_folder(case)

"""Size of the page of a run, time from a finished run to its picture, and frames per second in a browser.

The size is that of a field of 163,842 cells and 40 times, a superposition of travelling waves and storms with
noise in the last digits. Frames are counted in headless Chromium with software rendering while the globe of
the demo, which must have been run (make demo), is turned. Targets: 10 MB, 10 s and 10 frames per second.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import xarray

from halcyon import mesh
from halcyon.mesh.sphere import to_lonlat
from halcyon.mesh.ugrid import face_nodes
from halcyon.plot.view.page import view_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import rows
from tests.support.browser import Browser, executable

MB, N_TIMES, SECONDS = 1e6, 40, 3.0
DEMO = Path(__file__).resolve().parents[2] / "examples" / "hinnamnor" / "case.out"
TURN = """new Promise((done) => {
  const map = document.getElementById("overlay"), stage = document.getElementById("stage");
  const send = (type, clientX) => map.dispatchEvent(new PointerEvent(type, { clientX, clientY: 300 }));
  map.setPointerCapture = () => {};
  const begin = performance.now(), first = Number(stage.dataset.frames);
  let x = 300;
  send("pointerdown", x);
  const turn = () => {
    const seconds = (performance.now() - begin) / 1000;
    if (seconds > SECONDS) return done((Number(stage.dataset.frames) - first) / seconds);
    send("pointermove", (x += 3));
    requestAnimationFrame(turn);
  };
  turn();
})"""


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--run", type=Path, default=DEMO, help="folder of a finished run; default: of make demo"
    )
    parser.add_argument(
        "--alone", action="store_true", help="give the browser the cores before other programs (root)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = demo_rows(options.run, Path(folder), options.alone)
        if not options.quick:
            found += size_rows(Path(folder), options.alone)
    rows.report(found, options.json)


def write_run(folder, data):
    folder.mkdir()
    data.to_netcdf(folder / "fields_20220901T0000.nc")
    (folder / "run.json").write_text(json.dumps({"files": ["fields_20220901T0000.nc"]}))
    return folder


def fields_of(grid, n_times, names):
    """Fields on the cells of a mesh: waves that travel, two storms, and noise of a thousandth."""
    lon, lat = to_lonlat(grid.cell_points)
    nodes = to_lonlat(grid.vertex_points)
    corners = face_nodes(grid, np.arange(grid.n_cells), int(np.diff(grid.cell_offsets).max()))
    random, hours = np.random.default_rng(1), np.arange(n_times)
    x, y = np.radians(lon)[None], np.radians(lat)[None]
    shared = sum(
        np.cos(k * x - 0.05 * k * hours[:, None] + random.uniform(0, 6)) * np.cos(m * y) / (k + m)
        for k, m in random.integers(1, 12, (20, 2))
    )
    for at in ((2.0, 0.4), (-1.0, -0.5)):
        distance = np.hypot(x - at[0] - 0.004 * hours[:, None], y - at[1])
        shared = shared + 4 * np.exp(-((distance / 0.1) ** 2))
    fields = {
        name: (("time", "face"), (3 + shared + 0.001 * random.normal(size=shared.shape)).astype("f4"))
        for name in names
    }
    return xarray.Dataset(
        {
            "node_lon": ("node", nodes[0]),
            "node_lat": ("node", nodes[1]),
            "face_nodes": (("face", "max_nodes"), corners),
            "lon": ("face", lon),
            "lat": ("face", lat),
            **fields,
        },
        {"time": np.datetime64("2022-09-01T00", "ns") + hours * np.timedelta64(1, "h")},
    )


def size_rows(folder, alone):
    run = write_run(folder / "large.out", fields_of(mesh.uniform(7), N_TIMES, ["significant_height"]))
    begin = time.process_time()
    view_page(folder / "large.html", [run], report=print)
    seconds = time.process_time() - begin
    size = (folder / "large.html").stat().st_size / MB
    found = [
        rows.row("page of one variable of 163,842 cells and 40 times", size, 10, "the aim", "MB", bar=1),
        rows.row("CPU time of writing it", seconds, 10, "the aim", "s", bar=1),
    ]
    return found + browser_rows(folder / "large.html", "163,842 cells", alone, bar=0)


def demo_rows(run, folder, alone):
    """The page of the demo's run: from a new process to the picture, then frames."""
    begin, cpu = time.perf_counter(), cpu_of_children()
    command = [
        sys.executable,
        "-m",
        "halcyon",
        "view",
        str(run),
        "--no-open",
        "--output",
        folder / "demo.html",
    ]
    subprocess.run(command, check=True)
    written = time.perf_counter() - begin, cpu_of_children() - cpu
    found = browser_rows(folder / "demo.html", "the demo", alone, bar=1, before=written)
    return [
        rows.row("page of the demo", (folder / "demo.html").stat().st_size / MB, 10, "the aim", "MB", bar=1),
        *found,
    ]


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def browser_rows(page, name, alone, *, bar, before=(0.0, 0.0)):
    """Wall time to the first picture, and frames per second while the globe is turned."""
    if executable() is None:
        print("Chromium is not installed: no frames are counted")
        return []
    with Browser(1000, 700) as browser:
        begin = time.perf_counter()
        browser.open(page)
        wall_s, cpu_s = before[0] + time.perf_counter() - begin, before[1] + browser.cpu_seconds()
        browser.evaluate(TURN.replace("SECONDS", "1.5"))  # warm
        if alone:
            browser.precede_others()
        cpu = browser.cpu_seconds()
        frames = browser.evaluate(TURN.replace("SECONDS", str(SECONDS)))
        cpu = (browser.cpu_seconds() - cpu) / (frames * SECONDS)
    return [
        rows.row(f"{name}: wall time to the picture", wall_s, 10, "the aim", "s", bar=0),
        rows.row(f"{name}: CPU time to the picture", cpu_s, 10, "the aim", "s", bar=bar),
        rows.row(f"{name}: CPU time per frame", 1e3 * cpu, 100, "the aim", "ms", bar=bar),
        rows.row(
            f"{name}: frames, software rendering", frames, 10, "the aim", "1/s", bar=bar, more_is_better=True
        ),
    ]


if __name__ == "__main__":
    main()

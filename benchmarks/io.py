"""Writing and reading a field in every layout, compared with the published method of GRIST, rewritten in C.

The published method is measured with OMPIO, the default of Open MPI, and with ROMIO, which Halcyon uses. It
does not flush its file to disk; Halcyon does, and adds checksums. Files are read from the page cache.
`--growth` adds 48 ranks with groups of up to 48, and 1 to 48 ranks (table 2 of the paper on GRIST's GND
core).
"""

import subprocess
import tempfile
from pathlib import Path

import rows
from halcyon_bench.io_cases import Case
from halcyon_bench.io_layouts import on_ranks, table
from halcyon_bench.io_methods import layout_names

PEERS = Path(__file__).parent / "peers"
PROGRAM = [str(PEERS / "io_published.py")]
PUBLISHED = ["published direct", "published groups of 8"]
MODES = {"ROMIO": "romio321", "OMPIO": "ompio"}
# Thresholds by mesh and number of levels.
BARS = {("G7", 6): {"write": 30, "read": 10}, ("G7", 30): {"write": 20, "read": 8}}
GROUP_BAR, BEST_BAR = 5, 0.9  # over the published method with groups of 8; over the best layout
GROUPS = [f"groups of {n}" for n in (2, 4, 8, 12, 16, 24, 36, 48)]
NO_BARS = {"write": 0, "read": 0}


def main():
    options = command_line()
    cases = [Case("G4", 6, "shuffled", 4)] if options.quick else cases_of(options.meshes)
    result_rows, figures = [], {}
    with tempfile.TemporaryDirectory() as folder:
        measure = Measurement(compiled(Path(folder)), options.repetitions, options.folder)
        for case in cases:
            figures[str(case)] = times = measure.all_layouts(case)
            result_rows += layout_rows(case, times)
        growth = growth_of(measure) if options.growth else {}
    rows.report(result_rows, options.json)
    if options.plot is not None:
        draw(options.plot, figures, growth)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--meshes", nargs="+", default=["G7", "G8", "G8X4"], metavar="MESH")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N")
    parser.add_argument("--growth", action="store_true", help="also 48 ranks, and 1 to 48 ranks")
    parser.add_argument("--folder", type=Path, help="folder of the written files")
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="folder for figures")
    return parser.parse_args()


def cases_of(meshes):
    return [
        Case(mesh, levels, order, items=items)
        for mesh in meshes
        for levels in ((6, 30) if mesh == "G7" else (30,))
        for items in (("cells", "all") if mesh == "G7" else ("cells",))
        for order in ("shuffled", "natural")
    ]


def compiled(folder):
    """Compiles the published method as a library."""
    library = folder / "io_published.so"
    source = str(PEERS / "io_published.c")
    subprocess.run(["mpicc", "-O2", "-shared", "-fPIC", "-o", library, source, "-lpnetcdf"], check=True)
    return library


class Measurement:
    """Measures layouts of Halcyon, and the published layouts of the compiled library."""

    def __init__(self, library, repetitions, folder):
        self._library, self._repetitions, self._folder = library, repetitions, folder

    def all_layouts(self, case):
        """Times of all layouts with ROMIO, and of the published layouts also with OMPIO, named `...,
        OMPIO`."""
        times = self(case, [*PUBLISHED, *layout_names(case.ranks)], "ROMIO")
        times |= {
            f"{name}, OMPIO": layout_times for name, layout_times in self(case, PUBLISHED, "OMPIO").items()
        }
        print(f"{case}\n{table(times)}\n", flush=True)
        return times

    def __call__(self, case, names, mode):
        return on_ranks(
            case,
            names,
            repetitions=self._repetitions,
            folder=self._folder,
            program=PROGRAM,
            environment={"OMPI_MCA_io": MODES[mode], "HALCYON_PUBLISHED": str(self._library)},
        )


def layout_rows(case, times):
    """Rows of the layout `auto` compared with the published layouts and Halcyon's others. Items of G7 in
    `shuffled` order have thresholds."""
    thresholds = BARS.get((case.mesh, case.levels)) if case.order == "shuffled" else None
    result_rows = []
    ours = {name: layout_times for name, layout_times in times.items() if not name.startswith("published")}
    auto, groups = ours["auto"], "groups of 8" if case.ranks >= 8 else "groups of 2"
    others = {
        "published direct, OMPIO": thresholds or NO_BARS,
        "published direct": thresholds or NO_BARS,
        "direct": NO_BARS,
        "published groups of 8": dict.fromkeys(NO_BARS, GROUP_BAR) if thresholds else NO_BARS,
        groups: NO_BARS,
    }
    for part in ("write", "read"):
        claim = f"{part}, {case.mesh} x {case.levels}, {case.items}, {case.order}, auto"
        for name, bar in others.items():
            result_rows.append(rows.row(claim, auto[part], times[name][part], name, "s", bar=bar[part]))
            cpu = f"{part}_cpu"
            result_rows.append(rows.row(f"{claim}, CPU", auto[cpu], times[name][cpu], name, "s", bar=0))
        best = min(ours, key=lambda name, part=part: ours[name][part])
        result_rows.append(
            rows.row(claim, auto[part], ours[best][part], f"the best: {best}", "s", bar=BEST_BAR)
        )
    return result_rows


def growth_of(measure):
    """Times of 48 ranks in groups of 1 to 48 (`groups`), and of 1 to 48 ranks (`by_ranks`)."""
    ours = ["direct", *GROUPS, "box of 2", "auto"]
    published = ["published direct", *(f"published {name}" for name in GROUPS)]
    groups = measure(Case(ranks=48), [*ours, *published], "ROMIO")
    print(f"{Case(ranks=48)}\n{table(groups)}\n", flush=True)
    by_ranks = {}
    for ranks in (1, 8, 16, 24, 48):
        by_ranks[ranks] = measure(Case(levels=30, ranks=ranks), [*PUBLISHED, "direct", "auto"], "ROMIO")
        print(f"{Case(levels=30, ranks=ranks)}\n{table(by_ranks[ranks])}\n", flush=True)
    return {"groups": groups, "by_ranks": by_ranks}


def draw(folder, figures, growth):
    from halcyon_bench.pictures.io_layouts import groups_plot, layouts_plot, ranks_plot

    folder.mkdir(parents=True, exist_ok=True)
    layouts_plot(folder / "io_layouts.png", figures)
    if growth:
        groups_plot(folder / "io_groups.png", growth["groups"], str(Case(ranks=48)))
        ranks_plot(folder / "io_ranks.png", growth["by_ranks"], "G7 x 30, shuffled")


if __name__ == "__main__":
    main()

"""Part of `mesh.py`: FVWAM's meshes by the command line, compared with the cell counts of its paper."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rows
from halcyon.mesh import read_mpas

EXAMPLES = Path(__file__).parents[1] / "examples/meshes"
REGIONAL, GLOBAL = 283_517, 6_160_386  # cells of FVWAM's meshes
COARSER = 2  # factor of the spacing of the global mesh here
HALF = ["--set", f"mesh.spacing.background={COARSER * 8232.2}"]


def example_rows():
    """Cell counts compared with FVWAM's, and an estimate of the time of the global mesh at full resolution,
    proportional to the cells as for uniform meshes."""
    regional, regional_s = _made("fvwam_regional")
    half, half_s = _made("fvwam_global", *HALF)
    print(f"fvwam_regional: {regional:,} cells in {regional_s:.0f} s")
    print(f"fvwam_global with {COARSER} times its spacing: {half:,} cells in {half_s:.0f} s;")
    full_s = half_s * GLOBAL / half
    print(f"at full resolution about {COARSER**2 * half:,} cells (FVWAM's: {GLOBAL:,}) in {full_s:.0f} s\n")
    return [
        _count_row("FVWAM's regional mesh", regional, REGIONAL),
        _count_row("FVWAM's global mesh, at half", COARSER**2 * half, GLOBAL),
    ]


def _count_row(claim, ours, theirs):
    """The difference of a cell count from FVWAM's, in per cent, for a mesh generated with the same
    spacing."""
    return rows.row(f"{claim}: cells off", abs(ours / theirs - 1) * 100, 5, "5 % of FVWAM's", "%", bar=1)


def _made(name, *options):
    """The number of cells of the mesh of an example, and the time [s] of the command."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "mesh.nc"
        before = time.perf_counter()
        command = [sys.executable, "-m", "halcyon", "mesh", str(EXAMPLES / f"{name}.yaml")]
        subprocess.run([*command, "--output", str(output), *options], check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - before
        return read_mpas(str(output)).n_cells, seconds

"""The meshes of `examples/meshes` made by the command line, beside published counts, for `benchmarks/mesh.py`."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rows

from halcyon.mesh import read_mpas

EXAMPLES = Path(__file__).parents[1] / "examples/meshes"
FVWAM_CELLS = {"fvwam_region": 283_517, "fvwam_global_half": 6.16e6 / 4}  # by name of the file


def example_rows():
    """Prints cells and wall time of every example; rows for those whose count FVWAM's paper gives."""
    found = []
    for path in sorted(EXAMPLES.glob("*.yaml")):
        n_cells, seconds = _made(path)
        print(f"{path.stem:<24}{n_cells:>12,} cells{seconds:>9.1f} s{n_cells / seconds:>12,.0f} cells/s")
        if path.stem in FVWAM_CELLS:
            claim = f"{path.stem}: thousand cells"
            theirs = FVWAM_CELLS[path.stem] / 1e3
            found.append(rows.row(claim, n_cells / 1e3, theirs, "FVWAM's", "1000", bar=0))
    return found


def _made(path):
    """The cells of the mesh of a file, and the time [s] from the command to the end."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "mesh.nc"
        before = time.perf_counter()
        command = [sys.executable, "-m", "halcyon", "mesh", str(path), "--output", str(output)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return read_mpas(str(output)).n_cells, time.perf_counter() - before

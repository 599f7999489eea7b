"""The modules of Halcyon keep to the layers of layers.txt, and tools/check_layers.py finds violations.

A module may use modules of lower layers only.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LAYERS = """# layer modules
3 python cli fortran
2 halo
1 comm mesh
0 base
header mpi.h comm
"""
SOUND = {  # files without violations
    "cpp/halcyon/base/error.hpp": "#include <string>\n",
    "cpp/halcyon/comm/rank.hpp": '#include <mpi.h>\n#include "halcyon/base/error.hpp"\n',
    "cpp/halcyon/mesh/mesh.hpp": '#include "halcyon/mesh/other.hpp"\n',
    "python/halcyon/__init__.py": '__version__ = "1"\n',
    "python/halcyon/halo.py": "from halcyon import __version__\nfrom ._core import comm\nimport numpy\n",
    "fortran/halcyon_abi.f90": "module halcyon_abi\n  use, intrinsic :: iso_c_binding\nend module\n",
    "fortran/halcyon.f90": "module halcyon\n  use halcyon_abi\nend module\n",
    "python/halcyon/cli/__init__.py": "from ..halo import exchange\nfrom . import command\n",
    "python/halcyon/cli/command.py": "def run():\n    from halcyon.halo import exchange\n    import json\n",
    "python/halcyon/comm.py": "def world():\n    from mpi4py import MPI\n    return MPI\n",
    "python/halcyon/cli/make.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
    "    from halcyon.cli.spec import Spec\n",
    "python/halcyon/cli/spec.py": "from halcyon.cli.make import make\n",
}
VIOLATIONS = {  # kind: file that is added or replaced, its text, and part of the message
    "an upper floor": (
        "cpp/halcyon/base/a.hpp",
        '\n#include "halcyon/mesh/mesh.hpp"\n',
        "a.hpp:2: 'base' (layer 0)",
    ),
    "the same floor": (
        "cpp/halcyon/mesh/a.cpp",
        '#include "halcyon/comm/rank.hpp"\n',
        "a.cpp:1: 'mesh' (layer 1)",
    ),
    "a header": ("cpp/halcyon/mesh/a.cpp", "#include <mpi.h>\n", "a.cpp:1: <mpi.h> is only for comm"),
    "unknown room": ("cpp/halcyon/attic/a.cpp", "int i;\n", "a.cpp:1: module 'attic' is not in layers.txt"),
    "unknown include": ("cpp/halcyon/mesh/a.cpp", '#include "halcyon/attic/b.hpp"\n', "module 'attic'"),
    "unknown module": ("python/halcyon/attic.py", "\n", "attic.py:1: module 'attic' is not in layers.txt"),
    "an import": (
        "python/halcyon/mesh.py",
        "import halcyon.halo\n",
        "mesh.py:1: 'mesh' (layer 1) uses 'halo'",
    ),
    "a lazy import": (
        "python/halcyon/mesh.py",
        "def f():\n    from halcyon.cli import x\n",
        "mesh.py:2: 'mesh'",
    ),
    "a relative import": (
        "python/halcyon/mesh/a.py",
        "from .. import halo\n",
        "a.py:1: 'mesh' (layer 1) uses 'halo'",
    ),
    "a module": (
        "fortran/halcyon_io.f90",
        "module halcyon_io\n  use mpi_f08, only: MPI_Comm\n",
        "halcyon_io.f90:2: 'fortran' uses the module mpi_f08",
    ),
    "an import in a function": (
        "python/halcyon/halo.py",
        "def f():\n    from halcyon.mesh import cut\n",
        "halo.py:2: 'mesh' is imported within a function",
    ),
    "a light library in a function": (
        "python/halcyon/halo.py",
        "class A:\n    def f(self):\n        import json\n",
        "halo.py:3: 'json' is imported within a function",
    ),
    "a circle of files": (
        "python/halcyon/cli/make.py",
        "from halcyon.cli.spec import Spec\n",
        "make.py:1: files form a cycle: python/halcyon/cli/make.py, python/halcyon/cli/spec",
    ),
    "a circle of headers": (
        "cpp/halcyon/mesh/other.hpp",
        '#include "halcyon/mesh/mesh.hpp"\n',
        "mesh.hpp:1: files form a cycle: cpp/halcyon/mesh/mesh.hpp, cpp/halcyon/mesh/other.hpp",
    ),
    "the top floor": (
        "python/halcyon/__main__.py",
        "from halcyon.cli import main\n",
        "__main__.py:1: 'python' (layer 3) uses 'cli' (layer 3)",
    ),
    "a binding": (
        "python/halcyon/mesh.py",
        "from halcyon._core.halo import x\n",
        "mesh.py:1: 'mesh' (layer 1)",
    ),
}


def check(root: Path) -> tuple[int, str]:
    """Checks a source tree; returns the exit code and the output."""
    command = [sys.executable, str(ROOT / "tools/check_layers.py"), str(root)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def source_tree(tmp_path):
    """A small source tree without violations."""
    (tmp_path / "layers.txt").write_text(LAYERS)
    for name, text in SOUND.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_halcyon_keeps_to_its_layers():
    code, output = check(ROOT)
    assert code == 0, output


def test_a_sound_tree_passes(source_tree):
    assert check(source_tree) == (0, "layers: 0 violations\n")


@pytest.mark.parametrize("kind", VIOLATIONS)
def test_a_violation_is_found(source_tree, kind):
    name, text, expected = VIOLATIONS[kind]
    (source_tree / name).parent.mkdir(parents=True, exist_ok=True)
    (source_tree / name).write_text(text)
    code, output = check(source_tree)
    assert code == 1
    assert expected in output
    assert "layers: 1 violations" in output


def test_a_circle_of_rooms_is_found(source_tree):
    """Modules of the same layer that import each other are reported, with their files."""
    (source_tree / "python/halcyon/comm.py").write_text("from halcyon.halo import exchange\n")
    (source_tree / "python/halcyon/halo.py").write_text("from halcyon.comm import world\n")
    code, output = check(source_tree)
    assert code == 1
    assert "layers.txt:1: modules form a cycle: comm, halo" in output
    assert "files form a cycle: python/halcyon/comm.py, python/halcyon/halo.py" in output


def test_an_empty_room_is_found(source_tree):
    """A module of layers.txt without source files is a violation."""
    (source_tree / "cpp/halcyon/mesh/mesh.hpp").unlink()
    assert check(source_tree) == (1, "layers.txt:1: module 'mesh' has no files\nlayers: 1 violations\n")


def test_the_picture_of_the_house_is_current():
    """docs/images/house.svg is the picture that tools/house_picture prints."""
    current = subprocess.run(
        [ROOT / "tools/house_picture"], capture_output=True, text=True, check=True
    ).stdout
    committed = (ROOT / "docs/images/house.svg").read_text()
    assert current == committed, "tools/house_picture > docs/images/house.svg"

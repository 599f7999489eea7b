"""The package is typed: it has the marker for type checkers, and stubs of the compiled module."""

import types
from pathlib import Path

import halcyon._core as core


def test_the_package_is_marked_as_typed():
    assert (Path(core.__file__).parent / "py.typed").is_file()
    assert (Path(__file__).parents[2] / "python/halcyon/py.typed").is_file()


def test_each_compiled_module_has_stubs():
    stubs = Path(core.__file__).parent / "_core"
    modules = [name for name, value in vars(core).items() if isinstance(value, types.ModuleType)]
    assert len(modules) > 10
    assert [name for name in ("__init__", *modules) if not (stubs / f"{name}.pyi").is_file()] == []

"""The folder of the header and the Fortran module that schemes are compiled with."""

from importlib.util import find_spec
from pathlib import Path


def include_dir() -> Path:
    """The folder of halcyon_physics.h (C, C++) and halcyon_physics.f90 (Fortran)."""
    spec = find_spec("halcyon._core")
    return Path(spec.origin if spec and spec.origin else "").with_name("include")

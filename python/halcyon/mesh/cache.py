"""The cache of generated meshes: MPAS files in the user's cache folder."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import halcyon._core
from halcyon._core.mesh import write_mpas
from halcyon.base import InputError, RunError, cache_folder
from halcyon.mesh import read_mpas
from halcyon.mesh.atomic_file import open_new
from halcyon.mesh.coast import shoreline_file
from halcyon.mesh.generate import make

if TYPE_CHECKING:
    from halcyon._core.mesh import Mesh
    from halcyon.mesh.spec import MeshSpec


def cache_key(spec: MeshSpec) -> str:
    """Returns a hash of the spec, the code of the mesh generator, and the input files.

    Raises ConfigError and InputError if the spec names missing files."""
    text = json.dumps(
        {
            "spec": asdict(replace(spec, threads=None)),
            "version": halcyon.__version__,
            "code": _code_digest(),
            "files": [_file_identity(path) for path in _input_files(spec)],
        },
        sort_keys=True,
        default=str,
    )
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def mesh_for(spec: MeshSpec, progress: Callable[[str], None] | None = None) -> Path:
    """Returns the path of the MPAS file of a `MeshSpec`; generates the mesh if it is not in the cache.

    If several processes need the same mesh, one generates it. progress: called with lines of text.
    Raises the errors of `halcyon.mesh.make`, and RunError if the cache folder cannot be written."""
    report = progress or (lambda text: None)
    return _find_or_make(
        cache_key(spec), lambda: make(spec, report), report, needs_depth=spec.depth_source is not None
    )


def copy_of(file: str | os.PathLike[str], progress: Callable[[str], None] | None = None) -> Path:
    """Returns the path of a checked copy of an MPAS mesh file in the form that Halcyon writes (CDF-5, unit
    sphere), so that ranks can read slices of it. The copy is written if the cache has no valid copy of this
    file.

    progress: called with lines of text. Raises the errors of `halcyon.mesh.read_mpas`, and RunError if the
    cache folder cannot be written."""
    text = json.dumps([_file_identity(Path(file)), halcyon.__version__, _code_digest()])
    key = hashlib.sha256(text.encode()).hexdigest()[:20]
    return _find_or_make(
        key, lambda: read_mpas(str(file)), progress or (lambda text: None), needs_depth=False
    )


def _find_or_make(
    key: str, make: Callable[[], Mesh], report: Callable[[str], None], *, needs_depth: bool
) -> Path:
    """Returns the file of a key in the cache. If there is no valid file, calls `make` and writes its mesh
    there."""
    path = cache_folder() / f"mesh_{key}.nc"
    if _is_valid(path, needs_depth, report):
        return path
    with _locked(path.with_suffix(".lock"), report):
        if not _is_valid(path, needs_depth, lambda text: None):
            mesh = make()
            write_mpas(str(path), mesh)
            report(f"mesh of {mesh.n_cells} cells written to {path}")
    return path


def _is_valid(path: Path, needs_depth: bool, report: Callable[[str], None]) -> bool:
    """Whether `path` is a complete mesh file, with depths if needed; reports a broken file."""
    if not path.exists():
        return False
    try:
        has_depth = len(read_mpas(str(path)).bottom_depth) > 0
    except InputError as error:
        report(f"The cached mesh is broken and will be generated again: {error}")
        return False
    return has_depth or not needs_depth


@contextlib.contextmanager
def _locked(path: Path, report: Callable[[str], None]) -> Iterator[None]:
    """Holds a lock file. A process that finds it held waits until the holder has generated the mesh or
    ended."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open_new(path, append=True)  # closed below, which releases the lock
    except OSError as error:
        raise RunError(
            f"Cannot write to the cache folder {path.parent}: {error.strerror}. Set HALCYON_CACHE "
            "to a writable folder."
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report("another process generates the same mesh; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _input_files(spec: MeshSpec) -> Iterator[Path]:
    """Yields the input files of a mesh."""
    request, depth = spec.spacing, spec.depth_source
    if spec.sea or (request and request.coast):
        coast = spec.land
        yield shoreline_file(coast.resolution) if coast.source == "gshhg" else Path(coast.source)
    if depth is not None:
        yield depth.path
    if request and request.field:
        yield Path(request.field.path)
    if spec.polygon:
        yield Path(spec.polygon)


def _file_identity(path: Path) -> list[str | int]:
    """Returns path, size and modification time of a file; only the path if the file is missing."""
    if not path.is_file():
        return [str(path)]
    status = path.stat()
    return [str(path.resolve()), status.st_size, status.st_mtime_ns]


def _code_digest() -> str:
    """Returns a digest of this package's Python files and of the C++ library."""
    digest = hashlib.sha256()
    for source in (*sorted(Path(__file__).parent.glob("*.py")), Path(halcyon._core.__file__)):
        digest.update(source.read_bytes())
    return digest.hexdigest()

"""Meshes that were made are kept in the user's cache folder, as MPAS files."""

import contextlib
import fcntl
import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

import halcyon._core
from halcyon._core.mesh import read_mpas, write_mpas
from halcyon.base import InputError, RunError, cache_folder
from halcyon.mesh.coast import shoreline_file
from halcyon.mesh.making import make


def cache_key(spec):
    """A word that changes with the spec, with the code that makes meshes, and with the input files.

    Raises ConfigError and InputError if the spec names files that are not there."""
    text = json.dumps(
        {
            "spec": asdict(replace(spec, threads=None)),
            "version": halcyon.__version__,
            "code": _code_digest(),
            "files": [_identity(path) for path in _input_files(spec)],
        },
        sort_keys=True,
        default=str,
    )
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def mesh_for(spec, progress=None):
    """Path of the MPAS file of the mesh that a `MeshSpec` asks for; makes it if it is not in the cache.

    Two processes that want the same mesh make it once. progress: called with a line of text now and then.
    Raises as `halcyon.mesh.make`, and RunError if the cache folder cannot be written."""
    say = progress or (lambda text: None)
    return _kept(cache_key(spec), lambda: make(spec, say), say, needs_depth=spec.needs_depth is not None)


def copy_of(file, progress=None):
    """Path of a copy of an MPAS mesh file, checked whole and written as Halcyon writes meshes (CDF-5, unit
    sphere), so that ranks can read slices of it. It is made where the cache has none of the file as it is.

    progress: called with a line of text now and then. Raises as `halcyon.mesh.read_mpas`, and RunError if the
    cache folder cannot be written."""
    text = json.dumps([_identity(Path(file)), halcyon.__version__, _code_digest()])
    key = hashlib.sha256(text.encode()).hexdigest()[:20]
    return _kept(key, lambda: read_mpas(str(file)), progress or (lambda text: None), needs_depth=False)


def _kept(key, make, say, *, needs_depth):
    """The file of a key in the cache; what `make` gives is written there if there is no good one."""
    path = cache_folder() / f"mesh_{key}.nc"
    if _is_good(path, needs_depth, say):
        return path
    with _locked(path.with_suffix(".lock"), say):
        if not _is_good(path, needs_depth, lambda text: None):
            mesh = make()
            write_mpas(str(path), mesh)
            say(f"mesh of {mesh.n_cells} cells written to {path}")
    return path


def _is_good(path, needs_depth, say):
    """Whether a whole mesh, with depths if wanted, lies at `path`; says so if there is a broken one."""
    if not path.exists():
        return False
    try:
        has_depth = len(read_mpas(str(path)).bottom_depth) > 0
    except InputError as error:
        say(f"The cached mesh is broken and will be made again: {error}")
        return False
    return has_depth or not needs_depth


@contextlib.contextmanager
def _locked(path, say):
    """Holds a lock file; another process waits here until the first has made the mesh or ended."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "w")  # noqa: SIM115 - closed below, which frees the lock
    except OSError as error:
        raise RunError(
            f"Cannot write to the cache folder {path.parent}: {error.strerror}. Set HALCYON_CACHE "
            "to a folder of yours."
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process makes the same mesh; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _input_files(spec):
    """The files that a mesh is made from."""
    wish, depth = spec.spacing, spec.needs_depth
    if spec.sea or (wish and wish.coast):
        coast = spec.land
        yield shoreline_file(coast.resolution) if coast.source == "gshhg" else Path(coast.source)
    if depth is not None:
        yield depth.path
    if wish and wish.field:
        yield Path(wish.field.path)
    if spec.polygon:
        yield Path(spec.polygon)


def _identity(path):
    """Where a file is, its size and when it was changed; its name alone if it is missing."""
    if not path.is_file():
        return [str(path)]
    status = path.stat()
    return [str(path.resolve()), status.st_size, status.st_mtime_ns]


def _code_digest():
    """Of this room's Python and of all C++, which is one library."""
    digest = hashlib.sha256()
    for source in (*sorted(Path(__file__).parent.glob("*.py")), Path(halcyon._core.__file__)):
        digest.update(source.read_bytes())
    return digest.hexdigest()

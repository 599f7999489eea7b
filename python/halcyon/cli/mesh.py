"""`halcyon mesh`: makes a mesh and writes it, or finds that of a case, and says what it is like."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon.mesh import MeshSpec

_FLAGS = {"background": "spacing", "circles": "circle", "boxes": "box"}
_OF_ANY = ("what", "overrides", "output", "format", "graph_info", "threads")


def make_mesh(given: Mapping[str, Any]) -> None:
    """Makes the mesh that the options of the command ask for, and prints what it is like."""
    from halcyon.cli.mesh_options import spec_of
    from halcyon.mesh.named import is_level
    from halcyon.mesh.ugrid import FORMATS

    if given["format"] not in FORMATS:
        raise ConfigError(f"--format {given['format']}: give {' or '.join(FORMATS)}.")
    what = given["what"]
    if what is not None and not is_level(what) and _is_file(what):
        return _of_file(Path(what), given)
    if given["overrides"]:
        raise ConfigError("--set replaces options of a case file, but none is given.")
    if (
        what is None
        and given["points"] is None
        and all(given[name] is None for name in ("background", "field"))
    ):
        raise ConfigError(
            "The mesh has no size. Give WHAT, such as G7 or a case file, or --points or --spacing."
        )
    _write(spec_of(given), given["output"] or f"{_name(given)}.nc", given)
    return None


def mesh_info(path: Path, picture: str | None) -> None:
    """Prints what the mesh of a file is like, and draws it if `picture` is given."""
    from halcyon.cli.mesh_info import info_text
    from halcyon.launch.output_file import picture_file
    from halcyon.mesh import read_mesh

    drawn = None if picture is None else picture_file(picture, [path])
    mesh = read_mesh(path)
    typer.echo(info_text(mesh, path))
    if drawn is not None:
        from halcyon.plot import mesh_picture

        mesh_picture(drawn, mesh, title=path.name)
        typer.echo(f"picture    {picture}")


def _is_file(what: str) -> bool:
    return Path(what).exists() or what.endswith((".yaml", ".yml"))


def _is_netcdf(path: Path) -> bool:
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4).startswith((b"CDF", b"\x89HDF"))


def _name(given: Mapping[str, Any]) -> str:
    return (given["what"] or "mesh").lower()


def _of_file(path: Path, given: Mapping[str, Any]) -> None:
    """The mesh of a case, or of a file that has only `mesh:`."""
    from halcyon.config.load import load_case, load_mesh

    if _is_netcdf(path):
        raise ConfigError(
            f"{path} is a netCDF file, not a case. `halcyon mesh info {path}` says what a mesh is like."
        )
    strays = [name for name, value in given.items() if name not in _OF_ANY and value]
    if strays:
        raise ConfigError(
            f"--{_FLAGS.get(strays[0], strays[0])} does not go with the file {path}. Change the file, or "
            "give --set."
        )
    alone = load_mesh(path, given["overrides"] or [])
    if alone is not None:
        return _write(alone.spec(), given["output"] or f"{path.stem}.nc", given)
    case = load_case(path, given["overrides"] or [])
    if given["output"] is None:
        return _of_case(case)
    if not hasattr(case.mesh, "spec"):
        raise ConfigError(f"{case.place('mesh')}: mesh.file exists already; leave out --output.")
    return _write(case.mesh.spec(), given["output"], given)


def _of_case(case) -> None:
    """Makes the case's mesh if it is not in the cache."""
    from halcyon.config.mesh_file import prepare_mesh
    from halcyon.run.view import run_view

    with run_view(sys.stdout) as view:
        path = prepare_mesh(case, view.step)
    path = getattr(case.mesh, "file", path)
    mesh_info(path, None)


def _write(spec: MeshSpec, name: str, given: Mapping[str, Any]) -> None:
    from dataclasses import replace

    from halcyon.launch.output_file import output_file
    from halcyon.mesh import make, write_graph_info, write_mpas
    from halcyon.run.view import run_view

    start = time.monotonic()
    inputs = _inputs(spec, given)
    path = output_file(name, inputs)
    graph = output_file(Path(name).with_suffix(".graph.info"), inputs) if given["graph_info"] else None
    if given["threads"] is not None:
        spec = replace(spec, threads=given["threads"])
    with run_view(sys.stdout) as view:
        mesh = make(spec, view.step)
        view.step(f"writing {name}")
        write_mpas(str(path), mesh, given["format"])
        if graph is not None:
            write_graph_info(str(graph), mesh)
    from halcyon.cli.mesh_info import info_text

    typer.echo(info_text(mesh, Path(name)))
    typer.echo(f"made in    {time.monotonic() - start:.1f} s")


def _inputs(spec: MeshSpec, given: Mapping[str, Any]) -> list[str | Path]:
    """The files that a mesh is made from."""
    depth, field = spec.needs_depth, spec.spacing and spec.spacing.field
    what = given["what"]
    named = [
        what if what and _is_file(what) else None,
        field and field.path,
        depth and depth.path,
        spec.polygon,
        spec.coast.source if spec.coast.source != "gshhg" else None,
    ]
    return [name for name in named if name]

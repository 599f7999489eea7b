"""Writes a first case, or runs the demo."""

from __future__ import annotations

from pathlib import Path

import typer

from halcyon.cli.options import argument, flag, n_ranks, reject

_HERE = Path(__file__).parent
KINDS = {  # of cases: a template each
    "storm": "the waves of a storm along its track",
    "regional": "the waves of a sea under a given wind",
    "global": "the waves of all oceans",
    "jet": "a jet of the atmosphere that breaks up into vortices",
    "network": "a simulated network under load",
}
CASE, TRACK = "case.yaml", "track.csv"
_DEMO = "hinnamnor"


def new(
    kind: str = argument(f"Kind of case: {', '.join(KINDS)}.", "KIND", show_default=False),
    folder: Path | None = argument(
        "Folder of the case; default: the kind.", "FOLDER", None, show_default=False
    ),
) -> None:
    """Write a commented case to begin with.

    It runs as it is; its comments name the lines to change for a region, a storm or a machine of your own."""
    from halcyon.config.abbreviations import did_you_mean

    if kind not in KINDS:
        near = did_you_mean(kind, KINDS)
        hint = f" Did you mean '{near}'?" if near else ""
        reject(f"there is no kind of case '{kind}'.{hint} The kinds are {', '.join(KINDS)}.")
    folder = folder or Path(kind)
    files = {CASE: (_HERE / f"{kind}.yaml").read_bytes()}
    if kind == "storm":
        files[TRACK] = _demo_files()[TRACK]
    _write(folder, files)
    case = folder / CASE
    typer.echo(f"{case}: {KINDS[kind]}")
    command = "simulate" if kind == "network" else "run"
    typer.echo(f"next: halcyon {command} {_quoted(case)}")
    if kind != "network":
        typer.echo(f"then: halcyon view {_quoted(case.with_suffix('.out'))}")


def demo(
    folder: Path = argument("Folder for the case and its results.", "FOLDER", Path(_DEMO), show_default=True),
    ranks: int | None = n_ranks(help="Number of MPI ranks; by default one per core.", default=None),
    opens: bool = flag("Open the page in the browser.", "--open/--no-open", default=True),
) -> None:
    """Forecast the waves of typhoon Hinnamnor (2022), and look at them in a browser.

    It takes a few minutes on two cores. The case and its track are written to the folder, unless they are
    there; results of an earlier demo are replaced."""
    from halcyon.cli.view import view
    from halcyon.run.launcher import launch

    case = folder / CASE
    files = _demo_files()
    if not case.exists():
        _write(folder, files)
    elif case.read_bytes() != files[CASE]:
        reject(f"{case} is another case, whose results the demo would replace. Give another folder.")
    typer.echo(f"{case}: typhoon Hinnamnor (2022)")
    code = launch(case, ranks=ranks, overrides=[], overwrite=True)
    if code:
        raise typer.Exit(code)
    view(case.with_suffix(".out"), None, None, None, None, 10.0, opens)


def _demo_files() -> dict[str, bytes]:
    """The files of the demo by name, which are installed next to the compiled module; in a wheel also the
    land and depths of its region."""
    from halcyon import _core

    folder = Path(_core.__file__).with_name("demo")
    if not (folder / CASE).is_file():
        reject(f"{folder / CASE} is missing. Build Halcyon again (make build), or install it again.")
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Writes files into a folder, which is created. Raises ConfigError if one of them exists, or if the
    folder cannot be written."""
    for name in files:
        if (folder / name).exists():
            reject(f"{folder / name} exists already. Give another folder, or remove it.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        reject(f"{folder} cannot be written: {error.strerror}. Give another folder.")


def _quoted(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))

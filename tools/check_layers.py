#!/usr/bin/env python3
"""Holds C++ includes, Python imports and modules of Fortran to layers.txt.

tools/check_layers.py [ROOT]     prints each violation as file:line: text; the exit code is 1 if there are any

A room uses only rooms on lower floors; neither rooms nor files form circles; a Python function imports
nothing but what is costly (HEAVY, STARTS_MPI), except in the rooms of LAZY and
UNCOMPILED. Imports within functions count, those for type checking do not.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

USE = re.compile(r"^\s*use\b\s*(?:::)?\s*(\w+)", re.IGNORECASE)  # `use, intrinsic ::` does not match
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
BESIDE = ("benchmarks/halcyon_bench", "validation/halcyon_validation")  # packages that are a room each
CPP = {".hpp", ".cpp", ".h", ".c"}
HEAVY = {
    *(
        "cf_xarray",
        "cftime",
        "eccodes",
        "matplotlib",
        "mpi4py",
        "netCDF4",
        "pydantic",
        "rich",
        "scipy",
        "shapely",
    ),
    *("typer", "xarray", "yaml"),
}
LAZY = {"cli"}  # rooms whose functions import what they run
UNCOMPILED = {  # rooms whose functions import what loads the compiled module, so that they do not
    *("choices", "config", "launch"),
}
STARTS_MPI = {"comm", "mpi_library"}  # rooms that are as costly as mpi4py, which they import


@dataclass
class Layers:
    """What layers.txt says: the floor of each room, and the rooms that may include a library's header."""

    floors: dict[str, int] = field(default_factory=dict)
    headers: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Layers":
        layers = cls()
        for line in path.read_text().splitlines():
            words = line.split("#")[0].split()
            if words and words[0] == "header":
                layers.headers[words[1]] = set(words[2:])
            elif words:
                layers.floors |= dict.fromkeys(words[1:], int(words[0]))
        return layers

    def mistake(self, user: str, used: str) -> str | None:
        """Why the room `user` may not use the room `used`, if so."""
        if used not in self.floors:
            return f"room '{used}' is not in layers.txt"
        floor, other = self.floors[user], self.floors[used]
        if user == used or other < floor:
            return None
        return f"'{user}' (floor {floor}) uses '{used}' (floor {other}); a room uses only lower floors"


@dataclass
class Use:
    """That a file includes or imports another one, or a room, or a library."""

    line: int
    file: Path | None = None
    room: str | None = None
    library: str | None = None
    in_function: bool = False


def cpp_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Each C++ file with its room."""
    for path in sorted((root / "cpp").rglob("*")):
        if path.suffix in CPP:
            first, *rest = path.relative_to(root / "cpp").parts
            yield (rest[0] if first == "halcyon" else first), path


def python_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Each Python file with its room; __init__.py and __main__.py of the package are in `python`, a package
    beside it is a room."""
    package = root / "python/halcyon"
    for path in sorted(package.rglob("*.py")):
        room = path.relative_to(package).parts[0].removesuffix(".py")
        yield ("python" if room.startswith("__") else room), path
    for folder in BESIDE:
        yield from ((Path(folder).name, path) for path in sorted((root / folder).rglob("*.py")))


def fortran_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Each file of the Fortran module."""
    yield from (("fortran", path) for path in sorted((root / "fortran").rglob("*.f90")))


def cpp_uses(path: Path, root: Path) -> Iterator[Use]:
    """What a C++ file includes."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = Path(match[1])
        places = [folder / included for folder in (root / "cpp", path.parent, root / "cpp/halcyon/capi")]
        file = next((place for place in places if place.is_file()), None)
        if included.parts[0] == "halcyon" and len(included.parts) > 2:
            yield Use(number, file, room=included.parts[1])
        else:
            yield Use(number, file, library=match[1])


def imports_of(tree: ast.AST, in_function: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Each import statement, and whether it stands in a function; none for type checking alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, in_function
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from imports_of(ast.Module([other], []), in_function)
        else:
            inner = in_function or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from imports_of(node, inner)


def imported_modules(node: ast.AST, package: list[str]) -> list[list[str]]:
    """The dotted names, as lists, that an import statement inside `package` names."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".") for alias in node.names]
    base = package[: len(package) - node.level + 1] if node.level else []
    base = base + (node.module.split(".") if node.module else [])
    return [[*base, alias.name] for alias in node.names]


def module_file(name: list[str], root: Path) -> Path | None:
    """The file of a module, or of the module that holds a name."""
    above = {Path(folder).name: root / Path(folder).parent for folder in BESIDE} | {
        "halcyon": root / "python"
    }
    if not name or name[0] not in above:
        return None
    for parts in filter(None, (name, name[:-1])):
        place = above[name[0]].joinpath(*parts)
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
    return None


def python_uses(layers: Layers, path: Path, root: Path) -> Iterator[Use]:
    """What a Python file imports."""
    package = list(path.relative_to(root).parent.parts[1:])
    for node, in_function in imports_of(ast.parse(path.read_text(), str(path))):
        for name in imported_modules(node, package):
            file, room = module_file(name, root), used_room(layers, name, root)
            ours = file or room or name[0] == "halcyon"
            yield Use(node.lineno, file, room, None if ours else name[0], in_function)
            if (
                isinstance(node, ast.ImportFrom) and not node.level
            ):  # what a package is asked for, it is read for
                yield Use(
                    node.lineno, module_file(name[:-1], root), room, None if ours else name[0], in_function
                )


def used_room(layers: Layers, name: list[str], root: Path) -> str | None:
    """The room of an imported name; none for other packages and for what is in no room."""
    if name[0] in {Path(folder).name for folder in BESIDE}:
        return name[0]
    if name[0] != "halcyon" or len(name) < 2:
        return None
    inner = [part for part in name[1:] if part != "_core"]
    if not inner or inner[0].startswith("_"):
        return None
    folder = root / "python/halcyon" / inner[0]
    is_room = inner[0] in layers.floors or folder.is_dir() or folder.with_suffix(".py").is_file()
    return inner[0] if is_room or len(name) > 2 else None


def is_costly(use: Use) -> bool:
    """Whether an import takes so long that only those who need it should wait for it."""
    return use.library in HEAVY or use.room in STARTS_MPI


def check_uses(layers: Layers, room: str, uses: list[Use], python: bool) -> Iterator[tuple[int, str]]:
    """The mistakes of one file of C++ or Python as (line, text)."""
    for use in uses:
        mistake = layers.mistake(room, use.room) if use.room else None
        if mistake:
            yield use.line, mistake
        elif not python and use.library and room not in layers.headers.get(use.library, {room}):
            yield use.line, f"<{use.library}> is only for {', '.join(sorted(layers.headers[use.library]))}"
        elif use.in_function and room not in LAZY | UNCOMPILED and not is_costly(use):
            said = f"'{use.library or use.room or 'halcyon'}' is imported within a function"
            yield use.line, f"{said}; only costly libraries are, or what a command runs"


def check_fortran(path: Path) -> Iterator[tuple[int, str]]:
    """Modules that are neither of this folder nor of the language, as (line, text)."""
    own = {other.stem for other in path.parent.glob("*.f90")} | {"halcyon_abi"}  # the build makes that
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = USE.match(line)
        if match and match[1].lower() not in own:
            yield number, f"'fortran' uses the module {match[1]}; it sees the C ABI alone"


def circles(graph: dict) -> list[list]:
    """The sets of more than one node that can all be reached from each other (Tarjan 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            circle = [stack.pop()]
            while circle[-1] != node:
                circle.append(stack.pop())
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


@dataclass
class Graphs:
    """Who uses whom, among files and among rooms."""

    files: dict[Path, set[Path]] = field(default_factory=dict)
    rooms: dict[str, set[str]] = field(default_factory=dict)

    def add(self, path: Path, room: str, uses: list[Use]) -> None:
        self.files[path] = {use.file for use in uses if use.file} - {path}
        self.rooms.setdefault(room, set()).update({use.room for use in uses if use.room} - {room})


def read(layers: Layers, root: Path) -> Iterator[tuple[str, Path, list[Use]]]:
    """Each file of C++ and Python with its room and what it uses."""
    for room, path in cpp_files(root):
        yield room, path, list(cpp_uses(path, root))
    for room, path in python_files(root):
        yield room, path, list(python_uses(layers, path, root))


def graphs(root: Path) -> tuple[Graphs, Graphs]:
    """Those of C++ and of Python."""
    found = {True: Graphs(), False: Graphs()}
    for room, path, uses in read(Layers.read(root / "layers.txt"), root):
        found[path.suffix == ".py"].add(path, room, uses)
    return found[False], found[True]


def check(root: Path) -> list[str]:
    """All violations below `root`."""
    layers, mistakes, rooms = Layers.read(root / "layers.txt"), [], set()
    found = {True: Graphs(), False: Graphs()}
    for room, path, uses in [*read(layers, root), *((room, path, []) for room, path in fortran_files(root))]:
        where, python = path.relative_to(root), path.suffix == ".py"
        rooms.add(room)
        if room not in layers.floors:
            mistakes.append(f"{where}:1: room '{room}' is not in layers.txt")
            continue
        of_file = check_fortran(path) if path.suffix == ".f90" else check_uses(layers, room, uses, python)
        mistakes += dict.fromkeys(f"{where}:{line}: {text}" for line, text in of_file)
        found[python].add(path, room, uses)
    for of in found.values():
        for circle in circles(of.rooms):
            mistakes.append(f"layers.txt:1: rooms use each other in a circle: {', '.join(circle)}")
        for circle in circles(of.files):
            names = ", ".join(str(path.relative_to(root)) for path in circle)
            mistakes.append(f"{circle[0].relative_to(root)}:1: files use each other in a circle: {names}")
    mistakes += [f"layers.txt:1: room '{room}' is empty" for room in sorted(layers.floors.keys() - rooms)]
    return mistakes


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()
    sys.setrecursionlimit(10000)
    mistakes = check(root)
    print(*mistakes, f"layers: {len(mistakes)} violations", sep="\n")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())

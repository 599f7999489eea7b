#!/usr/bin/env python3
"""Holds C++ includes, Python imports and modules of Fortran to layers.txt.

tools/check_layers.py [ROOT]     prints each violation as file:line: text; the exit code is 1 if there are any
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


def check_cpp(layers: Layers, room: str, path: Path) -> Iterator[tuple[int, str]]:
    """The mistakes of one C++ file as (line, text)."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = Path(match[1]).parts
        if included[0] == "halcyon" and len(included) > 2:
            mistake = layers.mistake(room, included[1])
            if mistake:
                yield number, mistake
        elif room not in layers.headers.get(match[1], {room}):
            yield number, f"<{match[1]}> is only for {', '.join(sorted(layers.headers[match[1]]))}"


def imported_modules(node: ast.AST, package: list[str]) -> list[list[str]]:
    """The dotted names, as lists, that an import statement inside `package` names."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".") for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else []
        base = base + (node.module.split(".") if node.module else [])
        return [[*base, alias.name] for alias in node.names]
    return []


def check_python(layers: Layers, room: str, path: Path, root: Path) -> Iterator[tuple[int, str]]:
    """The mistakes of one Python file as (line, text)."""
    package = list(path.relative_to(root).parent.parts[1:])
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        for name in imported_modules(node, package):
            used = used_room(layers, name, root)
            mistake = layers.mistake(room, used) if used else None
            if mistake:
                yield node.lineno, mistake


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


def check_fortran(path: Path) -> Iterator[tuple[int, str]]:
    """Modules that are neither of this folder nor of the language, as (line, text)."""
    own = {other.stem for other in path.parent.glob("*.f90")}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = USE.match(line)
        if match and match[1].lower() not in own:
            yield number, f"'fortran' uses the module {match[1]}; it sees the C ABI alone"


def check(root: Path) -> list[str]:
    """All violations below `root`."""
    layers = Layers.read(root / "layers.txt")
    files = [*cpp_files(root), *python_files(root), *fortran_files(root)]
    mistakes = []
    for room, path in files:
        where = path.relative_to(root)
        if room not in layers.floors:
            mistakes.append(f"{where}:1: room '{room}' is not in layers.txt")
            continue
        if path.suffix in CPP:
            found = check_cpp(layers, room, path)
        elif path.suffix == ".py":
            found = check_python(layers, room, path, root)
        else:
            found = check_fortran(path)
        mistakes += [f"{where}:{line}: {text}" for line, text in found]
    empty = layers.floors.keys() - {room for room, _ in files}
    mistakes += [f"layers.txt:1: room '{room}' is empty" for room in sorted(empty)]
    return mistakes


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()
    mistakes = check(root)
    print(*mistakes, f"layers: {len(mistakes)} violations", sep="\n")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())

"""A new choice (source terms, exchange method, topology, output variable, equation set) needs few files.

A dummy of each kind is added in a copy of the source files that it changes, compiled, linked with the other
objects of build/release, and selected by name in a case.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support import command

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build/release"
CPP = Path("cpp/halcyon")
MOST_FILES = {  # largest number of product files to change
    "a source set": 3,
    "an exchange method": 3,
    "a topology": 4,
    "an output variable": 1,
    "an equation set": 8,
}


def copied(old, new, *names):
    """{new path: text} of a copy of a file in which each name `before=after` is replaced."""
    text = (ROOT / CPP / old).read_text()
    for name in names:
        before, after = name.split("=")
        assert before in text, (old, before)
        text = text.replace(before, after)
    return {CPP / new: text}


def changed(path, *pairs):
    """{path: text} of a file in which each pair (before, after) is replaced once."""
    text = (ROOT / CPP / path).read_text()
    for before, after in pairs:
        assert before in text, (path, before)
        text = text.replace(before, after, 1)
    return {CPP / path: text}


def dummies():
    """The files that a dummy of each kind adds or changes: {kind: {path: text}}."""
    method = '#include "halcyon/comm/methods/method.hpp"\n\nnamespace halcyon::comm {\n\n'
    method += "MethodEntry isend_irecv();\n\nMethodEntry dummy() {\n  auto entry = isend_irecv();\n"
    method += '  entry.name = "dummy";\n  return entry;\n}\n\n}  // namespace halcyon::comm\n'
    topology = "network/topology"
    return {
        "a source set": copied("wave/sources/wam3.cpp", "wave/sources/dummy.cpp", "wam3=dummy", "Wam3=Dummy")
        | changed(
            "wave/sources/physics.cpp", ("wam3(),", "wam3(), dummy(),"), ("= {wam3()", "= {wam3(), dummy()")
        ),
        "an exchange method": {CPP / "comm/methods/dummy.cpp": method}
        | changed(
            "comm/methods/method.cpp",
            ("put();", "put(), dummy();"),
            ("shared(),\n", "shared(), dummy(),\n"),
        ),
        "a topology": copied(f"{topology}/torus.hpp", f"{topology}/dummy.hpp", "Torus=Dummy")
        | copied(f"{topology}/torus.cpp", f"{topology}/dummy.cpp", "torus=dummy", "Torus=Dummy")
        | changed(
            f"{topology}/topologies.hpp",
            ("#include", '#include "halcyon/network/topology/dummy.hpp"\n#include'),
            # Without the others, whose engines take most of the compiler's time.
            ("TypeList<Crossbar, Torus, HyperX, FatTree, Dragonfly, Graph>", "TypeList<Dummy>"),
        ),
        "an output variable": changed(
            "wave/products/table.cpp",
            (
                '      {{"significant_height",',
                '      {{"dummy", "m", "", "a dummy", "twice Hs", [](const SeaState& s) '
                "{ return 2 * height(s.all); }},\n"
                '       {"significant_height",',
            ),
        ),
        "an equation set": copied(
            "atmosphere/air/hydrostatic.cpp",
            "atmosphere/air/dummy.cpp",
            "hydrostatic=dummy",
            "Hydrostatic=Dummy",
        )
        | changed(
            "atmosphere/core.cpp",
            ("hydrostatic_set(),", "hydrostatic_set(), dummy_set(),"),
            ("sets{shallow_water_set(),", "sets{shallow_water_set(), dummy_set(),"),
        ),
    }


def users_of(header):
    """The .cpp files of the checkout that include a header directly or indirectly."""
    text = {path: path.read_text() for path in (ROOT / "cpp").rglob("*.[ch]pp")}
    found, names = set(), {header}
    while names:
        users = {p for p, t in text.items() if any(f'"{name}"' in t for name in names)} - found
        found |= users
        names = {str(p.relative_to(ROOT / "cpp")) for p in users if p.suffix == ".hpp"}
    return sorted(path.relative_to(ROOT) for path in found if path.suffix == ".cpp")


def compile_in(copy, source, commands):
    """Compiles a source with the headers of the copy; returns the path of the object."""
    template = commands.get(ROOT / source) or next(
        commands[p] for p in commands if p.parent == (ROOT / source).parent
    )
    words = [word for word in shlex.split(template["command"]) if "ccache" not in word]
    words = ["-O1" if word == "-O3" else word for word in words]  # a third of the time less
    target = copy / f"{source.name}.{len(source.parts)}.{source.parts[-2]}.o"
    path = copy / source if (copy / source).exists() else ROOT / source
    words[words.index("-o") + 1], words[words.index("-c") + 1] = str(target), str(path)
    done = subprocess.run(
        [words[0], f"-I{copy}/cpp", *words[1:]],
        cwd=template["directory"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return str(target)


def link(target, output, objects):
    """Links a target of the build; symbols of the given objects take precedence over those of the build."""
    command = subprocess.check_output(["ninja", "-t", "commands", target], cwd=BUILD, text=True).splitlines()[
        -1
    ]
    words = shlex.split(command.split("&&")[1])
    words[words.index("-o") + 1] = str(output)
    first = next(i for i, word in enumerate(words) if word.endswith(".o"))
    subprocess.run([*words[:first], *objects, *words[first:]], cwd=BUILD, check=True, capture_output=True)


@pytest.fixture(scope="module")
def halcyon(tmp_path_factory):
    """A function that runs `halcyon` with arguments, from the copy that has a dummy of each kind."""
    if not (BUILD / "compile_commands.json").exists():
        pytest.skip("build/release is missing: make build")
    copy = tmp_path_factory.mktemp("copy")
    files = {path: text for kind in dummies().values() for path, text in kind.items()}
    for path, text in files.items():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_text(text)
    commands = {
        Path(entry["file"]): entry for entry in json.loads((BUILD / "compile_commands.json").read_text())
    }
    sources = {path for path in files if path.suffix == ".cpp"}
    sources |= set(users_of("halcyon/network/topology/topologies.hpp"))
    library = sorted(path for path in sources if path.parts[1] == "halcyon")  # without cpp/bindings
    with ThreadPoolExecutor(2) as pool:
        objects = [*pool.map(lambda path: compile_in(copy, path, commands), library)]
    package = copy / "python/halcyon"
    shutil.copytree(
        ROOT / "python/halcyon", package, ignore=shutil.ignore_patterns("__pycache__", "_core*", "*.json")
    )
    module = next(iter(BUILD.glob("_core.*.so"))).name
    link(module, package / module, objects)
    link("halcyon_registry", copy / "registry", objects)
    (package / "choices.json").write_bytes(subprocess.check_output([copy / "registry"]))
    # The import hook of an editable install would find its own halcyon first.
    drop_hook = (
        "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if 'Scikit' not in type(f).__name__]\n"
    )
    (copy / "python/sitecustomize.py").write_text(drop_hook)

    def run(*words, cwd=copy):
        environment = os.environ | {"PYTHONPATH": str(copy / "python")}
        command = [sys.executable, "-m", "halcyon", *map(str, words)]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def original(*words, cwd):
    """Runs `halcyon` of this checkout, without dummies, in this process. Returns what it prints."""
    done = command.halcyon(*words, folder=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", MOST_FILES)
def test_a_choice_touches_few_files(kind):
    """A dummy of each kind changes at most MOST_FILES product files."""
    assert len(dummies()[kind]) <= MOST_FILES[kind]


WAVES = """
model: wave
mesh: {level: 2, spectrum: {frequencies: 8, directions: 8}}
time: {start: 2000-01-01T00:00, end: 2000-01-01T01:00, source_step: 1200}
forcing: {wind: {constant: {speed: 15, direction: 270}}}
output: {interval: 3600, pictures: false, variables: [significant_height, dummy]}
"""
AIR = """
model: atmosphere
mesh: {level: 2}
equations: EQUATIONS
levels: {count: 4}
time: {start: 2000-01-01T00:00, end: 2000-01-01T00:20, step: 600}
initial: {type: held_suarez}
output: {interval: 1200, pictures: false}
"""


def fields(folder):
    """The bytes of every variable of the fields file of a run, by name."""
    import netCDF4

    with netCDF4.Dataset(next(iter(folder.glob("fields_*.nc")))) as file:
        return {name: variable[:].tobytes() for name, variable in file.variables.items()}


def test_waves_run_with_dummies_by_name(halcyon, tmp_path):
    """A run with the dummy source terms and exchange method has the bits of the originals; the dummy variable
    is written."""
    found = []
    for physics, method in (("wam3", "isend_irecv"), ("dummy", "dummy")):
        case = tmp_path / f"{physics}.yaml"
        case.write_text(f"{WAVES}physics: {{set: {physics}}}\nexchange: {{method: {method}}}\n")
        halcyon("run", case, "-n", 2, cwd=tmp_path)
        found.append(fields(tmp_path / f"{physics}.out"))
    original, dummy = found
    assert original["dummy"] and original["dummy"] != original["significant_height"]
    assert original == dummy


def test_air_runs_with_a_dummy_by_name(halcyon, tmp_path):
    """A run with the dummy equation set, a copy of the hydrostatic set, has the bits of the original."""
    found = []
    for equations in ("hydrostatic", "dummy"):
        case = tmp_path / f"{equations}.yaml"
        case.write_text(AIR.replace("EQUATIONS", equations))
        program = halcyon if equations == "dummy" else original
        program("run", case, "-n", 1, cwd=tmp_path)
        found.append(fields(tmp_path / f"{equations}.out"))
    assert found[0] == found[1]


def test_a_dummy_network_is_simulated_by_name(halcyon, tmp_path):
    """A simulation with the dummy topology, a copy of the torus, prints the times of the original."""
    times = []
    for topology in ("torus", "dummy"):
        case = tmp_path / f"{topology}.yaml"
        case.write_text(
            f"workload: {{type: alltoall, block_bytes: 1000}}\nranks: 16\n"
            f"topology: {{type: {topology}, sizes: [4, 4]}}\n"
        )
        program = halcyon if topology == "dummy" else original
        times.append(re.findall(r"[\d.]+ [um]?s", program("simulate", case, cwd=tmp_path)))
    assert times[0] and times[0] == times[1]


def test_a_dummy_is_described(halcyon):
    assert "physics (dummy): The source terms" in halcyon("describe", "case")
    assert "topology (dummy): A grid of switches" in halcyon("describe", "simulation")

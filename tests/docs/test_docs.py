"""The commands, options, files and code in the documentation exist, and its snippets run."""

import re
import shlex
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/README.md")],
    key=lambda page: page.relative_to(ROOT),
)
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GROUPS = "model|mesh|equations|time|forcing|physics|initial|boundary|exchange|partition|io|output|restart"
FRAGMENT_OF = {  # the case that the parts of cases on a page are merged into
    "model": "wave",
    "mesh": {
        "region": {"west": 126, "east": 136, "south": 26, "north": 34},
        "spacing": {"coast": 20000, "ocean": 50000},
    },
    "time": {"start": "2022-09-04T00:00", "end": "2022-09-06T00:00"},
    "forcing": {"wind": "none"},
}
RUN = """\
model: wave
mesh: {file: mesh.nc, spectrum: {frequencies: 25, directions: 12}}
time: {start: 2022-09-01T00:00, end: 2022-09-01T06:00, source_step: 1200}
forcing: {wind: {constant: {speed: 15, direction: 180}}}
output: {segment: 10800, pictures: false, stations: [{name: middle, longitude: 150, latitude: 10}]}
"""


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name, language):
    """The code blocks of a page in a language."""
    return [code for marker, code in BLOCK.findall(text_of(name)) if marker == language]


def pages_with(language):
    return [name for name in NAMES if blocks(name, language)]


def inline_code(name):
    """Text in single backticks outside of code blocks."""
    return re.findall(r"`([^`\n]+)`", BLOCK.sub("", text_of(name)))


def command_lines(name):
    """Lines of shell blocks, and inline code that is a command."""
    lines = [line for code in blocks(name, "sh") for line in code.replace("\\\n", " ").splitlines()]
    return lines + [code for code in inline_code(name) if code.startswith(("halcyon ", "make "))]


def anchors(name):
    """The anchors of headings: lower case, no punctuation, hyphens for spaces."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", text_of(name)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", NAMES)
def test_links_resolve(name):
    for target in re.findall(r"\]\(([^)]+)\)", BLOCK.sub("", text_of(name))):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        linked = ((ROOT / name).parent / path).resolve() if path else ROOT / name
        assert linked.exists(), f"{name} links to {target}"
        assert not anchor or anchor in anchors(linked.relative_to(ROOT)), f"{name} links to {target}"


@pytest.mark.parametrize("name", NAMES)
def test_files_that_are_named_exist(name):
    folders = r"(?:cpp|python|tests|tools|docs|examples|\.ci)/[\w./-]+"
    for path in re.findall(rf"`({folders})`", BLOCK.sub("", text_of(name))):
        if not path.endswith(".out"):
            assert (ROOT / path).exists(), f"{name} names {path}"


def test_every_page_is_listed():
    """docs/index.md links to every other page in docs."""
    listed = set(re.findall(r"\]\(([\w.-]+\.md)", text_of("docs/index.md")))
    assert listed == {page.name for page in ROOT.glob("docs/*.md")} - {"index.md"}


@pytest.mark.parametrize("name", NAMES)
def test_commands_and_their_options_exist(name):
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    for line in command_lines(name):
        words = shlex.split(line, comments=True)
        program = [Path(word).name for word in words]
        if "make" in program[:1]:
            assert {word for word in words[1:] if "=" not in word} <= targets, line
        if "halcyon" in program and "export" not in program:
            check_command(words[program.index("halcyon") + 1 :], line)


@cache
def all_commands():
    from typer.main import get_command

    from halcyon.cli.app import app

    return get_command(app)


def check_command(words, line):
    """Parses a command line of halcyon without running it."""
    command = all_commands()
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
        if words and hasattr(command, "default") and words[0] not in command.commands:
            words = [command.default, *words]
    if words in ([], ["--help"], ["--version"]):
        return
    try:
        command.make_context("halcyon", list(words))
    except Exception as error:
        pytest.fail(f"{line}: {error}")
    known = option_names()
    for flag, value in pairwise(words):
        name = value.partition("=")[0].removeprefix("sweep.")
        assert flag != "--set" or name in known, line


@cache
def option_names():
    """Every option and group of a case, of a run or a simulation, by its dotted name."""
    from halcyon.config.atmosphere import AtmosphereCase
    from halcyon.config.case import Case
    from halcyon.config.reference import reference
    from halcyon.config.simulation import Simulation
    from halcyon.config.spectral import SpectralCase

    entries = [
        entry for kind in (Case, AtmosphereCase, SpectralCase, Simulation) for entry in reference(kind)
    ]
    return {entry.name.split(" ")[0].replace("[]", "") for entry in entries}


@pytest.mark.parametrize("name", NAMES)
def test_options_that_are_named_exist(name):
    known = option_names()
    for code in inline_code(name):
        option = re.match(rf"(?:{GROUPS})\.[a-z_.]+", code)
        if option and not code.endswith((".out", ".nc", ".csv", ".yaml", ".py", ".cpp", ".hpp")):
            assert option[0].rstrip(".") in known, f"{name} names {code}"


@pytest.mark.parametrize("name", pages_with("yaml"))
def test_cases_and_parts_of_cases_are_right(name, tmp_path):
    """Every YAML block is a valid simulation, machine, step or case, or a part of the case FRAGMENT_OF."""
    from halcyon.config import load_case
    from halcyon.config.load_machine import load_machine
    from halcyon.config.points import load_simulation
    from halcyon.plan.step_file import DescribedStep

    tables = ("track.csv", "points.csv", "graph.info.part.8")
    decks = ("aal092011.dat.gz", "bal092011.dat", "irene.dat", "jose.dat")
    for file in (*tables, *decks, "mesh.nc", "gebco.nc", "restart_20220901T0600.nc", "inner.yaml"):
        (tmp_path / file).touch()
    for code in blocks(name, "yaml"):
        (tmp_path / "case.yaml").write_text(code)
        if re.search("^workload:", code, re.MULTILINE):
            load_simulation(tmp_path / "case.yaml")
        elif re.search("^links:", code, re.MULTILINE):
            load_machine(str(tmp_path / "case.yaml"))
        elif re.search("^computation:", code, re.MULTILINE):
            DescribedStep(str(tmp_path / "case.yaml"))
        elif re.search("^model: (atmosphere|spectral)", code, re.MULTILINE):
            load_case(tmp_path / "case.yaml")
        else:
            (tmp_path / "case.yaml").write_text(yaml.safe_dump(FRAGMENT_OF | yaml.safe_load(code)))
            load_case(tmp_path / "case.yaml")


def test_products_are_those_of_the_table():
    """docs/products.md has a row for each output variable, and no other."""
    from halcyon.wave import wave_variables

    named = re.findall(r"^\| `(\w+)` \| ", text_of("docs/products.md"), re.MULTILINE)
    assert set(named) == {row.name for row in wave_variables() if row.output}


@pytest.fixture
def run_folder(tmp_path):
    """A small run as in the guide: case.yaml and case.out."""
    from halcyon import mesh

    sphere = mesh.uniform(3)
    lon, lat = np.degrees(sphere.cell_longitude), np.degrees(sphere.cell_latitude)
    part = mesh.cut(sphere, ((abs(lon - 150) < 25) & (abs(lat - 10) < 25)).astype(np.uint8))
    part.bottom_depth = np.full(part.n_cells, 4000.0)
    mesh.write_mpas(str(tmp_path / "mesh.nc"), part)
    (tmp_path / "case.yaml").write_text(RUN)
    command = [sys.executable, "-m", "halcyon", "run", "case.yaml", "-n", "1"]
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    return tmp_path


@pytest.mark.parametrize("name", [name for name in pages_with("python") if name != "docs/guide.md"])
def test_python_snippets_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    run_snippets(name)


def test_python_snippets_of_the_guide_read_a_run(run_folder, monkeypatch):
    pytest.importorskip("uxarray")
    monkeypatch.chdir(run_folder)
    names = run_snippets("docs/guide.md")
    assert names["waves"].sizes["time"] == 7
    assert float(names["highest"].max()) > 1
    assert list(names["series"].columns) == ["middle"]


def run_snippets(name):
    """Runs the Python snippets of a page in order; returns their global names."""
    names = {}
    for code in blocks(name, "python"):
        exec(compile(code, name, "exec"), names)
    return names


HELLO = "examples/hello_halo/hello_halo"
TRANSFORMS = "tests/fortran/transforms.f90"
PLANES = "tests/fortran/bifouriers.f90"
SOLVERS = ("tests/fortran/advections.f90", "tests/fortran/solvers.f90")


@pytest.mark.parametrize(
    ("name", "language", "programs"),
    [
        ("docs/afternoon.md", "cpp", [f"{HELLO}.cpp", "tests/halo/halo_test.cpp"]),
        ("docs/afternoon.md", "fortran", [f"{HELLO}.f90", "tests/fortran/halos.f90"]),
        (
            "docs/capi.md",
            "c",
            ["examples/io/ring.c", f"{HELLO}.c"]
            + [f"tests/capi/{name}.c" for name in ("wave", "plane", "column", "tracer", "ring_equation")],
        ),
        (
            "docs/fortran.md",
            "fortran",
            ["examples/io/ring.f90", f"{HELLO}.f90", TRANSFORMS, PLANES, *SOLVERS],
        ),
        ("docs/schedule.md", "cpp", ["tests/docs/schedule_test.cpp"]),
    ],
)
def test_snippets_of_compiled_languages_are_those_of_tested_programs(name, language, programs):
    """Every code block on a page is part of a program that other tests compile and run."""
    tested = " ".join(" ".join(text_of(program).split()) for program in programs)
    assert blocks(name, language)
    for code in blocks(name, language):
        assert " ".join(code.split()) in tested, code

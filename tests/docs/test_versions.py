"""The version and the numbers of interfaces, and files for other programs that name them or our commands."""

import re
import tomllib

import yaml

import halcyon
from halcyon.run.state.restart_state import LAYOUT_NUMBER
from tests.docs.test_docs import ROOT, text_of


def test_version_is_the_same_everywhere():
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    cmake = re.search(r"project\(halcyon VERSION ([\d.]+)", text_of("CMakeLists.txt"))[1]
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert {project["version"], cmake, citation["version"]} == {halcyon.__version__}
    assert citation["license"] == project["license"]


def test_numbers_of_the_page_about_versions_are_those_of_the_code():
    page = text_of("docs/versions.md")
    physics = re.search(r"HALCYON_PHYSICS_VERSION = (\d+)", text_of("cpp/halcyon/physics/halcyon_physics.h"))[
        1
    ]
    record = re.search(r'kRecordTitle = "(.*)"', text_of("cpp/halcyon/schedule/record/recorded.hpp"))[1]
    minor = halcyon.__version__.rpartition(".")[0]
    assert f"| restart | `halcyon_layout` | {LAYOUT_NUMBER} |" in page
    assert f"| physics scheme | `halcyon_physics_version` | {physics} |" in page
    assert f"`HALCYON_PHYSICS_VERSION`, now {physics} |" in page
    assert f"first line | `{record}` |" in page
    assert f"| C library | `SOVERSION` of `libhalcyon.so` | {minor} |" in page
    assert "SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}" in text_of(
        "cpp/halcyon/capi/CMakeLists.txt"
    )
    assert "COMPATIBILITY SameMinorVersion" in text_of("cmake/install.cmake")
    assert "global: halcyon_*;" in text_of("cpp/halcyon/capi/exports.map")


def test_workflows_run_commands_of_the_project():
    targets = re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE)
    jobs = yaml.safe_load(text_of(".github/workflows/ci.yml"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    ours = [each for each in commands if not each.startswith(("apt-get ", "git config "))]
    assert ours == ["make demo", ".ci/run", "make docs"]
    assert {each.removeprefix("make ") for each in ours if each.startswith("make ")} <= set(targets)
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_hooks_are_commands_of_make_check():
    check = re.search(r"^check:.*\n((?:\t.*\n)+)", text_of("Makefile"), re.MULTILINE)[1].replace(
        "$(BIN)", ".venv/bin"
    )
    for hook in yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"][0]["hooks"]:
        words = [word for word in hook["entry"].split() if not word.startswith("-")]
        assert " ".join(words) in check, hook["entry"]

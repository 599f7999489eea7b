"""tools/coverage: counters of a compiled program, and the report of the gaps by module."""

import importlib.machinery
import importlib.util
import subprocess

import pytest

from tests.docs.test_docs import ROOT

PROGRAM = """\
int shown(int x) {
  if (x > 1)
    return 2;

  return 3;
}
int unused() {
  return 4;
}
int main() { return shown(1) - 3; }
"""


@pytest.fixture(scope="module")
def tool():
    loader = importlib.machinery.SourceFileLoader("coverage_tool", str(ROOT / "tools/coverage"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("coverage_tool", loader))
    loader.exec_module(module)
    return module


def test_lines_of_a_program_that_ran(tool, tmp_path):
    folder = tmp_path / "cpp/halcyon/base"
    folder.mkdir(parents=True)
    (folder / "main.cpp").write_text(PROGRAM)
    subprocess.run(["g++", "--coverage", "-O0", "main.cpp", "-o", "program"], cwd=folder, check=True)
    subprocess.run([folder / "program"], check=True)
    lines = tool.cpp_lines(tmp_path)
    assert lines["cpp/halcyon/base/main.cpp"] == {
        1: True, 2: True, 3: False, 5: True, 7: False, 8: False, 10: True
    }  # fmt: skip


def test_report_has_the_share_of_each_module_and_the_gaps_below_the_aim(tool):
    cpp = {
        "cpp/halcyon/base/a.hpp": {1: True, 2: False, 4: False, 5: True},
        "cpp/bindings/base.cpp": dict.fromkeys(range(6), True),
        "/usr/include/vector": {1: False},
    }
    python = {"python/halcyon/__init__.py": {1: True}, "python/halcyon/mesh/make.py": {1: True, 2: False}}
    text = tool.report({"C++": cpp, "Python": python}, least=75)
    assert [line.split() for line in text] == [
        ["module", "C++", "lines", "Python", "lines"],
        ["base", "80.0", "%", "10"],
        ["halcyon", "100.0", "%", "1"],
        ["mesh", "50.0", "%", "2"],
        ["all", "80.0", "%", "10", "66.7", "%", "3"],
        ["base:", "cpp/halcyon/base/a.hpp:", "50.0", "%,", "not", "2-4"],
        ["mesh:", "python/halcyon/mesh/make.py:", "50.0", "%,", "not", "2"],
    ]

"""tools/words finds wordings of its list in texts and names, and reports no plain sentence."""

import importlib.machinery
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "words"


@pytest.fixture(scope="module")
def words():
    """tools/words as a module."""
    loader = importlib.machinery.SourceFileLoader("words", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("words", loader))
    sys.modules["words"] = module
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "text",
    [
        "Raises ConfigError for names that are none.",
        "Those of a stripe are sent first.",
        "What is asked of memory ahead.",
        "The others are computed meanwhile.",
        "Prints a row a time.",
        "The cells beside the boundary.",
        "It hands on the error.",
        "A dear operation.",
    ],
)
def test_a_wording_is_found_in_every_kind_of_file(words, text):
    assert list(words.findings("a.py", f'"""{text}"""\n'))
    assert list(words.findings("a.py", f"# {text}\n"))
    assert list(words.findings("a.cpp", f"/// {text}\nint a;\n"))
    assert list(words.findings("a.hpp", f'throw Error("{text}");\n'))
    assert list(words.findings("a.f90", f"!> {text}\n"))
    assert list(words.findings("a.md", f"# Title\n\n{text}\n"))
    assert list(words.findings("a.yaml", f"option: 1 # {text}\n"))


def test_texts_of_options_begin_with_a_noun(words):
    assert list(words.findings("a.py", 'option("Of the refined circle, beta.")\n'))
    assert list(words.findings("a.hpp", "/// Of each rank.\nint a;\n"))
    assert not list(words.findings("a.md", "Of the four quadrants, two are used.\n"))


@pytest.mark.parametrize(
    "text",
    [
        "Returns the offset of block (stripe, m) in the send buffer.",
        "Radius of the refined circle [m].",
        "Raises ConfigError for unknown names; returns `None` else.",
        "Sends one message per neighbour, of course only where cells are shared.",
        "Nothing is missing. All of those cells are owned.",
        "The name `beside` is not checked.",
    ],
)
def test_plain_sentences_are_left_alone(words, text):
    for file in ("a.md", "a.txt"):
        assert not list(words.findings(file, text))
    assert not list(words.findings("a.py", f'"""{text}"""\n'))
    assert not list(words.findings("a.cpp", f"/// {text}\n"))


def test_a_wording_across_two_lines_has_the_line_where_it_begins(words):
    assert [
        line for line, _, _ in words.findings("a.cpp", "int a;\n/// for names that are\n/// none, too\n")
    ] == [2]
    assert [line for line, _, _ in words.findings("a.md", "A title\n\nfor names that\nare none\n")] == [4]


def test_code_is_not_prose(words):
    assert not list(words.findings("a.py", "beside = dear(meanwhile)\n"))
    assert not list(words.findings("a.cpp", "int beside = dear + meanwhile; // a sum\n"))
    assert not list(words.findings("a.md", "```\nbeside\n```\n"))


def test_names(words):
    """Class and parameter names of the list are found, in C++ and Python."""
    assert list(words.findings("a.cpp", "class Held {};\n"))
    assert list(words.findings("a.py", "class _Trouble:\n    pass\n"))
    assert list(words.findings("a.py", "def read(path, what):\n    pass\n"))
    assert not list(words.findings("a.cpp", "struct RestartState {};\nerror.what();\n"))


def test_only_added_lines_with_since(tmp_path):
    """With --since, only lines that were added after a commit are checked."""
    tool = tmp_path / "tools" / "words"
    tool.parent.mkdir()
    tool.write_bytes(TOOL.read_bytes())
    text = tmp_path / "a.md"

    def git(*words):
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    text.write_text("It goes on.\n\nThe end.\n")
    git("add", ".")
    git("commit", "-m", "first")

    def run(*words):
        return subprocess.run([sys.executable, tool, *words], cwd=tmp_path, capture_output=True, text=True)

    assert run("a.md").returncode == 1
    assert run("--since", "HEAD").returncode == 0
    text.write_text("It goes on.\n\nThe end is dear.\n")
    found = run("--since", "HEAD")
    assert found.returncode == 1
    assert found.stdout.splitlines() == ["a.md:3: 'dear': write 'costly'", "words: 1 wordings to mend"]

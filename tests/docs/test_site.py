"""The site that `make docs` makes of the pages: its links, and its check."""

import json
import re
import shlex

import pytest

from tests.docs.test_docs import ROOT, check_command
from tools.docs_site.check import problems
from tools.docs_site.figures import command_at, figures, gallery
from tools.docs_site.pages import markdown_of, navigation, place_of, sources, with_links


def test_navigation_has_every_page_once():
    def pages(entry):
        return [entry] if isinstance(entry, str) else [page for each in entry.values() for page in flat(each)]

    def flat(value):
        return [value] if isinstance(value, str) else [page for each in value for page in pages(each)]

    assert sorted(flat(navigation())) == sorted(map(place_of, sources()))


@pytest.mark.parametrize(
    ("page", "link", "moved"),
    [
        ("docs/guide.md", "wave.md#wind", "wave.md#wind"),
        ("docs/guide.md", "../examples/irene/README.md", "examples/irene/index.md"),
        ("examples/irene/README.md", "../../docs/sea.md", "../../sea.md"),
        ("README.md", "docs/images/hinnamnor.png", "images/hinnamnor.png"),
        ("CONTRIBUTING.md", "tools/words", "files/tools/words.md"),
        ("docs/guide.md", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_links_lead_to_the_same_page_in_the_site(page, link, moved):
    text = f"[text]({link})\n\n```sh\n[text]({link})\n```\n"
    assert with_links(text, page, set()) == f"[text]({moved})\n\n```sh\n[text]({link})\n```\n"


def test_notebooks_become_pages_with_their_outputs(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["# A title\n", "text"]},
        {
            "cell_type": "code",
            "source": ["print(2 + 2)"],
            "outputs": [{"text": ["4\n"]}, {"data": {"image/png": "QUJD\n", "text/plain": ["<Figure>"]}}],
        },
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    text = markdown_of(tmp_path / "a.ipynb")
    assert text.startswith("# A title\ntext\n\n```python\nprint(2 + 2)\n```\n\n```text\n4\n```")
    assert 'src="data:image/png;base64,QUJD"' in text
    assert "<Figure>" not in text


@pytest.mark.parametrize(
    ("element", "problem"),
    [
        ('<a href="b.html#there">', None),
        ('<a href="https://example.org">', None),
        ('<a href="c.html">', "a.html links to c.html: there is no such file"),
        ('<a href="b.html#missing">', "a.html links to b.html#missing: there is no such anchor"),
        ('<img src="https://example.org/a.png">', "a.html loads https://example.org/a.png from a network"),
        ('<script src="//example.org/a.js">', "a.html loads //example.org/a.js from a network"),
        (
            '<link rel="stylesheet" href="https://example.org/a.css">',
            "a.html loads https://example.org/a.css from a network",
        ),
    ],
)
def test_check_finds_dead_links_and_networks(element, problem, tmp_path):
    (tmp_path / "a.html").write_text(element)
    (tmp_path / "b.html").write_text('<h1 id="there">')
    assert problems(tmp_path) == ([problem] if problem else [])


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.file)
def test_a_command_that_exists_stands_next_to_every_figure(figure):
    program, *words = shlex.split(figure.command)
    if program == "halcyon":
        check_command(words, figure.command)
    elif program == "make":
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), figure.command
    else:
        script = (ROOT / (words.pop(0) if "python" in program else program)).read_text()
        for option in words:
            assert not option.startswith("--") or f'"{option}"' in script, f"{figure.command} has no {option}"


def test_every_picture_in_docs_is_a_figure_of_a_page_and_of_the_gallery():
    pictures = {str(path.relative_to(ROOT)) for path in (ROOT / "docs/images").iterdir()}
    assert pictures == {figure.file for figure in figures()}
    page = gallery()
    assert all(f'src="{place_of(picture)}"' in page for picture in pictures)


@pytest.mark.parametrize(
    ("blocks", "command"),
    [
        (["`make a`", "![]()", "text"], "make a"),
        (["text", "![]()", "Drawn by `make b`."], "make b"),
        (["`make a`", "![]()", "Drawn by", "```sh\nmake b  # slow\n```"], "make b"),
        (["```sh\nhalcyon run a\nhalcyon plot a\n```", "![]()"], "halcyon plot a"),
        (["`make a`", "text", "![]()", "text", "`make b`"], ""),
    ],
)
def test_command_of_a_figure_is_next_to_it(blocks, command):
    assert command_at(blocks, blocks.index("![]()")) == command

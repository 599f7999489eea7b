"""The figures of the documentation with the commands that make them, and the gallery."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.docs_site.pages import FENCE, ROOT, sources

COMMAND = re.compile(r"(?:\S+=\S+ )?(?:mpirun .*?)?(?:halcyon|make|(?:\S*/)?python|tools/\w+) [\w.-]")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


@dataclass
class Figure:
    """A picture on a page. command: the nearest command in its section; empty if there is none."""

    page: str
    heading: str
    text: str
    picture: str  # relative to the page
    command: str


def figures_of(name: str, text: str) -> Iterator[Figure]:
    for match in PICTURE.finditer(text):
        before = [each for each in HEADING.finditer(without_code(text)) if each.start() < match.start()]
        start = before[-1].start() if before else 0
        following = [
            each.start() for each in HEADING.finditer(without_code(text)) if each.start() > match.start()
        ]
        section = text[start : min(following, default=len(text))]
        yield Figure(
            name,
            before[-1][2] if before else "",
            " ".join(match[1].split()),
            match[2],
            nearest_command(section, match.start() - start),
        )


def without_code(text: str) -> str:
    """A page with spaces in place of its blocks of code."""
    return FENCE.sub(lambda fence: " " * len(fence[0]), text)


def nearest_command(section: str, position: int) -> str:
    """The command next to a position: a line of a block `sh`, or code in a sentence."""
    found: list[tuple[int, str]] = []
    for block in re.finditer(r"^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE):
        lines = block[1].replace("\\\n", " ").splitlines()
        found += [
            (abs(block.start() - position), line.split("  #")[0].strip())
            for line in lines
            if COMMAND.match(line)
        ]
    for code in re.finditer(r"`([^`\n]+)`", without_code(section)):
        if COMMAND.match(code[1]):
            found.append((abs(code.start() - position), code[1]))
    return min(found, default=(0, ""))[1]


def figures() -> list[Figure]:
    pages = [name for name in sources() if name.endswith(".md")]
    return [figure for name in pages for figure in figures_of(name, (ROOT / name).read_text())]

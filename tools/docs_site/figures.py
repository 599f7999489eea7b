"""The figures of the documentation with the commands that make them, and the gallery of all of them."""

import html
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.docs_site.pages import FENCE, ROOT, place_of, sources

COMMAND = re.compile(r"(?:halcyon|make|(?:\S*/)?python|tools/\w+)(?: [\w./-]|$)")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
DRAWS = re.compile(r"\bplot\b|--picture|house_picture")


@dataclass
class Figure:
    """A picture on a page, the last heading above it, and the command next to it; empty if there is none."""

    page: str
    heading: str
    text: str
    file: str  # in the repository
    command: str


def blocks_of(text: str) -> list[str]:
    """The paragraphs and blocks of code of a page; the text of a block of code is one paragraph."""
    closed = FENCE.sub(lambda fence: fence[0].replace("\n\n", "\n"), text)
    return [block.strip("\n") for block in re.split(r"\n[ \t]*\n", closed) if block.strip()]


def commands_of(block: str) -> list[str]:
    """The commands in a block `sh`, or in the sentences of a paragraph."""
    if shell := re.fullmatch(r"```sh\n(.*)\n```", block, re.DOTALL):
        lines = re.sub(r"\s*\\\n\s*", " ", shell[1]).splitlines()
        found = [re.sub(r"\s+#.*", "", line).strip() for line in lines]
    else:
        found = [] if block.startswith("```") else re.findall(r"`([^`\n]+)`", block)
    return [command for command in found if COMMAND.match(command)]


def command_at(blocks: list[str], position: int) -> str:
    """The command of the picture in a block: in the paragraph `Drawn by ...` below, else in the block above,
    else in the one below. Pictures in a row have the same command, and a paragraph that ends with a colon is
    one with the code below it."""
    above = position - 1
    while above >= 0 and PICTURE.match(blocks[above]):
        above -= 1
    below = position + 1
    while below < len(blocks) and PICTURE.match(blocks[below]):
        below += 1
    under = blocks[below : below + 1]
    if under and re.search(r"(?::| by)$", under[0]):
        under = blocks[below : below + 2]
    following = [command for block in under for command in commands_of(block)]
    preceding = commands_of(blocks[above]) if above >= 0 else []
    chosen = following if under and under[0].startswith("Drawn") else preceding or following
    drawing = [command for command in chosen if DRAWS.search(command)]
    return drawing[-1] if drawing else (chosen or [""])[0]


def figures_of(name: str, text: str) -> Iterator[Figure]:
    blocks, heading = blocks_of(text), ""
    for position, block in enumerate(blocks):
        if not block.startswith("```"):
            heading = block.lstrip("# ") if block.startswith("#") else heading
            for picture in PICTURE.finditer(block):
                file = os.path.normpath(Path(name).parent / picture[2])
                command = command_at(blocks, position)
                yield Figure(name, heading, " ".join(picture[1].split()), file, command)


def figures() -> list[Figure]:
    pages = [name for name in sources() if name.endswith(".md")]
    return [figure for name in pages for figure in figures_of(name, (ROOT / name).read_text())]


def gallery() -> str:
    """The page of all figures that a command draws, once each, with that command and a link to their page."""
    parts = ["# Gallery", "Each picture with the command that draws it. A click leads to the page about it."]
    parts.append('<div class="gallery">')
    for figure in {figure.file: figure for figure in figures()}.values():
        page = place_of(figure.page).replace(".md", ".html")
        anchor = re.sub(r"[^\w\- ]", "", figure.heading.lower()).replace(" ", "-")
        text = html.escape(figure.text, quote=True)
        parts.append(
            f'<figure><a href="{page}#{anchor}">'
            f'<img src="{place_of(figure.file)}" alt="{text}" loading="lazy"></a>'
            f"<figcaption>{text}<br><code>{html.escape(figure.command)}</code></figcaption></figure>"
        )
    return "\n\n".join([*parts[:2], "\n".join([*parts[2:], "</div>"])]) + "\n"
